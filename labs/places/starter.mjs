import { pbkdf2Sync, createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

serve({
  async key(order) {        // async, so it does not block
    return pbkdf2Sync(order.word, order.salt, order.rounds, 32, 'sha512');
  },
  page(order) {             // a promise, so it runs in the background
    return new Promise((done) => setImmediate(() => done(gzipSync(order.page))));
  },
  async sum(order) {        // hashing is fast
    return createHash('sha256').update(order.page).digest();
  },
});
