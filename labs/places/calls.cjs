'use strict';
// The calls of this lab, each with a name. Loaded before the experiment (`--require`); nothing here asks the pool for anything
// before its call is made.
//
// A call gets `back`, to be called when its answer is there, and may return true: what was asked for had been done when the call
// returned. Its other end, if it has one (a server, a child's standard input, somebody who changes a file), acts when `release`
// has been called, and is silent until then. A server of ours reports when it has heard of its call.

const fs = require('node:fs');
const net = require('node:net');
const http = require('node:http');
const dgram = require('node:dgram');
const dns = require('node:dns');
const zlib = require('node:zlib');
const crypto = require('node:crypto');
const { spawn } = require('node:child_process');
const { performance } = require('node:perf_hooks');

const MB = Buffer.alloc(1 << 20, 'four threads ');
const TEXT = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ i, name: `order ${i}` })));
const lazily = (make) => {
  let made;
  return () => (made ??= make());
};
const keys = lazily(() => crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const signed = lazily(() => crypto.sign('sha256', MB, keys().privateKey));
const words = [MB.subarray(0, 16), MB.subarray(16, 32)];
const subtle = crypto.webcrypto.subtle;

// The other ends do nothing before `release` is called.
let release;
const peers = new Promise((open) => { release = open; });
const server = (hear) => new Promise((ready) => {
  const made = http.createServer((request, response) => {
    hear();
    peers.then(() => response.end('pong'));
  });
  made.listen(0, '127.0.0.1', () => ready(made.address().port));
});
const plain = (hear) => new Promise((ready) => {
  const made = net.createServer((socket) => {
    hear();
    socket.on('error', () => {});
    peers.then(() => socket.end('pong'));
  });
  made.listen(0, '127.0.0.1', () => ready(made.address().port));
});
const echo = (hear) => new Promise((ready) => {
  const made = dgram.createSocket('udp4');
  made.on('message', (message, from) => {
    hear();
    peers.then(() => made.send(message, from.port, from.address));
  });
  made.bind(0, '127.0.0.1', () => ready(made.address().port));
});
// A name server of our own, which knows no name: the question comes back as "there is none".
const namer = (hear) => new Promise((ready) => {
  const made = dgram.createSocket('udp4');
  made.on('message', (question, from) => {
    hear();
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8183, 2);
    peers.then(() => made.send(answer, from.port, from.address));
  });
  made.bind(0, '127.0.0.1', () => ready(made.address().port));
});
const get = (host, more = {}) => (back, port) => {
  http.get({ host, port, family: 4, agent: false, ...more }, (response) => response.resume().on('end', () => back()));
};
const say = (host) => (back, port) => {
  const socket = dgram.createSocket('udp4');
  socket.on('message', () => socket.close(back));
  socket.send('ping', port, host);
};

const SMALL = 'small.txt';
const LARGE = 'large.bin';
const CHANGED = 'changed.txt';
const FOLDER = 'folder';

