// Two parts, two orders, each the same at every pace. What decides:
// - in a file's callback the loop stands in its poll: the immediates come next, the timers after them, due or not;
// - in an immediate the timers come first, if they are due: busy(3) sees to that, not luck;
// - inside a microtask (here: the body of this ES module, or any promise's callback) promises come before ticks.
// Your own targets may pair these the other way round: then `inside` takes the other two lines.
const wanted = parameters.target;

function four() {
  setTimeout(() => log('timeout'), 0);
  setImmediate(() => log('immediate'));
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('promise'));
  busy(3);
}

function inside(order) {
  const body = order.indexOf('promise') < order.indexOf('tick') ? () => Promise.resolve().then(four) : four;
  if (order.indexOf('immediate') < order.indexOf('timeout')) fs.stat('.', body);
  else setImmediate(body);
}

part('A', () => inside(wanted));
part('B', () => inside(wanted));
