import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, link, mkdir, open, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseRedisUrl, shownAddress } from '../../src/config/redis-address.ts';
import { claimIn } from '../runs/inbox/files.ts';
import { type FileLine, fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

function lineOf(lines: readonly FileLine[], file: string): FileLine {
  const found = lines.find((line) => line.file === file);
  if (found === undefined) throw new Error(`no line about ${file}`);
  return found;
}

/** More columns than a message tells problems. */
const JANE = `Jane Doe,GB33BUKB20201555555555,${Array.from({ length: 30 }, (_, n) => `Jane's note ${n}`).join(',')}`;

test('files are taken through the jobs that their names say, and what can not be taken is put aside with a note', async () => {
  const { flow, inbox, drop, begin, list, note } = await startInboxFlow({
    subclients: 'operation: subclient.create\nfiles: "**/subclients*"\nkey: externalId\n',
    other: 'operation: subclient.create\nfiles: ["both*", "other*"]\nkey: externalId\n',
    own: 'operation: subclient.create\ninbox: partner\nkey: externalId\nmarker: .done\n',
    both: 'operation: subclient.create\nfiles: "both*"\nkey: externalId\n',
    named: 'operation: subclient.create\nfiles: "named*"\nkey: externalId\nrequired: [details.name]\n',
  });
  await drop('north/subclients-1.csv', rowsOf('N', 3));
  await drop('subclients-same.csv', rowsOf('N', 3));
  await drop('subclients-broken.csv', 'externalId,details.name\nX1,"never closed\n');
  await drop('subclients-columns.csv', 'externalId,nonsense\nX2,a\n');
  await drop('subclients-headless.csv', `${JANE}\n${JANE.replaceAll('Jane', 'John')}\n`);
  await drop('named-short.csv', 'externalId,details.displayName\nX3,a\nX4,b\n');
  await drop('stray.csv', 'a\n');
  await drop('both.csv', rowsOf('B', 1));
  await drop('subclients-late.csv.part', rowsOf('L', 1));
  await mkdir(join(flow.home, 'partner'));
  await writeFile(join(flow.home, 'partner', 'any name.csv'), rowsOf('P', 2));
  await writeFile(join(flow.home, 'partner', 'any name.csv.done'), '');
  await writeFile(join(flow.home, 'partner', 'unmarked.csv'), rowsOf('U', 2));

  const ended = await begin(['start', '--once']).ended;
  const lines = fileLines(ended);
  expect(ended.exitCode, ended.stderr).toBe(3);
  expect(flow.sandbox.stats().made.subclients).toBe(5);

  // The same content: which of the two came first doesn't matter.
  const same = [lineOf(lines, 'north/subclients-1.csv'), lineOf(lines, 'subclients-same.csv')];
  expect(same.map(({ result }) => result)).toEqual(['done', 'done']);
  expect(new Set(same.map(({ run }) => run)).size).toBe(1);
  expect(same.flatMap(({ why }) => why)).toEqual([
    `the same content was taken as run ${same[0]?.run}: nothing is sent`,
  ]);
  const taken = same.find(({ why }) => why.length === 0);
  expect(taken === undefined ? '' : await note(taken)).toMatch(/created +3\n/);
  expect(lineOf(lines, 'any name.csv')).toMatchObject({ job: 'own', result: 'done', rows: 2 });

  const words = (file: string) => lineOf(lines, file).why.join('\n');
  expect(words('stray.csv')).toContain(
    'expected a name such as one of these: **/subclients*, both*, named*, other*',
  );
  expect(words('both.csv')).toContain('more than one kind of load (both and other)');
  expect(words('subclients-broken.csv')).toContain('is not closed');
  expect(words('subclients-columns.csv')).toContain('"nonsense"');
  expect(words('named-short.csv')).toMatch(
    /^the file has no column "details\.name", which the job requires\.\nits header, on line 1, names "externalId"/,
  );
  expect(await note(lineOf(lines, 'named-short.csv'))).toContain(
    'Why: the file has no column "details.name"',
  );
  // The first line of a file without a header is a record: no note quotes it.
  expect(words('subclients-headless.csv')).toContain('not one of the 32 columns');
  expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/Jane|GB33/);
  expect(await note(lineOf(lines, 'stray.csv'))).toContain('nothing of it was sent');

  expect(await list('inbox')).toEqual(['north', 'subclients-late.csv.part']);
  expect(await list('partner')).toEqual(['unmarked.csv']);
  expect(ended.stderr).toContain('unmarked.csv waits for its marker file');
  expect(await list('inbox/.processing')).toEqual([]);
  expect((await list('done')).length).toBe(6);
  expect((await list('failed')).length).toBe(12);
  expect(inbox).toContain(flow.home);
});

