// How often does one gzip stand in line? Noise does not get smaller, so as much is written as was read: a job of the pool for
// every 16 KiB of it, and two more.
import { randomBytes } from 'node:crypto';
import { gzip } from 'node:zlib';

const noise = randomBytes(parameters.kilobytes * 1024);
for (let i = 1; i <= n; i++) {
  gzip(noise, (error, packed) => {
    report(packed.length);
    done(i);
  });
}
