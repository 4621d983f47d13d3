// How many of n requests does Node have in its hands, and which is next?
// gate(i) is the path of a FIFO: its open cannot return before somebody opens the other end. The loop only asks.
for (let i = 1; i <= n; i++) {
  fs.open(gate(i), 'r', () => done(i));
}
