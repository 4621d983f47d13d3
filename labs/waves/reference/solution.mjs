// n hashes, all asked for in one go, each reported when it is back. How many start, and how long do all take?
import { pbkdf2 } from 'node:crypto';

for (let i = 1; i <= n; i++) {
  pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => done(i));
}
