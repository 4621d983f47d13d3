// The pool reads the variable when the first job is handed in. token.cjs hands one in while it is loaded, so the size has to be
// there before that line. `??=` leaves alone what the operator has set.
process.env.UV_THREADPOOL_SIZE ??= String(parameters.size);
const token = require('./token.cjs');

fs.stat('.', () => ready());
