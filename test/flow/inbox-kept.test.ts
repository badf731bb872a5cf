import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

test('a rehearsal takes over nothing of a real run that was left, and leaves the inbox as it was', async () => {
  const { flow, drop, start, begin, list } = await startInboxFlow(undefined, { faults: ['latency=100ms'] });
  await drop('subclients-real.csv', rowsOf('REAL', 400));
  const left = start(['start']);
  await until(() => flow.sandbox.stats().made.subclients > 0);
  left.child.kill('SIGTERM');
  await left.ended;
  const claims = await list('inbox/.processing');
  flow.sandbox.setFaults([]);
  await drop('subclients-next.csv', rowsOf('NEXT', 3));
  await drop('stray.txt', 'a\n');

  const rehearsed = await begin(['start', '--sandbox', '--once']).ended;
  expect(rehearsed.exitCode, rehearsed.stderr).toBe(3);
  expect(fileLines(rehearsed).map(({ file, result, rows }) => [file, result, rows])).toEqual(
    expect.arrayContaining([
      ['subclients-next.csv', 'done', 3],
      ['stray.txt', 'failed', null],
    ]),
  );
  expect(rehearsed.stderr).toContain('subclients-real.csv is being processed for http');
  expect(await list('inbox/.processing')).toEqual(claims);
  expect(await list('inbox')).toEqual(['stray.txt', 'subclients-next.csv']);
  await rm(join(flow.home, 'inbox', 'stray.txt'));

  const ended = await begin(['start', '--once']).ended;
  expect([0, 5], ended.stderr).toContain(ended.exitCode);
  expect(
    fileLines(ended)
      .map(({ file, result, rows }) => [file, result, rows])
      .sort(),
  ).toEqual([
    ['subclients-next.csv', 'done', 3],
    ['subclients-real.csv', 'done', 400],
  ]);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
  expect(await list('inbox')).toEqual([]);
});
