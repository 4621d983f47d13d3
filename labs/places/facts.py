"""Every call of this lab: how it is written, which path it takes, since when, and where that is written down.

A path is the places where a call waits or is worked on, in their order: ``L`` the loop's own thread, ``P`` a slot of the pool, ``K``
the kernel, which wakes the loop when the other end has done something. An empty path waits in none of them (a timer).
They are Linux's, and measured on the releases in :data:`MEASURED`; what was other before stands in ``note``.
``tests/test_places_claims.py`` measures each on the Node of the course.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The releases of Node on which every path was measured.
MEASURED = ("22.23.5", "24.19.0", "26.12.1")


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        slug: Its name in calls.cjs.
        code: As one writes it, short.
        path: Its places in order, such as ``PK``.
        source: Where Node or libuv decides that.
        note: What a reader should know: other versions, or what is odd about it.
    """

    slug: str
    code: str
    path: str
    source: str
    note: str = ""


_FS = "libuv src/unix/fs.c, POST"
_JOB = "src/threadpoolwork-inl.h, ScheduleWork"
#: Without a callback the same job is worked off by whoever asks.
_SYNC = "src/crypto/crypto_util.h, CryptoJob::Run"
_STREAM = "lib/internal/crypto/hash.js, _transform"
_NET = "lib/net.js, lookupAndConnect"
_NAME = "libuv src/unix/getaddrinfo.c, uv_getaddrinfo"
_SIGN = "lib/internal/crypto/sig.js, signOneShot"
_JS = "V8, on the thread that calls it"
# What is odd about several calls.
_NO_CALLBACK = "no callback, so whoever calls it does the work"
_WITH_CALLBACK = "its callback alone makes it a job of the pool"
_NOT_SIZE = "the callback decides, not the size"
_STREAM_WAITS = "a stream changes who waits for the answer, not who works"
_ASYNC_WAITS = "async changes who waits for the answer, not who works"
_LOOKED_UP = "the pool looks up the name of each new connection"

