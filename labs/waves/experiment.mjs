// n hashes are asked for at once. How many start, and how long do all take, measured against one alone?
// Each costs the same: `rounds` is chosen for this machine, so that one lasts long enough to be watched.
import { pbkdf2 } from 'node:crypto';

for (let i = 1; i <= n; i++) {
  pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => done(i));
}