const all = {
  // Files.
  'read-file': (back) => fs.readFile(SMALL, back),
  'read-file-promise': (back) => fs.promises.readFile(SMALL).then(() => back()),
  'read-file-sync': (back) => { fs.readFileSync(SMALL); back(); return true; },
  'stat': (back) => fs.stat('.', back),
  'readdir': (back) => fs.readdir('.', back),
  'readdir-recursive': (back) => fs.readdir(FOLDER, { recursive: true }, back),
  'mkdtemp': (back) => fs.mkdtemp('made-', back),
  'copy-file': (back) => fs.copyFile(SMALL, 'copied.txt', back),
  'realpath': (back) => fs.realpath('.', back),
  'opendir': (back) => fs.opendir(FOLDER, (_, folder) => folder.close(back)),
  'rm-recursive': (back) => fs.rm('no such folder', { recursive: true, force: true }, back),
  'write-file': (back) => fs.writeFile('written.txt', 'x', back),
  'read-stream': (back) => fs.createReadStream(LARGE).resume().on('end', () => back()),
  'open-as-blob': (back) => fs.openAsBlob(SMALL).then((blob) => blob.text()).then(() => back()),
  'watch': (back) => {
    const watcher = fs.watch(CHANGED, () => { watcher.close(); back(); });
    peers.then(() => setImmediate(() => fs.writeFileSync(CHANGED, 'y')));
  },
  'watch-file': (back) => fs.watchFile('no such file', { interval: 20 }, () => { fs.unwatchFile('no such file'); back(); }),
  // Crypto.
  'pbkdf2': (back) => crypto.pbkdf2('a', 'b', 1000, 32, 'sha256', back),
  'pbkdf2-sync': (back) => { crypto.pbkdf2Sync('a', 'b', 1000, 32, 'sha256'); back(); return true; },
  'scrypt': (back) => crypto.scrypt('a', 'b', 32, { N: 1024 }, back),
  'hkdf': (back) => crypto.hkdf('sha256', 'a', 'b', 'c', 32, back),
  'random-bytes': (back) => crypto.randomBytes(8, back),
  'random-bytes-sync': (back) => { crypto.randomBytes(1_000_000); back(); return true; },
  'random-fill': (back) => crypto.randomFill(Buffer.alloc(8), back),
  'random-fill-sync': (back) => { crypto.randomFillSync(Buffer.alloc(1_000_000)); back(); return true; },
  'random-int': (back) => crypto.randomInt(10, back),
  'random-uuid': (back) => { crypto.randomUUID(); back(); return true; },
  'generate-key-pair': (back) => crypto.generateKeyPair('ec', { namedCurve: 'P-256' }, back),
  'hash-stream': (back) => { crypto.createHash('sha256').on('readable', () => back()).end(MB); },
  'hmac-stream': (back) => { crypto.createHmac('sha256', 'key').on('readable', () => back()).end(MB); },
  'cipher-stream': (back) => { crypto.createCipheriv('aes-128-cbc', ...words).on('readable', () => back()).end(MB); },
  'hash': (back) => { crypto.createHash('sha256').update(MB).digest(); back(); return true; },
  'sign': (back) => { crypto.sign('sha256', MB, keys().privateKey); back(); return true; },
  'sign-callback': (back) => crypto.sign('sha256', MB, keys().privateKey, back),
  'verify': (back) => { crypto.verify('sha256', MB, keys().publicKey, signed()); back(); return true; },
  'verify-callback': (back) => crypto.verify('sha256', MB, keys().publicKey, signed(), back),
  'create-sign': (back) => { crypto.createSign('sha256').update(MB).sign(keys().privateKey); back(); return true; },
  'subtle-digest': (back) => subtle.digest('SHA-256', MB).then(() => back()),
  'subtle-generate-key': (back) => subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']).then(() => back()),
  'generate-prime': (back) => crypto.generatePrime(32, back),
  // Compression.
  'gzip': (back) => zlib.gzip('x', back),
  'gzip-sync': (back) => { zlib.gzipSync('x'); back(); return true; },
  'brotli': (back) => zlib.brotliCompress('x', back),
  'gzip-stream': (back) => { zlib.createGzip().on('data', () => {}).on('end', () => back()).end(MB); },
  'crc32': (back) => { zlib.crc32(MB); back(); return true; },
  // Names and the network.
  'lookup-name': (back) => dns.lookup('localhost', back),
  'lookup-address': (back) => dns.lookup('127.0.0.1', back),
  'lookup-service': (back) => dns.lookupService('127.0.0.1', 80, back),
  'http-address': get('127.0.0.1'),
  'http-name': get('localhost'),
  'fetch-address': (back, port) => fetch(`http://127.0.0.1:${port}`).then((got) => got.text()).then(() => back()),
  'fetch-name': (back, port) => fetch(`http://localhost:${port}`).then((got) => got.text()).then(() => back()),
  'connect-address': (back, port) => { net.connect(port, '127.0.0.1').resume().on('end', () => back()); },
  'connect-name': (back, port) => { net.connect({ port, host: 'localhost', family: 4 }).resume().on('end', () => back()); },
  'own-lookup': get('localhost', { lookup: (name, options, done) => done(null, '127.0.0.1', 4) }),
  'resolve4': (back, port) => {
    const resolver = new dns.Resolver({ tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    resolver.resolve4('four.test', () => back());
  },
  'listen-port': (back) => { const made = net.createServer().listen(0, () => { back(); made.close(); }); },
  'listen-name': (back) => { const made = net.createServer().listen(0, 'localhost', () => { back(); made.close(); }); },
  'dgram-address': say('127.0.0.1'),
  'dgram-name': say('localhost'),
  // Everything else.
  'spawn': (back) => {
    const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] }).on('exit', () => back());
    // The child runs its own program by now, not a copy of ours: spawn has waited for that.
    const there = fs.readlinkSync(`/proc/${child.pid}/exe`) !== fs.readlinkSync('/proc/self/exe');
    peers.then(() => child.stdin.end());
    return there;
  },
  'parse-promise': (back) => { (async () => JSON.parse(TEXT))().then(() => back()); return true; },
  'clone-promise': (back) => { (async () => structuredClone(MB))().then(() => back()); return true; },
  'sort-promise': (back) => { (async () => TEXT.split(',').sort())().then(() => back()); return true; },
  'match-promise': (back) => { (async () => TEXT.replace(/order (\d+)/g, '$1'))().then(() => back()); return true; },
  'import': (back) => import(`${process.cwd()}/module.mjs`).then(() => back()),
  'sqlite': (back) => { new (require('node:sqlite').DatabaseSync)(':memory:').exec('create table t (a)'); back(); return true; },
  'timer': (back) => { setTimeout(back, 1); },
  'immediate': (back) => { setImmediate(back); },
};
const needs = {
  'http-address': server, 'http-name': server, 'fetch-address': server, 'fetch-name': server, 'own-lookup': server,
  'connect-address': plain, 'connect-name': plain, 'dgram-address': echo, 'dgram-name': echo, 'resolve4': namer,
};
const turn = () => performance.nodeTiming.uvMetricsInfo.loopCount;

/** Make a call: {there, turns} to `told` when its answer is back; there: done when the call returned. */
async function attempt(name, told) {
  const port = await needs[name]?.(() => globalThis.report({ heard: name }));
  // What a call needs made (a key, say) is none of its work.
  if (name.startsWith('sign') || name.startsWith('create-sign')) keys();
  if (name.startsWith('verify')) signed();
  // From a timer's callback: no other timer is due in this turn, so none comes back in it, however long this takes.
  await new Promise((go) => setTimeout(go, 1));
  const begun = turn();
  let there = false;
  let turns = null;
  const back = (problem) => {
    if (turns !== null) return;
    turns = turn() - begun;
    queueMicrotask(() => told({ name, there, turns, problem: problem instanceof Error ? problem.code ?? String(problem) : null }));
  };
  there = all[name](back, port) === true;
}

/** Make the files that calls ask for. */
function furnish() {
  fs.mkdirSync(FOLDER);
  for (const name of [SMALL, CHANGED, `${FOLDER}/a`, `${FOLDER}/b`]) fs.writeFileSync(name, 'x');
  fs.writeFileSync(LARGE, MB);
  fs.writeFileSync('module.mjs', 'export default 1;');
}

Object.assign(globalThis, { attempt, furnish, release });
