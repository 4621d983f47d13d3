'use strict';
// Loaded before everything else (`--require`). Nothing here asks the pool for anything, whatever the program does.
//
// It gives the program one name, `look(name)`: say where we are, then stand still in one call until the supervisor has
// counted our threads from outside and opens the next gate. So a count belongs to exactly one line of the program.
// Beside the program it lays somebody else's modules: what they do when they are loaded is what this lab is about.
if (!require('node:worker_threads').isMainThread) return;
const { writeFileSync, openSync, closeSync } = require('node:fs');

const body = (call) => `crypto.${call};`;
const modules = {
  token: body("randomBytes(8, () => {})"),
  quick: body("randomBytes(8)"),
};
for (const [name, text] of Object.entries(modules)) {
  const claim = `report({ loaded: '${name}' });`;
  writeFileSync(`${name}.cjs`, `const crypto = require('node:crypto');\n${claim}\n${text}\n`);
  writeFileSync(`${name}.mjs`, `import crypto from 'node:crypto';\n${claim}\n${text}\n`);
}
writeFileSync('size.mjs', "process.env.UV_THREADPOOL_SIZE = String(parameters.size);\n");

let looks = 0;
globalThis.look = (name) => {
  report({ look: String(name), shown: process.env.UV_THREADPOOL_SIZE ?? null });
  closeSync(openSync(gate(++looks), 'r'));
};
// The learner's: once, when the first answer is there.
globalThis.ready = () => look('ready');
