// Who gets through while names hang? First a connection is made that stays open. Then `hanging` names are asked for that nobody
// answers, and behind them five requests that want something else, in the given order.
import dns from 'node:dns';
import http from 'node:http';

const { hanging, order, port } = parameters;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function get(host, agent) {
  return new Promise((resolve, reject) => {
    const answer = (response) => response.resume().on('end', resolve);
    http.get({ host, port, agent, path: '/' }, answer).on('error', reject);
  });
}

const asks = {
  address: () => get('127.0.0.1', false),
  kept: () => get('kept.test', agent),
  localhost: () => get('localhost', false),
  fresh: () => get('fresh.test', false),
  resolve: () => new Promise((resolve) => dns.resolve4('other.test', resolve)),
};

await get('kept.test', agent);
for (let i = 1; i <= hanging; i++) dns.lookup(`hang-${i}.test`, () => {});
order.forEach((what, i) => asks[what]().then(() => done(i + 1)));
