import { expect, test } from 'vitest';
import { waitingReason } from '../../src/runs/wait-out.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });

test.each([
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'full'],
  [new Error('ERR Error running script: @user_script:1: -OOM command not allowed when used memory'), 'full'],
  [new Error('MISCONF Errors writing to the AOF file: No space left on device'), 'disk'],
  [new Error('LOADING Redis is loading the dataset in memory'), 'away'],
  [new Error("READONLY You can't write against a read only replica."), 'away'],
  [new Error('Connection is closed.'), 'away'],
  [withCode('ECONNRESET'), 'away'],
  [withCode('ENOSPC'), null],
  [new Error('WRONGTYPE Operation against a key'), null],
  [new Error('NOAUTH Authentication required.'), null],
  ['OOM', null],
])('%s is waited out as %s', (error, expected) => {
  expect(waitingReason(error)).toBe(expected);
});
