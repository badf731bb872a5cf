import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import type { NewRun } from '../../../src/engine/ledger/run-record.ts';
import { runProgram } from '../../../src/faces/cli/program.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { seedRun } from '../../support/doubts.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { doubtOf } from '../../support/settled-row.ts';
import { getEntry } from '../../support/stored.ts';
import { MemoryStream, memoryIo, onboard } from './memory-io.ts';

const KEYS = ledgerKeys('sandbox');
const own = useOwnRedis();
let home = '';
beforeEach(async () => {
  home = await ownFolder();
});

async function seed(settlements: readonly Settlement[], over: Partial<NewRun> = {}): Promise<string> {
  const { redis } = own();
  const run = newRun({ rows: settlements.length, ...over });
  await createRunIndex(redis).add(run.id, 'sandbox', new Date());
  await seedRun(redis, KEYS, { run, settlements, closed: true });
  return run.id;
}

const decisionsOf = (run: string) => own().redis.hgetall(KEYS.run(run).resolutions);

const say = (args: readonly string[], env = {}) =>
  onboard(args, { ONBOARD_HOME: home, REDIS_URL: own().url, ...env });
const command = (args: readonly string[], env = {}) => say(['resolve', ...args], env);
const json = async (args: readonly string[]) => {
  const said = await command([...args, '--json']);
  return { ...said, answer: JSON.parse(said.stdout) };
};
const reportFile = (run: string, name: string) => join(home, 'reports', run, name);
/** Beside them a fourth row is created. */
const threeDoubts = () =>
  seed([doubtOf(1), doubtOf(2), doubtOf(3), doubtOf(4, { outcome: 'created', id: 'sub-4' })]);

/** The run's in-doubt.csv, freshly reported. */
async function inDoubtCsv(run: string): Promise<string> {
  await say(['report', run]);
  return readFile(reportFile(run, 'in-doubt.csv'), 'utf8');
}

/** Fills in resolutions by row number, as a person does in a spreadsheet. */
function filled(csv: string, resolutions: Readonly<Record<string, string>>): string {
  return csv
    .split('\n')
    .map((line) => {
      const number = /,([0-9]+),in-doubt,/.exec(line)?.[1] ?? '';
      return resolutions[number] === undefined ? line : `${line}${resolutions[number]}`;
    })
    .join('\n');
}

async function file(name: string, content: string): Promise<string> {
  const path = join(home, name);
  await writeFile(path, content);
  return path;
}

