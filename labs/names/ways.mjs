// What does each way to a host cost, and what does it no longer find? `visits` visits of one name, one after the other, each on a
// new connection unless the way keeps it; then a name that only stands in the hosts file, and a short one that needs the search
// domain.
import dns from 'node:dns';
import http from 'node:http';

const { way, visits, port, hosts_name } = parameters;
const kept = new Map();

// The visits come one after the other here, so it is enough to keep an answer when it is in.
function remembered(ask) {
  return (name, options, callback) => {
    const back = (list) => options.all ? callback(null, list) : callback(null, list[0].address, list[0].family);
    if (kept.has(name)) return back(kept.get(name));
    ask(name, (problem, list) => {
      if (problem) return callback(problem);
      kept.set(name, list);
      back(list);
    });
  };
}
const byLookup = remembered((name, answer) => dns.lookup(name, { all: true }, answer));
const byResolve = remembered((name, answer) => dns.resolve4(name, (problem, found) => {
  answer(problem, found?.map((address) => ({ address, family: 4 })));
}));

function get(host, more) {
  return new Promise((resolve, reject) => {
    const answer = (response) => response.resume().on('end', resolve);
    http.get({ host, port, path: '/', agent: false, ...more }, answer).on('error', reject);
  });
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
// The dispatcher's class is not exported by Node; the one in use has it. It is there after the first fetch.
const dispatcher = () => globalThis[Symbol.for('undici.globalDispatcher.2')] ?? globalThis[Symbol.for('undici.globalDispatcher.1')];
const ways = {
  'lookup': (host) => get(host),
  'keep-alive': (host) => get(host, { agent }),
  'own lookup': (host) => get(host, { lookup: byLookup }),
  'resolve4': (host) => get(host, { lookup: byResolve }),
  'dispatcher': async (host) => {
    if (!dispatcher()) await fetch(`http://127.0.0.1:${port}/warm`).then((answer) => answer.text());
    const own = new (dispatcher().constructor)({ connect: { lookup: byLookup }, pipelining: 0 });
    await fetch(`http://${host}:${port}/`, { dispatcher: own }).then((answer) => answer.text());
    await own.close();
  },
};

for (const host of [...Array(visits).fill('often.test'), hosts_name, 'short']) {
  await ways[way](host).then(() => report([host, 'found']), (problem) => report([host, problem.cause?.code ?? problem.code]));
}
agent.destroy();
process.exit(0);
