'use strict';
// What does a script ask of Node, and what does it say about it? This file is loaded before the learner's script
// (`--require`). It gives the script its few names, counts the ticks of a timer beside it, and writes what the script
// reports to a file, synchronously: nothing here ever asks the pool for anything.
//
// All that is written here is a *claim*: the script shares this process. What is *observed* is read from outside.

// A worker thread of the script's, and a process it forks, load this file again (they inherit `--require`); neither is ours to set up.
if (!require('node:worker_threads').isMainThread || process.env.FOURTHREADS_SETUP === undefined) return;

const fs = require('node:fs');
const setup = JSON.parse(fs.readFileSync(process.env.FOURTHREADS_SETUP, 'utf8'));
fs.unlinkSync(process.env.FOURTHREADS_SETUP);
delete process.env.FOURTHREADS_SETUP;

const { writeSync, closeSync, readSync } = fs;
const claims = fs.openSync(setup.claims, 'a');
const ticks = fs.openSync(setup.ticks, 'r+');
const now = () => Number(process.hrtime.bigint()) / 1e9;

function claim(kind, value) {
  writeSync(claims, `${JSON.stringify({ token: setup.token, kind, value, at: now() })}\n`);
}

// 1. Say which Node this is, and wait in a read for the supervisor: it looks at the threads before the script exists.
writeSync(setup.ready, JSON.stringify({ version: process.versions.node, uv: process.versions.uv }));
closeSync(setup.ready);
readSync(setup.go, Buffer.alloc(1));
closeSync(setup.go);

// 2. The names a script may use.
const given = { fs, parameters: setup.parameters, report: (value) => claim('report', value) };
if (setup.gates.length > 0) {
  const gate = (i) => {
    if (!Number.isInteger(i) || i < 1 || i > setup.gates.length) {
      throw new RangeError(`gate(${i}): there are gates 1 to ${setup.gates.length}`);
    }
    return setup.gates[i - 1];
  };
  given.gate = gate;
}
if (setup.parameters.tasks !== undefined) {
  Object.assign(given, { n: setup.parameters.tasks, done: (name) => claim('done', name ?? null) });
}
Object.assign(globalThis, given);

// 3. A timer's ticks: if the loop is free, they arrive. (count, longest gap between two in seconds, time of the last)
const seen = new Float64Array(3);
const bytes = Buffer.from(seen.buffer);
const interval = setup.tick * 1000;
function tick() {
  const at = now();
  if (seen[2] > 0) seen[1] = Math.max(seen[1], at - seen[2]);
  seen[0] += 1;
  seen[2] = at;
  writeSync(ticks, bytes, 0, bytes.length, 0);
}
const timer = setInterval(tick, interval);
if (!setup.keep) timer.unref();

// 4. The script begins; its first part has run when the loop gets its first turn.
globalThis[Symbol.for('fourthreads.begin')] = () => {
  claim('begin', null);
  seen[2] = now();
  setImmediate(() => claim('asked', null));
};
process.on('uncaughtExceptionMonitor', () => claim('error', null));
process.on('exit', (code) => {
  tick();
  claim('exit', code);
});
if (setup.rehearse) require('./rehearse.cjs')(setup, claim);
if (setup.module === 'cjs') globalThis[Symbol.for('fourthreads.begin')]();
