// Preloaded into the program (NODE_OPTIONS=--import): SIGUSR2 blocks its event loop for ONBOARD_TEST_BLOCK_MS.
const cell = new Int32Array(new SharedArrayBuffer(4));

process.on('SIGUSR2', () => {
  Atomics.wait(cell, 0, 0, Number(process.env.ONBOARD_TEST_BLOCK_MS));
});