test('nothing outside the inbox is read, and nothing hangs, whatever lies in it', async () => {
  const { flow, inbox, drop, begin, list } = await startInboxFlow();
  const secret = await flow.file('secret.csv', rowsOf('SECRET', 2));
  await mkdir(join(flow.home, 'outside'));
  await writeFile(join(flow.home, 'outside', 'subclients-outside.csv'), rowsOf('OUTSIDE', 1));
  await symlink(secret, join(inbox, 'subclients-link.csv'));
  await symlink(join(flow.home, 'nowhere'), join(inbox, 'subclients-dangling.csv'));
  await symlink(join(flow.home, 'outside'), join(inbox, 'folder'));
  await link(secret, join(inbox, 'subclients-hard.csv'));
  execFileSync('mkfifo', [join(inbox, 'subclients-pipe.csv')]);
  await mkdir(join(inbox, 'subclients-folder.csv'));
  await writeFile(join(inbox, 'subclients-\u0007.csv'), rowsOf('BELL', 1));
  await writeFile(join(inbox, 'subclients-..csv'), rowsOf('DOTS', 1));
  await writeFile(Buffer.from(`${inbox}/subclients-\xff.csv`, 'latin1'), rowsOf('BYTES', 1));
  await drop('subclients-good.csv', rowsOf('GOOD', 2));

  const ended = await begin(['start', '--once']).ended;
  const lines = fileLines(ended);
  expect(flow.sandbox.stats().made.subclients, ended.stderr).toBe(2);
  expect(lines.filter(({ result }) => result === 'done').map(({ file }) => file)).toEqual([
    'subclients-good.csv',
  ]);
  expect(lines.filter(({ result }) => result === 'failed')).toHaveLength(9);
  expect(lines.map(({ why }) => why.join()).join('\n')).not.toMatch(/SECRET|OUTSIDE/);
  expect(lineOf(lines, 'subclients-link.csv').why).toEqual([
    'it is a symbolic link, and links are not followed',
  ]);
  expect(lineOf(lines, 'subclients-hard.csv').why[0]).toContain('hard link');
  expect(lineOf(lines, 'subclients-pipe.csv').why[0]).toContain('no regular file');
  expect(await list('inbox')).toEqual([]);
  expect(await list('outside')).toEqual(['subclients-outside.csv']);
  // No name in the folder can move a terminal's cursor.
  expect((await list('failed')).every((name) => /^[\x20-\x7e]+$/.test(name))).toBe(true);
});

test('however a file comes, all of its rows are sent in one run', async () => {
  const { flow, inbox, drop, begin, list } = await startInboxFlow();
  const watcher = begin(['start', '--rest', '0.6']);
  await until(() => watcher.said().includes('Watching'));

  const slow = async () => {
    const handle = await open(join(inbox, 'subclients-slow.csv'), 'w');
    for (const byte of rowsOf('SLOW', 3)) {
      await handle.write(byte);
      await delay(5);
    }
    await handle.close();
  };
  const renamed = async () => {
    const file = await drop('subclients-renamed.csv.part', rowsOf('RENAMED', 5));
    await rename(file, file.replace('.part', ''));
  };
  const copied = async () => {
    const source = await flow.file('source.csv', rowsOf('COPIED', 7));
    await copyFile(source, join(inbox, 'subclients-copied.csv'));
  };
  await Promise.all([slow(), renamed(), copied()]);
  await until(() => flow.sandbox.stats().made.subclients === 15);

  await until(async () => (await list('done')).length === 6);
  watcher.interrupt();
  const ended = await watcher.ended;

  expect(ended.exitCode).toBe(4);
  const lines = fileLines(ended);
  expect(lines.map(({ file, result, rows }) => [file, result, rows]).sort()).toEqual([
    ['subclients-copied.csv', 'done', 7],
    ['subclients-renamed.csv', 'done', 5],
    ['subclients-slow.csv', 'done', 3],
  ]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 15 }, duplicateKeys: 0 });
});

