// n hashes are asked for at once. How many start, and how long do all take, measured against one alone?
// Each costs the same: `rounds` is chosen so that one takes about a twelfth of a second on this machine.
import { pbkdf2 } from 'node:crypto';

for (let i = 1; i <= n; i++) {
  pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => done(i));
}