describe('a row by command', () => {
  test('is created: recorded with the user and the time, and the report says so', async () => {
    const run = await threeDoubts();
    const before = new Date().toISOString();
    const said = await command([run, '2', '--created', 'sub-2']);
    expect([said.exitCode, said.stderr]).toEqual([0, '']);
    expect(said.stdout).toMatch(/^ {2}still in doubt +2$/m);
    expect(said.stdout).toContain("What is decided can't be taken back.");
    expect(said.stdout).toContain("The run's exit status is now 5.");
    const [, row] = parse(await readFile(reportFile(run, 'results.csv')), { columns: true });
    expect(row).toMatchObject({ row: '2', outcome: 'created', id: 'sub-2', code: 'resolved', advice: '' });
    const decision = JSON.parse((await decisionsOf(run))['2'] ?? '');
    expect(decision).toMatchObject({ decision: 'created', id: 'sub-2', was: 'timeout' });
    expect(decision.by).toBe(`${userInfo().username}@${hostname()}`);
    expect([before, decision.at, new Date().toISOString()].toSorted()[1]).toBe(decision.at);
  });

  test('is not created: it is failed, and how to send it is said', async () => {
    const run = await seed([doubtOf(1)]);
    const said = await command([run, '1', '--not-created'], { ONBOARD_ACTOR: ' Ann of Operations' });
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toMatch(/^ {2}still in doubt +0$/m);
    expect(said.stdout).toContain("The run's exit status is now 1.");
    expect(said.stdout).toContain(`onboard rerun ${run} --only failed`);
    expect(JSON.parse((await decisionsOf(run))['1'] ?? '')).toMatchObject({ by: 'Ann of Operations' });
    expect(await readFile(reportFile(run, 'failed.csv'), 'utf8')).toContain('not_created');
  });

  test('decided again: unchanged; decided otherwise, or not in doubt: refused with why, exit status 1', async () => {
    const run = await seed([doubtOf(1), doubtOf(2, { outcome: 'created', id: 'sub-2' })]);
    await command([run, '1', '--created', 'x']);
    expect((await json([run, '1', '--created', 'x'])).answer).toMatchObject({ unchanged: 1, exitCode: 0 });
    const otherwise = await json([run, '1', '--not-created']);
    expect(otherwise.exitCode).toBe(1);
    expect(otherwise.answer.refused).toEqual([
      { row: 1, why: expect.stringMatching(/^was resolved as created, id x, by \S+ at 2/) },
    ]);
    const settled = await json([run, '2', '--not-created']);
    expect(settled.answer.refused).toEqual([{ row: 2, why: expect.stringContaining('is not in doubt') }]);
    const nowhere = await json([run, '99', '--not-created']);
    expect(nowhere.answer.refused[0].why).toContain('the run has no such row');
  });

  test.each([
    [['1']],
    [[]],
    [['--created', 'x']],
    [['1', '--created', 'x', '--not-created']],
    [['1', '--lookup']],
    [['--file', 'a', '--lookup']],
  ])('%j is refused with what is expected', async (args) => {
    const said = await command(['some-run', ...args]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toContain('expected one of: ROW --created ID');
  });

  test.each(['', ' ', '..', 'a\nb', 'sub 1', ' sub-1', 'sub-1 ', 'a\u00a0b', '<id>', '<>'])(
    'the id %j is refused',
    async (id) => {
      const said = await command(['some-run', '1', '--created', id]);
      expect(said.exitCode).toBe(3);
      expect(said.stderr).toContain('--created: expected an id');
    },
  );

  test('is given an id that another row of the run has: refused with that row, and nothing is applied', async () => {
    const run = await seed([doubtOf(1), doubtOf(2), doubtOf(3, { outcome: 'created', id: 'sub-3' })]);
    const said = await command([run, '1', '--created', 'sub-3']);
    expect([said.exitCode, said.stdout]).toEqual([3, '']);
    expect(said.stderr).toContain("the id sub-3 can't be that of row 1: row 3 of the run has it");
    expect(await decisionsOf(run)).toEqual({});
    await command([run, '2', '--created', 'sub-2']);
    expect((await command([run, '1', '--created', 'sub-2'])).stderr).toContain('row 2 of the run has it');
    expect((await json([run, '2', '--created', 'sub-2'])).answer.unchanged).toBe(1);
  });
});

describe('an edited report file', () => {
  test('settles what is filled in, leaves what is empty, and changes nothing the second time', async () => {
    const run = await threeDoubts();
    const csv = filled(await inDoubtCsv(run), { 1: 'created:sub-1', 3: 'not-created' });
    const path = await file('edited.csv', csv);
    const first = await json([run, '--file', path]);
    expect(first).toMatchObject({
      exitCode: 0,
      answer: { created: 1, notCreated: 1, unchanged: 0, undecided: 1, refused: [], inDoubt: 1, exitCode: 5 },
    });
    const decisions = await decisionsOf(run);
    const results = await readFile(reportFile(run, 'results.csv'), 'utf8');
    const left = await readFile(reportFile(run, 'in-doubt.csv'), 'utf8');
    expect(parse(left, { columns: true })).toMatchObject([{ onboard_row: '2', onboard_resolution: '' }]);
    const second = await json([run, '--file', path]);
    expect(second.answer).toMatchObject({
      created: 0,
      notCreated: 0,
      unchanged: 2,
      undecided: 1,
      refused: [],
    });
    expect(await decisionsOf(run)).toEqual(decisions);
    expect(await readFile(reportFile(run, 'results.csv'), 'utf8')).toBe(results);
  });

  test('with nothing filled in says so, changes nothing, and its exit status is 1', async () => {
    const run = await threeDoubts();
    const path = await file('untouched.csv', await inDoubtCsv(run));
    const said = await command([run, '--file', path]);
    expect([said.exitCode, await decisionsOf(run)]).toEqual([1, {}]);
    expect(said.stdout).toContain('No resolution is filled in: expected created:<id> or not-created');
    expect(await json([run, '--file', path])).toMatchObject({
      exitCode: 1,
      answer: { created: 0, undecided: 3 },
    });
  });

  test('is understood as people write it, and an id stays as it is', async () => {
    const run = await threeDoubts();
    const written = { 1: 'CREATED:Sub-1', 2: 'Not created', 3: 'created : sub-3' };
    const said = await json([run, '--file', await file('typed.csv', filled(await inDoubtCsv(run), written))]);
    expect(said.answer).toMatchObject({ created: 2, notCreated: 1, refused: [], inDoubt: 0 });
    const decisions = Object.values(await decisionsOf(run)).map((one) => JSON.parse(one).id);
    expect(decisions.sort()).toEqual(['', 'Sub-1', 'sub-3']);
  });

  test('saved again by a spreadsheet, with another delimiter, line ends and quotes, is read as well', async () => {
    const run = await threeDoubts();
    const records: string[][] = parse(filled(await inDoubtCsv(run), { 2: 'created:sub;2' }));
    const saved = records.map((cells) => cells.map((cell) => `"${cell}"`).join(';')).join('\r\n');
    const said = await json([run, '--file', await file('excel.csv', `\uFEFF${saved}\r\n`)]);
    expect(said.answer).toMatchObject({ created: 1, undecided: 2 });
    expect((await json([run, '2', '--created', 'sub;2'])).answer.unchanged).toBe(1);
  });

  test('saved again without the zeros of its keys is read as well, but for a job that tells such keys apart', async () => {
    const answers = [];
    for (const keyForm of ['loose', 'exact']) {
      const definition = jobDefinitionSchema.parse({
        operation: 'subclient.create',
        key: 'externalId',
        keyForm,
      });
      const run = await seed([doubtOf(1, { key: '00017' })], { definition });
      const saved = filled(await inDoubtCsv(run), { 1: 'created:a' }).replace(/^00017/m, '17');
      answers.push((await command([run, '--file', await file('zeros.csv', saved)])).exitCode);
    }
    expect(answers).toEqual([0, 3]);
  });

  test.each<[string, (csv: string) => string, ...problems: string[]]>([
    [
      'decisions that are none',
      (csv) => filled(csv, { 1: 'created:sub-1', 2: 'creatd:sub-2', 3: 'created: ' }),
      'line 3: onboard_resolution is "creatd:sub-2": expected created:<id>, not-created',
      'line 4: onboard_resolution is "created:": expected an id, got none',
      'Nothing was resolved.',
    ],
    [
      'a row of another run',
      (csv) => csv.replace(/\d{8}-\d{6}-\w{4}/, 'run-other'),
      'onboard_run is "run-other"',
    ],
    [
      'one row decided in two ways',
      (csv) => `${filled(csv, { 1: 'not-created' })}${csv.split('\n')[1]}created:a\n`,
      'line 5: row 1 is decided otherwise at ',
    ],
    ['no columns of a report', () => 'externalId\nK1\n', 'no column onboard_run, onboard_row, onboard_res'],
    [
      'one id for two rows',
      (csv) => filled(csv, { 1: 'created:sub-1', 2: 'created:sub-1', 3: 'not-created' }),
      'line 3: the id sub-1 is given to row 2, and to row 1 before',
    ],
    [
      'the id of another row',
      (csv) => filled(csv, { 1: 'created:sub-1', 2: 'created:sub-4' }),
      "line 3: the id sub-4 can't be that of row 2: row 4 of the run has it",
    ],
    [
      'keys that stand beside other rows, as it was sorted by half',
      (csv) =>
        filled(csv, { 1: 'created:a' }).replace('K1,', 'KX,').replace('K2,', 'K1,').replace('KX', 'K2'),
      'line 2: row 1 has the key "K2" here, but "K1" in the run',
      'line 3: row 2 has the key "K1" here, but "K2" in the run',
    ],
    ['no key column', (csv) => csv.replace('externalId', 'other'), 'expected one column "externalId"'],
  ])('with %s is refused whole', async (_, edit, ...problems) => {
    const run = await threeDoubts();
    const said = await command([run, '--file', await file('edited.csv', edit(await inDoubtCsv(run)))]);
    expect([said.exitCode, said.stdout, await decisionsOf(run)]).toEqual([3, '', {}]);
    for (const problem of problems) expect(said.stderr).toContain(problem);
  });

  test('in another order of its lines, with one of them twice, or of a job without a key, is read as well', async () => {
    const run = await threeDoubts();
    const csv = filled(await inDoubtCsv(run), { 1: 'created:a', 2: 'created:b', 3: 'not-created' });
    const [header = '', ...lines] = csv.trim().split('\n');
    const whole = await file('whole.csv', [header, ...lines.reverse(), lines[0]].join('\n'));
    expect((await json([run, '--file', whole])).answer).toMatchObject({ created: 2, notCreated: 1 });
    const definition = jobDefinitionSchema.parse({ operation: 'subclient.create' });
    const keyless = await seed([doubtOf(1, { key: '' })], { definition });
    const path = await file('keyless.csv', filled(await inDoubtCsv(keyless), { 1: 'created:a' }));
    expect((await json([keyless, '--file', path])).answer).toMatchObject({ created: 1 });
  });

  test('in the report’s own folder stays as it is where a line is refused', async () => {
    const run = await threeDoubts();
    const edited = filled(await inDoubtCsv(run), { 1: 'created:a', 2: 'created:b' });
    await command([run, '1', '--created', 'other']);
    const path = reportFile(run, 'in-doubt.csv');
    await writeFile(path, edited);
    const said = await command([run, '--file', path]);
    expect(said.exitCode).toBe(1);
    expect(said.stdout).toContain('row 1 was resolved as created, id other');
    expect(said.stdout).toContain('in-doubt.csv was changed since it was written, so it is left as it is');
    expect(await readFile(path, 'utf8')).toBe(edited);
    expect(await readFile(reportFile(run, 'results.csv'), 'utf8')).toContain(',created,,b,');
  });

  test('half filled in in the report’s folder is not lost to a row by command', async () => {
    const run = await threeDoubts();
    const edited = filled(await inDoubtCsv(run), { 1: 'created:a' });
    const path = reportFile(run, 'in-doubt.csv');
    await writeFile(path, edited);
    expect((await json([run, '3', '--not-created'])).answer.kept).toBe('in-doubt.csv');
    expect(await readFile(path, 'utf8')).toBe(edited);
    expect((await json([run, '--file', path])).answer).toMatchObject({
      created: 1,
      undecided: 2,
      kept: null,
    });
    expect(parse(await readFile(path), { columns: true })).toMatchObject([{ onboard_row: '2' }]);
  });

  test('of JSON input is read as well', async () => {
    const plain = newRun({ rows: 2 });
    const source = { ...plain.facts.source, type: 'ndjson' as const, delimiter: null, quote: null };
    const run = await seed([doubtOf(1), doubtOf(2)], { facts: { ...plain.facts, source } });
    const line = (row: number, resolution: string) =>
      JSON.stringify({ externalId: `K${row}`, _onboard: { run, row, outcome: 'in-doubt', resolution } });
    await mkdir(join(home, 'json'), { recursive: true });
    const bad = await file('json/bad.ndjson', `${line(1, 'yes')}\n{"externalId":"K2"}\n`);
    expect((await command([run, '--file', bad])).stderr).toMatch(
      /line 1: .*"yes".*\n.*line 2: expected _onboard/,
    );
    const swapped = await file('json/swapped.ndjson', line(1, 'created:a').replace('K1', 'K2'));
    const refused = await command([run, '--file', swapped]);
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('line 1: row 1 has the key "K2" here, but "K1" in the run'),
    });
    const good = await file('json/good.ndjson', `${line(1, 'created:sub-1')}\n${line(2, '')}\n`);
    const read = await command([run, '--file', good]);
    expect([read.exitCode, read.stderr]).toEqual([0, '']);
    expect(Object.keys(await decisionsOf(run))).toEqual(['1']);
  });
});

