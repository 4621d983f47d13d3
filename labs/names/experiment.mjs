// How many names does Node have in flight at once? Ask for all of them in one go, and count at the name server.
// Before them, `held` opens of shut gates take slots; after them come `stats` small requests that need no name at all.
import dns from 'node:dns';

const { names, api, held = 0, stats = 0 } = parameters;

for (let i = 1; i <= held; i++) fs.open(gate(i), 'r', () => done(i));

for (let i = 1; i <= names; i++) {
  const back = () => done(`name-${i}`);
  if (api === 'lookup' || (api === 'mix' && i % 2 === 1)) dns.lookup(`name-${i}.test`, back);
  else if (api === 'resolve4') dns.resolve4(`name-${i}.test`, back);
  else dns.lookupService(`10.9.0.${i}`, 80, back);
}

for (let i = 1; i <= stats; i++) fs.stat('.', () => done(`stat-${i}`));
