// How often does one call come back to the line? On a pool of one slot a stat that always asks again gets its turn after every
// trip of the call beside it. So it counts the trips.
import zlib from 'node:zlib';
import { pbkdf2, randomFillSync } from 'node:crypto';

const large = Buffer.alloc(parameters.bytes, 'four threads ');
const noise = randomFillSync(Buffer.alloc(1 << 20));
fs.writeFileSync('large', large);
fs.writeFileSync('small', 'x');
const calls = {
  'fs.stat': (back) => fs.stat('large', back),
  'fs.realpath of /usr/bin': (back) => fs.realpath('/usr/bin', back),
  'fs.readFile, one byte': (back) => fs.readFile('small', back),
  'fs.readFile': (back) => fs.readFile('large', back),
  'fs.promises.readFile': (back) => fs.promises.readFile('large').then(() => back()),
  'fs.createReadStream': (back) => fs.createReadStream('large').resume().on('close', () => back()),
  'fs.writeFile': (back) => fs.writeFile('copy', large, back),
  'crypto.pbkdf2': (back) => pbkdf2('four', 'threads', 20_000, 32, 'sha512', back),
  'zlib.gzip, 10 bytes': (back) => zlib.gzip('0123456789', back),
  'zlib.gzip, 1 MiB of noise': (back) => zlib.gzip(noise, back),
};
for (const [name, call] of Object.entries(calls)) {
  let turns = 0;
  let over = false;
  await new Promise((next) => {
    call(() => { over = true; });
    // It asks right behind the call's first trip (a stream makes that a tick later), and stops when the call is over.
    function again() {
      fs.stat('.', () => {
        if (over) return next();
        turns += 1;
        again();
      });
    }
    process.nextTick(again);
  });
  done({ name, trips: turns + 1 });
}
