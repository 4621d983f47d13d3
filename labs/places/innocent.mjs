// Is one request slow, or every request? Eight ways to spend a moment in a handler, each beside an innocent second request.
const text = JSON.stringify(Array.from({ length: parameters.bytes / 26 }, (_, i) => ({ id: i, name: `order ${i}` })));
const numbers = Array.from({ length: 400_000 }, (_, i) => (i * 7919) % 1_000_003);
fs.writeFileSync('text.json', text);
const atStart = fs.readFileSync('text.json');
const turn = () => new Promise(setImmediate);

serve({
  parse: async () => String(JSON.parse(text).length),
  sort: async () => String(numbers.toSorted((a, b) => a - b)[7]),
  match: async () => String(/^(a+)+$/.test(`${'a'.repeat(23)}b`)),
  readEachTime: async () => String(fs.readFileSync('text.json').length),
  readAtStart: async () => String(atStart.length),
  readInPool: async () => String((await fs.promises.readFile('text.json')).length),
  slices: async () => {
    let sum = 0;
    for (let slice = 0; slice < 50; slice++) {
      for (let i = 0; i < 1e6; i++) sum = (sum + i * slice) % 1_000_003;
      await turn();
    }
    return String(sum);
  },
  nothing: async () => 'done',
});
