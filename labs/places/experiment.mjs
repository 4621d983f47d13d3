// Where does a call wait? Its name or its callback cannot say: so every slot is held first (n gates), or every other end is
// silent until SIGUSR2, and then each call is made once. What still comes back did not need what was taken away.
if (parameters.silent) process.on('SIGUSR2', release);
else release();
furnish();
for (let i = 1; i <= n; i++) fs.open(gate(i), 'r', () => {});
for (const name of parameters.calls) await attempt(name, done);
report({ made: parameters.calls.length });
