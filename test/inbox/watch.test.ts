import { expect, test } from 'vitest';
import { createStallNotice } from '../../src/inbox/watch.ts';
import { onboard } from '../cli/memory-io.ts';

function bench() {
  const told: string[] = [];
  const at = { now: 0, standing: 'r 0/10', reads: 0 };
  const notice = createStallNotice({
    standing: async () => {
      at.reads += 1;
      return at.standing;
    },
    tell: (text) => told.push(text),
    now: () => at.now,
  });
  const lookAt = async (now: number, standing = at.standing) => {
    Object.assign(at, { now, standing });
    await notice.look();
    return told.length;
  };
  return { at, told, lookAt };
}

test('that rows wait for a worker is said once a minute, as long as nothing moves', async () => {
  const { at, told, lookAt } = bench();
  const counts = [await lookAt(0), await lookAt(30_000), await lookAt(60_000), await lookAt(90_000)];
  expect([...counts, await lookAt(120_000)]).toEqual([0, 0, 1, 1, 2]);
  expect(told[0]).toContain('`onboard work`');
  expect(at.reads).toBe(3);
});

test('the minute begins with the run, which comes a little after its file was claimed', async () => {
  const { lookAt } = bench();
  const counts = [await lookAt(0, ''), await lookAt(5_000, 'r 0/10'), await lookAt(64_999)];
  expect([...counts, await lookAt(65_000)]).toEqual([0, 0, 0, 1]);
});

test('where rows move, or there are none, no worker is asked for', async () => {
  const { lookAt } = bench();
  const counts = [await lookAt(0), await lookAt(60_000, 'r 1/10'), await lookAt(120_000, '')];
  expect([...counts, await lookAt(180_000, '')]).toEqual([0, 0, 0, 0]);
});

test('`watch --sandbox`, which would wait for ever, is refused with what to type instead', async () => {
  const said = await onboard(['watch', '--sandbox', '--once']);
  expect(said.exitCode).toBe(3);
  expect(said.stderr).toContain('expected `onboard start --sandbox`');
});

test.each(['start', 'watch'])('the help of %s says what --once exits with', async (command) => {
  const { stdout } = await onboard([command, '--help']);
  expect(stdout).toContain('3 where a file was refused though others were loaded');
});
