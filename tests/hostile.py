"""Scripts that mean harm, for every room: what each tries stands in its name. Those that survive say what they got."""

from __future__ import annotations

ASK = "for (let i = 1; i <= n; i++) fs.open(gate(i), 'r', () => done(i));\n"

SCRIPTS = {
    "endless loop": ASK + "for (;;);",
    "ten thousand children": """
import { spawn } from 'node:child_process';
for (let i = 0; i < 10000; i++) spawn('/bin/sleep', ['1000'], { detached: true }).on('error', () => {}).unref();
"""
    + ASK,
    "eight gibibytes": """
const kept = [];
for (let i = 0; i < 512; i++) {
  const part = Buffer.alloc(1 << 24);
  for (let page = 0; page < part.length; page += 4096) part[page] = 1;
  kept.push(part);
  await new Promise(setImmediate);
}
"""
    + ASK,
    "ten gibibytes in a file": """
const big = fs.openSync('big', 'w');
const part = Buffer.alloc(1 << 24, 1);
for (let i = 0; i < 640; i++) fs.writeSync(big, part);
"""
    + ASK,
    "many large files": """
const part = Buffer.alloc(1 << 22, 1);
let told = 'no end';
try { for (let i = 0; i < 2560; i++) fs.writeFileSync(`big-${i}`, part); } catch (problem) { told = problem.code; }
console.log('FILES', told);
"""
    + ASK,
    "a flood of lines": ASK + "setInterval(() => { for (;;) fs.writeSync(1, 'flood '.repeat(1000) + '\\n'); }, 1);",
    "a flood without lines": ASK + "setInterval(() => { for (;;) fs.writeSync(1, 'flood '.repeat(1000)); }, 1);",
    "result early": """
fs.appendFileSync('claims.jsonl', JSON.stringify({ token: '0'.repeat(32), kind: 'asked', value: null, at: 0 }) + '\\n');
"""
    + ASK,
    "result twice": ASK
    + "fs.appendFileSync('claims.jsonl', fs.readFileSync('claims.jsonl', 'utf8').replaceAll(/\"token\":\"./g, '\"token\":\"x'));",
    "result as a link": "fs.unlinkSync('claims.jsonl'); fs.symlinkSync('/etc/passwd', 'claims.jsonl');\n" + ASK,
    "threads named like workers": """
import { Worker } from 'node:worker_threads';
for (let i = 0; i < 4; i++) new Worker('setInterval(() => {}, 1000)', { eval: true, name: 'libuv-worker' });
"""
    + ASK,
    "all slots and an exit": ASK + "setImmediate(() => setImmediate(() => process.exit(0)));",
    "its parent": ASK
    + """
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGSTOP', 'SIGABRT', 'SIGSEGV', 'SIGKILL']) {
  for (const pid of [process.ppid, 1]) {
    let told = 'sent';
    try { process.kill(pid, signal); } catch (problem) { told = problem.code; }
    console.log('KILL', signal, told);
  }
}
""",
    "every other process": ASK
    + """
console.log('PROCESSES', JSON.stringify(fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))));
for (const name of ['environ', 'mem', 'maps', 'fd', 'cwd', 'root', 'syscall', 'stack', 'fd/0', 'fd/1', 'fd/2']) {
  let told = 'OPEN';
  try {
    if (name === 'fd') fs.readdirSync(`/proc/${process.ppid}/fd`);
    else if (name === 'cwd' || name === 'root') fs.readlinkSync(`/proc/${process.ppid}/${name}`);
    else fs.closeSync(fs.openSync(`/proc/${process.ppid}/${name}`, name === 'mem' || name.startsWith('fd/') ? 'r+' : 'r'));
  } catch (problem) { told = problem.code; }
  console.log('PROC', name, told);
}
""",
    "other people's files": ASK
    + """
import { execFileSync } from 'node:child_process';
let tried = 0;
function walk(folder) {
  let entries = [];
  try { entries = fs.readdirSync(folder, { withFileTypes: true }); } catch { return; }
  for (const entry of entries) {
    const path = folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}`;
    if (path === '/proc' || path === '/sys' || path === '/usr') continue;
    tried++;
    if (entry.name.includes(parameters.secret)) console.log('FOUND', path);
    if (/^(reference|solution|gradebook)/.test(entry.name)) console.log('KEYS', path);
    if (entry.isDirectory()) walk(path);
  }
}
walk('/');
for (const path of [parameters.path, '/etc/shadow', '/root', '/var/lib/containers', '/run/secrets']) {
  let told = 'OPEN';
  try { fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path); } catch (problem) { told = problem.code; }
  console.log('READ', path === parameters.path ? 'secret' : path, told);
}
for (const path of ['/x', '/etc/x', '/opt/course/x', '/usr/x', '/tmp/x', '/run/x', '/dev/shm/x', '/var/tmp/x', process.execPath]) {
  let told = 'OPEN';
  try { fs.closeSync(fs.openSync(path, 'a')); } catch (problem) { told = problem.code; }
  console.log('WRITE', path === process.execPath ? 'node' : path, told);
}
console.log('TRIED', tried > 100);
""",
    "the network": ASK
    + """
import net from 'node:net';
import os from 'node:os';
console.log('INTERFACES', JSON.stringify(Object.keys(os.networkInterfaces())));
console.log('ROUTES', fs.readFileSync('/proc/net/route', 'utf8').trim().split('\\n').length - 1);
const socket = net.connect({ host: '127.0.0.1', port: parameters.port });
socket.on('connect', () => console.log('CONNECT open')).on('error', (problem) => console.log('CONNECT', problem.code));
""",
    "namespaces and mounts": ASK
    + """
import { spawnSync } from 'node:child_process';
const tries = [['unshare', '--user', 'true'], ['unshare', '--user', '--map-root-user', '--mount', 'true'], ['unshare', '--net', 'true'],
  ['unshare', '--pid', '--fork', 'true'], ['mount', '-t', 'tmpfs', 'none', '/scratch'], ['mount', '-t', 'proc', 'none', '/scratch'],
  ['umount', '/scratch'], ['nsenter', '--target', '1', '--mount', 'true'], ['su', '-c', 'true'], ['chroot', '/scratch', 'true']];
for (const [program, ...args] of tries) {
  const ended = spawnSync(program, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
  console.log('TRY', [program, ...args].join(' ') + ':', ended.error ? ended.error.code : ended.status);
}
console.log('STATUS', fs.readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s*(\\w+)/)[1],
  fs.readFileSync('/proc/self/status', 'utf8').match(/NoNewPrivs:\\s*(\\d)/)[1], fs.readFileSync('/proc/self/status', 'utf8').match(/Seccomp:\\s*(\\d)/)[1]);
""",
}