const definition = jobDefinitionSchema.parse({
  operation: 'counterparty.draft',
  key: 'externalId',
  group: 'accounts',
});
/** Rows 1 to 3 were one request, row 4 another. */
const grouped = () =>
  seed([doubtOf(1, { key: 'A' }), doubtOf(2, { key: 'A' }), doubtOf(3, { key: 'A' }), doubtOf(4)], {
    definition,
  });

test('rows of one key, where the job groups them, are settled together by a command for one of them, and their key is known', async () => {
  const run = await grouped();
  const said = await command([run, '2', '--created', 'cp-1']);
  expect([said.exitCode, said.stderr]).toEqual([0, '']);
  expect(said.stdout).toContain('2 rows of these were not named');
  expect(said.stdout).toMatch(/^ {2}drafted +3\n {2}not created +0$/m);
  expect(Object.keys(await decisionsOf(run)).sort()).toEqual(['1', '2', '3']);
  const rows: Record<string, string>[] = parse(await readFile(reportFile(run, 'results.csv')), {
    columns: true,
  });
  expect(rows.map(({ outcome, id }) => [outcome, id])).toEqual([
    ...Array(3).fill(['drafted', 'cp-1']),
    ['in-doubt', ''],
  ]);
  expect(await getEntry(own().redis, KEYS, 'A', { space: 'counterparty' })).toBe(`k ${run} 1 cp-1`);
  expect((await json([run, '3', '--created', 'cp-1'])).answer).toMatchObject({ unchanged: 1, mates: 0 });
});

