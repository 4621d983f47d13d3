// How much work do k threads get done at once?
//
// k workers hash synchronously, each in its own thread and never through libuv's pool, so this witness shares nothing
// with what it is compared to. All k are runnable for the whole window, and the hashes inside the window are counted:
// a throughput, not a makespan, because with k above the number of cores the end of a batch depends on luck.
//
// One JSON line in, one out: {threads, lead, window, rounds} -> {done, total, cpu, wait, window}; arrays, one entry a
// worker, seconds. The end of stdin ends the process.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pbkdf2Sync } from 'node:crypto';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

const now = () => Number(process.hrtime.bigint()) / 1e9;

const cell = new Int32Array(new SharedArrayBuffer(4));

// Seconds this thread ran, and waited for a core while it could have run. The kernel brings them up to date when a
// thread gives up its core, and else at its next tick, some milliseconds late: so it is given up for a moment.
function used() {
  Atomics.wait(cell, 0, 0, 0.05);
  try {
    const [ran, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    return { cpu: ran / 1e9, wait: waited / 1e9 };
  } catch {
    const { user, system } = process.threadCpuUsage?.() ?? { user: NaN, system: 0 };
    return { cpu: (user + system) / 1e6, wait: NaN };
  }
}

function work({ from, until, rounds }) {
  const before = used();
  let done = 0;
  let total = 0;
  let at = now();
  // At least one, also where the window closed before this thread got a core: the unit needs it.
  do {
    pbkdf2Sync('four', 'threads', rounds, 64, 'sha512');
    const end = now();
    // The part of this hash that lies inside the window.
    done += Math.max(0, Math.min(end, until) - Math.max(at, from)) / (end - at);
    at = end;
    total += 1;
  } while (at < until);
  const after = used();
  return { done, total, cpu: after.cpu - before.cpu, wait: after.wait - before.wait };
}

if (isMainThread) {
  const workers = [];
  const hire = () => new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    workers.push(worker);
    worker.once('message', resolve);
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const { threads, lead, window, rounds } = JSON.parse(line);
    while (workers.length < threads) await hire();
    const from = now() + lead;
    const answers = await Promise.all(workers.slice(0, threads).map((worker) => new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage({ from, until: from + window, rounds });
    })));
    const column = (name) => answers.map((answer) => answer[name]);
    const text = { window, done: column('done'), total: column('total'), cpu: column('cpu'), wait: column('wait') };
    process.stdout.write(`${JSON.stringify(text)}\n`);
  }
  process.exit(0);
} else {
  parentPort.on('message', (order) => parentPort.postMessage(work(order)));
  parentPort.postMessage('ready');
}
