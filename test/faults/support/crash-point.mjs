// Preloaded into the program (NODE_OPTIONS=--import): it dies where ONBOARD_TEST_CRASH says, `<stage>:<row or chunk>`,
// or `<stage>:` for one that is passed without either.
import { subscribe } from 'node:diagnostics_channel';

const [stage = '', number = ''] = (process.env.ONBOARD_TEST_CRASH ?? '').split(':');
let sending = [];

if (stage !== '') {
  subscribe('onboard:stage', (passed) => {
    if (passed.stage === 'sending') sending = passed.rows;
    if (passed.stage === stage && isMeant(passed)) process.kill(process.pid, 'SIGKILL');
  });
}

function isMeant({ rows, chunk }) {
  if (number === '') return true;
  // An answer's headers come without a row: with one request at a time they are those of the row sent last.
  const meant = stage === 'headers' ? sending : rows;
  return meant.includes(Number(number)) || chunk === Number(number);
}