test('a look-up of a run of the stand-in, or by a job without one, is refused with why', async () => {
  const run = await threeDoubts();
  const without = await command([run, '--lookup']);
  expect([without.exitCode, without.stderr]).toEqual([3, expect.stringContaining('has no look-up')]);
  const lookup = { path: '/x/{key}', match: '', id: '/id' };
  const settings = { operation: 'subclient.create', key: 'externalId', lookup };
  const looked = await seed([doubtOf(1)], { definition: jobDefinitionSchema.parse(settings) });
  const sandbox = await command([looked, '--lookup']);
  expect([sandbox.exitCode, sandbox.stderr]).toEqual([3, expect.stringContaining('stand-in')]);
});

describe('more rows than ten', () => {
  const twelve = () => seed(Array.from({ length: 12 }, (_, i) => doubtOf(i + 1)));
  const decided = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [i + 1, i === 0 ? 'created:sub-1' : 'not-created']),
  );

  async function asked(args: readonly string[], answer: string) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const io = { ...memoryIo({ env: { ONBOARD_HOME: home, REDIS_URL: own().url } }), stdin };
    const stderr = new MemoryStream(true);
    stdin.write(`${answer}\n`);
    const exitCode = await runProgram(args, { ...io, stderr });
    return { exitCode, stderr: stderr.text.replaceAll(/\s+/g, ' ') };
  }

  test('are asked about at a terminal, with their counts, and a no settles none of them', async () => {
    const run = await twelve();
    const path = join(home, 'filled.csv');
    await writeFile(path, filled(await inDoubtCsv(run), decided));
    const no = await asked(['resolve', run, '--file', path], 'n');
    expect(no.exitCode).toBe(3);
    expect(no.stderr).toContain(
      '1 row will be settled as created, 11 rows as not created, which may be sent again: those that the service has would be made twice.',
    );
    expect(no.stderr).toContain('Nothing was recorded. To do it without this question: --yes');
    expect(await decisionsOf(run)).toEqual({});
    expect((await asked(['resolve', run, '--file', path], 'y')).exitCode).toBe(0);
    expect(Object.keys(await decisionsOf(run))).toHaveLength(12);
    const off = ['write-off', run, '--only', 'failed', '--reason', 'test'];
    const kept = await asked(off, 'n');
    expect([kept.exitCode, kept.stderr]).toEqual([
      3,
      expect.stringContaining('11 rows shall never be loaded'),
    ]);
  });

  test('and --yes, or no terminal, asks nobody', async () => {
    const [first, second] = [await twelve(), await twelve()];
    for (const run of [first, second]) {
      const path = join(home, `${run}.csv`);
      await writeFile(path, filled(await inDoubtCsv(run), decided));
      const args = ['resolve', run, '--file', path];
      const { exitCode } = run === first ? await asked([...args, '--yes'], 'n') : await say(args);
      expect([exitCode, Object.keys(await decisionsOf(run)).length]).toEqual([0, 12]);
    }
  });
});

test('a command without its run shows its help, and names the one run that it could be', async () => {
  await own().redis.flushall();
  const doubtful = await threeDoubts();
  const { exitCode, stderr } = await say(['resolve']);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/missing required argument 'run'[\s\S]*Usage: onboard resolve[\s\S]*Examples:/);
  expect(stderr).toContain(`There is one run that it could be: onboard resolve ${doubtful}\n`);
  await threeDoubts();
  expect((await say(['resolve'])).stderr).not.toContain('There is one run');
});
