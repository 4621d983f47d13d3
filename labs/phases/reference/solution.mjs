// Two parts, two orders, each the same at every pace. What decides:
// - In a file's callback the loop stands in its poll. The immediates come next, then the timers.
// - In an immediate the timers come next, if one is due: busy(3) sees to that, not luck.
// - Inside a promise's callback (and in the body of this ES module) promises come before ticks.
function four() {
  setTimeout(() => log('timeout'), 0);
  setImmediate(() => log('immediate'));
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('promise'));
  busy(3);
}

// Your own two orders are drawn; with them in mind each part needs one of the two lines and one of the two bodies.
function inside([first, , third]) {
  const body = first === 'promise' ? () => Promise.resolve().then(four) : four;
  if (third === 'immediate') fs.stat('.', body);
  else setImmediate(body);
}

part('A', () => inside(parameters.target));
part('B', () => inside(parameters.target));
