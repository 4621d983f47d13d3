// Who has to wait while a job is done: the loop (a timer of 1 ms), or somebody who wants a file's state from the pool?
// n jobs of one kind are asked for at once, with `Sync` or with a callback, and right behind them one stat.
import zlib from 'node:zlib';
import { pbkdf2, pbkdf2Sync } from 'node:crypto';

const { kind, rounds, bytes } = parameters;
const orders = [];
for (let size = 0; size < bytes; size += 60) orders.push({ id: orders.length, name: `order ${(orders.length * 7919) % 10007}`, paid: true });
const text = JSON.stringify(orders);
const page = Buffer.from(text);
fs.writeFileSync('page', page);
const jobs = {
  'pbkdf2Sync': (back) => back(pbkdf2Sync('four', 'threads', rounds, 32, 'sha512')),
  'pbkdf2': (back) => pbkdf2('four', 'threads', rounds, 32, 'sha512', back),
  'gzipSync': (back) => back(zlib.gzipSync(page)),
  'gzip': (back) => zlib.gzip(page, back),
  'readFileSync': (back) => back(fs.readFileSync('page')),
  'readFile': (back) => fs.readFile('page', back),
  'JSON.parse': (back) => back(JSON.parse(text)),
};
const now = () => performance.now();

process.once('SIGUSR2', () => {
  const begun = now();
  let done = 0, ticks = 0, gap = 0, last = begun, stat = null;
  const timer = setInterval(tick, 1);
  function tick() {
    gap = Math.max(gap, now() - last);
    last = now();
    ticks += 1;
  }
  function end() {
    if (done < n || stat === null) return;
    clearInterval(timer);
    report({ work: over - begun, stall: Math.max(gap, Math.min(over, now()) - Math.min(last, over)), ticks: before, stat });
  }
  let over = 0, before = 0;
  for (let i = 0; i < n; i++) {
    jobs[kind](() => {
      done += 1;
      if (done === n) [over, before] = [now(), ticks];
      end();
    });
  }
  fs.stat('.', () => {
    stat = done;
    end();
  });
});
report('ready');
