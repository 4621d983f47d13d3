// How often must a name be asked for? Once, if what is kept is the promise of an answer: it is there before the answer is, so whoever
// comes in between waits for the same one. A failure is forgotten, so that the next visit asks again.
import dns from 'node:dns';

const kept = new Map();   // name -> promise of its addresses

function lookup(name, options, callback) {
  const answer = (list) =>
    options.all ? callback(null, list) : callback(null, list[0].address, list[0].family);
  if (!kept.has(name)) {
    kept.set(name, dns.promises.lookup(name, { all: true }));
    kept.get(name).catch(() => kept.delete(name));
  }
  kept.get(name).then(answer, callback);
}

visit(lookup);
