'use strict';
// In which order, and in which callback, does a script say what it says? Loaded before everything else (`--require`).
//
// The script gets two names: `log(name)` and `busy(ms)`. What `log` writes is a claim: a name, the number of the callback
// it was called in, and how often the loop has polled. Which callback that was, in which phase it ran and when, stands in
// the trace that Node itself writes; that is what the supervisor reads.
const { executionAsyncId } = require('node:async_hooks');
const { performance } = require('node:perf_hooks');

const now = () => Number(process.hrtime.bigint()) / 1e6;
const turn = () => performance.nodeTiming.uvMetricsInfo?.loopCount ?? null;
turn();
const spin = (ms) => {
  const end = now() + ms;
  while (now() < end);
};

globalThis.log = (name) => report({ log: String(name), id: executionAsyncId(), turn: turn() });
globalThis.busy = (ms) => spin(parameters.pace === 'quick' ? 2 * ms : ms);
// The script's parts: only the one that is measured runs. What is no function logs nothing; no error of ours points at this file.
globalThis.part = (name, run) => {
  if (name === parameters.part && typeof run === 'function') run();
};

// Two machines that stand in for others. `slow`: after each setTimeout 3 ms pass, so every timer is due at the next look.
// `quick`: the shortest timer takes 2 ms and `busy` twice as long, as if all the rest took half as long. An order that no luck decides is the same.
const timers = require('node:timers');
const { setTimeout } = timers;
const paced = (callback, after, ...rest) => {
  const { pace } = parameters;
  const short = !(after > 1);
  const made = setTimeout(callback, short && pace === 'quick' ? 2 : after, ...rest);
  if (short && pace === 'slow') spin(3);
  return made;
};
timers.setTimeout = globalThis.setTimeout = Object.assign(paced, setTimeout);
require('node:module').syncBuiltinESMExports();
