// When is the pool born? Hypothesis: with the first job that is handed in, all of its threads at once, and never again.
// `look` is given (preload.cjs): it stands still while the threads are counted from outside.
look('first line');
fs.stat('.', () => {
  look('after one job');
  let left = parameters.jobs;
  for (let i = 0; i < parameters.jobs; i++) fs.stat('.', () => { if (--left === 0) look('after many'); });
});