test('a file that is written to while its run reads it pauses the run before anything of the changed part is sent', async () => {
  const { flow, inbox, drop, begin, list, note } = await startInboxFlow(undefined, {
    faults: ['latency=20ms'],
  });
  await drop('subclients-torn.csv', rowsOf('TORN', 12_000));
  const watcher = begin(['start', '--once']);
  await until(() => flow.sandbox.stats().made.subclients > 0);
  const [claim = ''] = await list('inbox/.processing');
  await appendFile(join(inbox, '.processing', claim, 'subclients-torn.csv'), 'TORN-late,Late Ltd\n');
  const ended = await watcher.ended;

  expect(ended.exitCode, ended.stderr).toBe(2);
  expect(fileLines(ended)).toMatchObject([{ result: 'failed', exitCode: 2 }]);
  expect(flow.sandbox.stats().made.subclients).toBeLessThan(12_000);
  expect(await list('inbox/.processing')).toEqual([]);
  const [line] = fileLines(ended);
  expect(line === undefined ? '' : await note(line)).toContain('was changed after it was taken');
});

test('a file that is written to between its claim and its run rests in its inbox once more, with its marker', async () => {
  const { flow, inbox, drop, begin, list } = await startInboxFlow({
    marked: 'operation: subclient.create\nfiles: "*.csv"\nkey: externalId\nmarker: .done\n',
  });
  await drop('a.csv', 'externalId,details.name\n');
  await drop('a.csv.done', '');
  // As a killed watcher leaves it whose file's writer goes on.
  const ledger = shownAddress(parseRedisUrl(flow.redisUrl));
  const info = { job: 'marked', target: flow.sandbox.url, ledger, marker: 'a.csv.done' };
  const { file } = await claimIn(inbox, 'a.csv', info);
  await writeFile(file, rowsOf('A', 2));
  const ended = await begin(['start', '--once']).ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('a.csv: is still written to, and waits in its inbox');
  expect(fileLines(ended)).toMatchObject([{ file: 'a.csv', result: 'done', rows: 2 }]);
  expect([await list('inbox'), await list('inbox/.processing')]).toEqual([[], []]);
});

test('a file that is written to after its rows were read is told at the end of its run', async () => {
  const { flow, inbox, drop, begin, list, note } = await startInboxFlow(
    { slow: 'operation: subclient.create\nfiles: "*.csv"\nkey: externalId\nsend: { concurrency: 1 }\n' },
    { faults: ['latency=1s'] },
  );
  await drop('a.csv', rowsOf('A', 3));
  const watcher = begin(['start', '--once']);
  await until(() => flow.sandbox.stats().made.subclients > 0);
  const [claim = ''] = await list('inbox/.processing');
  await appendFile(join(inbox, '.processing', claim, 'a.csv'), 'A-4,A 4 Ltd\n');
  const ended = await watcher.ended;
  expect(ended.exitCode, ended.stderr).toBe(2);
  const [line] = fileLines(ended);
  expect(line).toMatchObject({ result: 'failed', rows: 3 });
  expect(line === undefined ? '' : await note(line)).toMatch(
    /was changed after it was taken[\s\S]* created +3\n/,
  );
  expect(flow.sandbox.stats().made.subclients).toBe(3);
});
