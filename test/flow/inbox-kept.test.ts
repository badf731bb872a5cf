import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ELSEWHERE } from '../inbox/files.ts';
import { ownFolder } from '../support/folder.ts';
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

test('files of an inbox on another file system are read there and end at home, and one that can not be used is said', async () => {
  const [good, bad] = [await ownFolder({}, ELSEWHERE), await ownFolder({}, ELSEWHERE)];
  const { begin, list } = await startInboxFlow({
    good: `operation: subclient.create\ninbox: ${good}\nkey: externalId\nfiles: "*.csv"\n`,
    bad: `operation: subclient.create\ninbox: ${bad}\nkey: externalId\n`,
  });
  await writeFile(join(bad, '.processing'), '');
  await writeFile(join(bad, 'b.csv'), rowsOf('B', 2));
  await writeFile(join(good, 'a.csv'), rowsOf('A', 3));
  await writeFile(join(good, 'stray.txt'), 'a\n');
  await symlink(join(good, 'a.csv'), join(good, 'link.csv'));
  const ended = await begin(['start', '--once']).ended;
  expect(ended.exitCode, ended.stderr).toBe(3);
  const [line, stray] = fileLines(ended).toReversed();
  expect([line, stray]).toMatchObject([
    { file: 'a.csv', result: 'done', rows: 3 },
    { file: 'stray.txt', result: 'failed' },
  ]);
  expect(await readFile(line?.moved ?? '', 'utf8')).toBe(rowsOf('A', 3));
  expect(ended.stderr.match(/\.processing is no folder/g)).toHaveLength(1);
  expect(ended.stderr).toContain(
    'link.csv: not taken: it is a symbolic link, and links are not followed. It can',
  );
  expect(await readdir(bad)).toEqual(['.processing', 'b.csv']);
  expect([await readdir(good), await readdir(join(good, '.processing'))]).toEqual([
    ['.processing', 'link.csv'],
    [],
  ]);
  expect([(await list('done')).length, (await list('failed')).length]).toEqual([2, 2]);
});
