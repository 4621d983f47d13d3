'use strict';
// How many questions do visits ask? Two rounds; in each, every host is visited `times` times at once, and one host that the name
// server does not know in the first round is tried once. Every visit opens a new connection through the given `lookup`.
const http = require('node:http');

globalThis.visit = async function visit(lookup) {
  const { hosts, times, late, port } = globalThis.parameters;
  const one = (host, round) => new Promise((over) => {
    const asked = http.get({ host, port, path: `/${round}`, agent: false, lookup }, (answer) => {
      answer.resume().on('end', () => over('served')).on('error', (problem) => over(problem.code));
    });
    asked.on('error', (problem) => over(problem.code ?? problem.message));
  });
  globalThis.report({ visiting: hosts });
  for (const round of [1, 2]) {
    const names = Array.from({ length: times }, () => hosts).flat();
    names.push(late);
    const ends = await Promise.all(names.map((host) => one(host, round)));
    globalThis.report({ round, ends: names.map((host, i) => [host, ends[i]]).filter(([, end]) => end !== 'served') });
  }
};
