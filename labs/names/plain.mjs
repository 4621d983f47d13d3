// How many questions do visits ask that remember nothing? Every new connection asks the system again.
import dns from 'node:dns';

await visit(dns.lookup);
