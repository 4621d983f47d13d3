// Does waiting for a thousand peers cost a thread? Connections are opened to ourselves, and nobody says anything.
import net from 'node:net';

const server = net.createServer(() => {}).listen(0, '127.0.0.1');
await new Promise((ready) => server.on('listening', ready));
report('before');
await new Promise((go) => process.once('SIGUSR2', go));
for (let made = 0; made < parameters.many; made++) {
  await new Promise((ready) => net.connect(server.address().port, '127.0.0.1', ready));
}
report('connected');
