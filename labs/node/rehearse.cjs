'use strict';
// What is asked for, by which call, in which order? Only in a rehearsal: the calls that can occupy the pool, or that
// stop the loop instead, are wrapped and noted before they are made. Nothing else about them changes.

const modules = {
  fs: require('node:fs'),
  'fs.promises': require('node:fs').promises,
  crypto: require('node:crypto'),
  zlib: require('node:zlib'),
  dns: require('node:dns'),
  'dns.promises': require('node:dns').promises,
};
const files = ['access', 'appendFile', 'copyFile', 'exists', 'lstat', 'mkdir', 'mkdtemp', 'open', 'opendir', 'readFile',
  'readdir', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'stat', 'statfs', 'truncate', 'unlink', 'utimes',
  'writeFile'];
const names = {
  fs: [...files, ...files.map((name) => `${name}Sync`)],
  'fs.promises': files,
  crypto: ['pbkdf2', 'pbkdf2Sync', 'scrypt', 'scryptSync', 'randomBytes', 'randomFill', 'generateKeyPair', 'hkdf'],
  zlib: ['gzip', 'gzipSync', 'gunzip', 'deflate', 'deflateSync', 'inflate', 'brotliCompress'],
  dns: ['lookup', 'lookupService', 'resolve4'],
  'dns.promises': ['lookup', 'lookupService', 'resolve4'],
};
// As many calls as any lab's script makes; one that makes more is told by the count.
const MOST = 500;

module.exports = (setup, claim) => {
  let count = 0;
  for (const [owner, wanted] of Object.entries(names)) {
    for (const name of wanted) {
      const original = modules[owner][name];
      if (typeof original !== 'function') continue;
      modules[owner][name] = Object.assign(function noted(...given) {
        if (count++ < MOST) {
          const about = typeof given[0] === 'string' ? given[0].slice(0, 300) : null;
          claim('call', { api: `${owner}.${name}`, about });
        }
        return Reflect.apply(original, this, given);
      }, original);
    }
  }
  require('node:module').syncBuiltinESMExports();
  // What is reported before this was reported before the loop turned for the first time: nothing can be back by then.
  const begin = Symbol.for('fourthreads.begin');
  const original = globalThis[begin];
  globalThis[begin] = () => {
    original();
    process.nextTick(() => claim('through', null));
  };
};
