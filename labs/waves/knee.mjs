// Where does a larger pool help? n tasks at once: they compute (a hash), or wait (an open that is held as long as a hash
// takes), or half of each. Waiting gets done sooner up to n slots, computing only up to as many slots as there are cores.
import { pbkdf2 } from 'node:crypto';

let gates = 0;
for (let i = 1; i <= n; i++) {
  const waits = parameters.work === 'waiting' || (parameters.work === 'mixed' && i % 2 === 1);
  if (waits) fs.open(gate(++gates), 'r', () => done(i));
  else pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => done(i));
}
