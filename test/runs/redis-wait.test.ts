import { expect, test } from 'vitest';
import { createWaitingNotice, refusalWords, waitOut } from '../../src/runs/redis-wait.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';

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
])('%s is waited out as %s', async (error, expected) => {
  const seen: unknown[] = [];
  const notice = { heard: (reason: unknown) => void seen.push(reason) };
  const given = waitOut(() => Promise.reject(error), { notice, signal: AbortSignal.abort() });
  const thrown = await given.catch((problem: unknown) => problem);
  if (expected === null) expect(thrown).toBe(error);
  else expect(String(thrown)).toContain('Redis takes no commands right now');
  expect(seen).toEqual(expected === null ? [] : [expected]);
});

function ownNotice() {
  const io = memoryIo();
  const clock = { ms: 0 };
  const notice = createWaitingNotice(io, () => clock.ms);
  return { notice, clock, lines: () => io.stderr.text.split('\n').slice(0, -1) };
}

test('a Redis that is full and takes a little now and then is told of once, and its end once', () => {
  const { notice, clock, lines } = ownNotice();
  for (let i = 0; i < 100; i += 1) {
    notice.heard('full');
    clock.ms += 1_000;
    notice.heard(null);
  }
  expect(lines()).toEqual([expect.stringMatching(/^Redis is full \(maxmemory\): reading waits/)]);
  clock.ms += 4_000;
  notice.heard(null);
  notice.heard(null);
  expect(lines().slice(1)).toEqual(['Redis takes rows again: reading goes on.']);
});

test('the end of the file is the end of the waiting', () => {
  const { notice, lines } = ownNotice();
  notice.heard('away');
  notice.complete();
  notice.complete();
  expect(lines()).toHaveLength(2);
});

test('without waiting there is nothing to be told', () => {
  const { notice, clock, lines } = ownNotice();
  clock.ms = 60_000;
  notice.heard(null);
  notice.complete();
  expect(lines()).toEqual([]);
});

const replyError = (message: string, previousErrors?: readonly Error[]) =>
  Object.assign(new Error(message), { name: 'ReplyError', ...(previousErrors && { previousErrors }) });

test.each([
  [
    replyError('BUSY Redis is busy running a script.'),
    /wait until it does.*give the command again.*BUSY Redis/,
  ],
  [
    replyError('EXECABORT Transaction discarded.', [replyError('OOM command not allowed')]),
    /raise maxmemory, and give/,
  ],
  [replyError('MISCONF Errors writing to the AOF file'), /make room on that disk, and give/],
])('%s, told where a command ends by it, says what to do', (error, words) => {
  expect(refusalWords(error)).toMatch(words);
});

test.each([withCode('ECONNREFUSED'), replyError('WRONGTYPE Operation against a key'), 'OOM'])(
  '%s is no refusal that passes',
  (error) => {
    expect(refusalWords(error)).toBeNull();
  },
);
