'use strict';
// A small service around the learner's routes, on a socket in this folder. Its client is the supervisor: who is answered
// first, and with what, is seen from outside.
//
// GET /ROUTE/SEED makes an order from the seed and calls the route; GET /health is answered by the loop at once. GET /hash/SEED/N
// hashes the page N times on the loop: what that work takes here. SIGUSR2 holds the next slots (`parameters.slots` gates of those given).

const fs = require('node:fs');
const http = require('node:http');
const { open } = fs;
const { createHash } = require('node:crypto');

// The bytes of a page: eight lines that the seed chooses from, so that they compress like a page does.
function page(seed, size) {
  const lines = Array.from({ length: 64 }, (_, i) => createHash('sha256').update(`${seed} ${i}`).digest('hex').repeat(2));
  const parts = [];
  for (let length = 0, i = 0; length < size; i++) {
    const line = `${i} ${lines[(i * 37) % 64]}\n`;
    parts.push(line);
    length += line.length;
  }
  return Buffer.from(parts.join(''));
}

globalThis.serve = (routes) => {
  const { parameters, report, gate } = globalThis;
  let next = 1;
  process.on('SIGUSR2', () => {
    for (const end = next + parameters.slots; next < end; next++) open(gate(next), 'r', () => {});
  });
  const pages = new Map();
  const order = (seed) => {
    if (!pages.has(seed)) pages.set(seed, page(seed, parameters.bytes));
    return { word: `word ${seed}`, salt: `salt ${seed}`, rounds: parameters.rounds, page: pages.get(seed) };
  };
  const server = http.createServer((request, response) => {
    const [, name, seed, times] = request.url.split('/');
    response.setHeader('Connection', 'close');
    if (name === 'health') return response.end('well');
    if (name === 'make') return order(seed) && response.end('made');
    if (name === 'hash') {
      for (let i = 0; i < times; i++) createHash('sha256').update(order(seed).page).digest();
      return response.end('hashed');
    }
    report({ arrived: name });
    if (typeof routes[name] !== 'function') return response.writeHead(404).end(`there is no route ${name}`);
    Promise.resolve()
      .then(() => routes[name](order(seed)))
      .then((reply) => response.end(reply instanceof ArrayBuffer ? Buffer.from(reply) : reply))
      .catch((problem) => response.writeHead(500).end(String(problem?.stack ?? problem)));
  });
  server.listen('service.sock', () => report({ routes: Object.keys(routes) }));
};
