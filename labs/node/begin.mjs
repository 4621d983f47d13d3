// When does the script begin? Imports are evaluated in order and without a pause, so this line runs right before the
// script's first, after everything was read from disk and parsed.
globalThis[Symbol.for('fourthreads.begin')]();