_ALL = (
    Call("read-file", "fs.readFile(file, cb)", "P", _FS, "four trips through the pool; from Node 26.8 on one for a small file"),
    Call("read-file-promise", "await fsp.readFile(file)", "P", _FS, "as fs.readFile"),
    Call("read-file-sync", "fs.readFileSync(file)", "L", _FS),
    Call("stat", "fs.stat(file, cb)", "P", _FS),
    Call("readdir", "fs.readdir(folder, cb)", "P", _FS),
    Call("readdir-recursive", "fs.readdir(f, {recursive}, cb)", "P", "lib/fs.js, readdir", "on Node 20 all of it ran on the loop, callback and all"),
    Call("mkdtemp", "fs.mkdtemp(prefix, cb)", "P", _FS),
    Call("copy-file", "fs.copyFile(a, b, cb)", "P", _FS),
    Call("realpath", "fs.realpath(file, cb)", "P", _FS, "one trip for each part of the path"),
    Call("opendir", "fs.opendir(folder, cb)", "P", _FS),
    Call("rm-recursive", "fs.rm(f, {recursive}, cb)", "P", _FS),
    Call("write-file", "fs.writeFile(file, text, cb)", "P", _FS, "three trips; from Node 26.9 on one for a small file"),
    Call("read-stream", "fs.createReadStream(file)", "P", _FS, "a trip for each 64 KiB"),
    Call("open-as-blob", "await (await fs.openAsBlob(f)).text()", "P", _FS),
    Call("watch", "fs.watch(file, cb)", "K", "libuv src/unix/linux.c, uv_fs_event_start", "inotify; other systems differ"),
    Call("watch-file", "fs.watchFile(none, cb)", "P", "libuv src/fs-poll.c, uv_fs_poll_start", "a stat in each interval; missing in Node's list"),
    Call("pbkdf2", "pbkdf2(..., cb)", "P", _JOB),
    Call("pbkdf2-sync", "pbkdf2Sync(...)", "L", _SYNC),
    Call("scrypt", "scrypt(..., cb)", "P", _JOB),
    Call("hkdf", "hkdf(..., cb)", "P", _JOB),
    Call("random-bytes", "randomBytes(8, cb)", "P", _JOB, _NOT_SIZE),
    Call("random-bytes-sync", "randomBytes(1_000_000)", "L", _SYNC, _NOT_SIZE),
    Call("random-fill", "randomFill(eightBytes, cb)", "P", _JOB, _NOT_SIZE),
    Call("random-fill-sync", "randomFillSync(megabyte)", "L", _SYNC),
    Call("random-int", "randomInt(10, cb)", "P", "lib/internal/crypto/random.js, randomInt", "only when its store of random bytes is empty"),
    Call("random-uuid", "randomUUID()", "L", "lib/internal/crypto/random.js, randomUUID"),
    Call("generate-key-pair", "generateKeyPair('ec', ..., cb)", "P", _JOB),
    Call("hash-stream", "createHash(...).end(megabyte)", "L", _STREAM, _STREAM_WAITS),
    Call("hmac-stream", "createHmac(...).end(megabyte)", "L", _STREAM, _STREAM_WAITS),
    Call("cipher-stream", "createCipheriv(...).end(megabyte)", "L", "lib/internal/crypto/cipher.js, _transform", _STREAM_WAITS),
    Call("hash", "createHash(...).update(megabyte)", "L", "lib/internal/crypto/hash.js, update", "the size decides nothing"),
    Call("sign", "sign('sha256', data, key)", "L", _SIGN, _NO_CALLBACK),
    Call("sign-callback", "sign('sha256', data, key, cb)", "P", _SIGN, _WITH_CALLBACK),
    Call("verify", "verify('sha256', data, key, s)", "L", _SIGN, _NO_CALLBACK),
    Call("verify-callback", "verify('sha256', ..., s, cb)", "P", _SIGN, _WITH_CALLBACK),
    Call("create-sign", "createSign('sha256').sign(key)", "L", _SIGN, "there is no form of it that leaves the loop"),
    Call("subtle-digest", "await subtle.digest(...)", "P", "lib/internal/crypto/util.js, jobPromise", "the hash that leaves the loop"),
    Call("subtle-generate-key", "await subtle.generateKey(...)", "P", "lib/internal/crypto/util.js, jobPromise"),
    Call("generate-prime", "generatePrime(32, cb)", "P", _JOB),
    Call("gzip", "gzip('x', cb)", "P", _JOB, "two trips for one byte; one more for each 16 KiB of output"),
    Call("gzip-sync", "gzipSync('x')", "L", "lib/zlib.js, processChunkSync"),
    Call("brotli", "brotliCompress('x', cb)", "P", _JOB),
    Call("gzip-stream", "createGzip().end(megabyte)", "P", _JOB, "this stream does leave the loop"),
    Call("crc32", "crc32(megabyte)", "L", "src/node_zlib.cc, CRC32"),
    Call("lookup-name", "dns.lookup('localhost', cb)", "P", _NAME, "at most half of the slots, rounded up; see the lab names"),
    Call("lookup-address", "dns.lookup('127.0.0.1', cb)", "L", "lib/dns.js, lookup", "an address needs nobody"),
    Call("lookup-service", "dns.lookupService(a, port, cb)", "P", "libuv src/unix/getnameinfo.c, uv_getnameinfo", "missing in Node's list"),
    Call("resolve4", "resolver.resolve4(name, cb)", "K", "src/cares_wrap.cc, ares_sockstate_cb", "c-ares: the loop watches its sockets"),
    Call("http-address", "http.get('http://127.0.0.1')", "K", _NET, "an address needs no lookup"),
    Call("http-name", "http.get('http://localhost')", "PK", _NET, f"{_LOOKED_UP}, not of a kept one"),
    Call("fetch-address", "await fetch('http://127.0.0.1')", "K", _NET, "an address needs no lookup"),
    Call("fetch-name", "await fetch('http://localhost')", "PK", _NET, _LOOKED_UP),
    Call("connect-address", "net.connect(80, '127.0.0.1')", "K", _NET, "an address needs no lookup"),
    Call("connect-name", "net.connect(80, 'localhost')", "PK", _NET, _LOOKED_UP),
    Call("own-lookup", "http.get({host, lookup: mine})", "K", _NET, "whoever brings the address needs no slot"),
    Call("listen-port", "server.listen(0)", "L", "lib/net.js, setupListenHandle"),
    Call("listen-name", "server.listen(0, 'localhost')", "P", "lib/net.js, lookupAndListen"),
    Call("dgram-address", "udp.send(m, 53, '127.0.0.1'), reply", "K", "lib/internal/dgram.js, lookup4", "the reply is what is waited for; to send needs nobody"),
    Call("dgram-name", "udp.send(m, 53, 'localhost'), reply", "PK", "lib/internal/dgram.js, lookup4", "to send needs the address of the name"),
    Call("spawn", "spawn('/bin/cat').on('exit', cb)", "LK", "libuv src/unix/process.c, uv_spawn", "the loop forks and waits until the child runs its program"),
    Call("parse-promise", "async () => JSON.parse(text)", "L", _JS, _ASYNC_WAITS),
    Call("clone-promise", "async () => structuredClone(o)", "L", _JS, _ASYNC_WAITS),
    Call("sort-promise", "async () => list.sort()", "L", _JS, _ASYNC_WAITS),
    Call("match-promise", "async () => text.replace(...)", "L", _JS, _ASYNC_WAITS),
    Call("import", "await import('./module.mjs')", "L", "lib/internal/modules/esm/load.js", "through the pool until Node 22.17 and 24.2"),
    Call("sqlite", "new DatabaseSync(...).exec(sql)", "L", "src/node_sqlite.cc", "Node 22.5 and later, without a flag from 22.13 on"),
    Call("timer", "setTimeout(cb, 1)", "", "libuv src/timer.c", "a list of Node's own; the kernel only ends the loop's sleep"),
    Call("immediate", "setImmediate(cb)", "", "libuv src/unix/loop-watcher.c", "the loop comes by at its next check"),
)  # fmt: skip

CALLS = {call.slug: call for call in _ALL}

#: What kind of call splits which stories: name -> the calls that do it equally well. One of each is drawn.
SIX = {
    "file": ("read-file", "stat", "readdir", "write-file"),
    "stream": ("hash-stream", "hmac-stream", "cipher-stream"),
    "address": ("http-address", "fetch-address", "connect-address"),
    "name": ("http-name", "fetch-name", "connect-name"),
    "sign": ("sign", "verify"),
    "promise": ("parse-promise", "clone-promise", "sort-promise", "match-promise"),
}
SIX_MORE = {
    "callback": ("sign-callback", "verify-callback"),
    "small": ("random-bytes", "random-fill", "gzip"),
    "large": ("random-bytes-sync", "hash"),
    "watch": ("watch",),
    "poll": ("watch-file",),
    "spawn": ("spawn",),
}
KIND = {slug: kind for kinds in (SIX, SIX_MORE) for kind, slugs in kinds.items() for slug in slugs}


def path(slug: str) -> str:
    """Return the path of a call."""
    return CALLS[slug].path
