// How long does a request wait that has nothing to do with the gates? It is asked for behind them, so it stands at place
// n + 1 of the line and comes back when n + 1 - P gates are open, however quick it is.
for (let i = 1; i <= n; i++) {
  fs.open(gate(i), 'r', () => done(i));
}
fs.stat('.', () => done('stat'));
