// In which order do callbacks run that were asked for in one and the same callback? Hypothesis: it depends on where in its
// round the loop stands at that moment, and neither on the order of the lines nor on "0 ms". Here: in the poll.
// `log` and `busy` are given (recorder.cjs); the other programs of this lab are made from the draw (programs.py).
fs.stat('.', () => {
  setTimeout(() => log('timeout'), 0);
  setImmediate(() => log('immediate'));
  Promise.resolve().then(() => log('promise'));
  process.nextTick(() => log('tick'));
  busy(3);
});
