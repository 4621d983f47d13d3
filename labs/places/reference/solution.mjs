// Which of three jobs can leave the loop, and by which door? Two have a form with a callback. A hash has none,
// on a stream neither; but Web Crypto hashes in the pool.
import { pbkdf2 } from 'node:crypto';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';

serve({
  key: (order) => promisify(pbkdf2)(order.word, order.salt, order.rounds, 32, 'sha512'),
  page: (order) => promisify(gzip)(order.page),
  sum: (order) => crypto.subtle.digest('SHA-256', order.page),
});
