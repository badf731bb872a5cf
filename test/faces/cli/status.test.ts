import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { runProgram } from '../../../src/faces/cli/program.ts';
import { newWorkerId } from '../../../src/lib/worker-id.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { summarySchema } from '../../../src/runs/report/summary.ts';
import { seedRun } from '../../support/doubts.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { doubtOf } from '../../support/settled-row.ts';
import { setLease } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { MemoryStream, memoryIo, onboard } from './memory-io.ts';

const KEYS = ledgerKeys('sandbox');
const own = useOwnRedis();

let seeded = 0;

/** A run of these rows, newer than all before; `closed`: it is over. */
async function seed(id: string, settlements: readonly Settlement[], closed = true): Promise<string> {
  const { redis } = own();
  const run = newRun({ id, rows: settlements.length });
  seeded += 1;
  await createRunIndex(redis).add(id, 'sandbox', new Date(Date.UTC(2026, 10, 21, 0, 0, seeded)));
  await seedRun(redis, KEYS, { run, settlements, closed });
  return id;
}

const home = async () => ({ ONBOARD_HOME: await ownFolder(), REDIS_URL: own().url });

const created = (row: number) => doubtOf(row, { outcome: 'created', id: `s${row}` });

describe('a run', () => {
  test('is named by its id, by an ending that no other has, or as the latest', async () => {
    await own().redis.flushall();
    const env = await home();
    const none = await onboard(['status', 'latest'], env);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('redis.sock yet.')]);
    await seed('20261121-034512-k3f9', [created(1)]);
    await seed('20261121-034513-m3f9', [created(1)]);
    for (const name of ['20261121-034512-k3f9', 'k3f9', '034512-k3f9'])
      expect((await onboard(['status', name], env)).stdout).toContain('Run 20261121-034512-k3f9:');
    expect((await onboard(['status', 'latest'], env)).stdout).toContain('Run 20261121-034513-m3f9:');
    const two = await onboard(['status', '3f9'], env);
    expect([two.exitCode, two.stderr]).toEqual([
      3,
      expect.stringContaining('"3f9" is the ending of 2 runs: 20261121-034513-m3f9, 20261121-034512-k3f9.'),
    ]);
    expect((await onboard(['status', 'x3f9'], env)).stderr).toContain('There is no run "x3f9"');
  });

  test('is shown with how far it is, its rate and its duration, for people and as JSON', async () => {
    const env = await home();
    const id = await seed('20261121-034514-aaaa', [created(1), created(2), created(3)]);
    const { stdout } = await onboard(['status', id], env);
    expect(stdout).toMatch(/^ {2}rate {4}[\d.]+ rows\/s\n {2}done {4}100%$/m);
    expect(stdout).toMatch(/^ {2}took {4}\d/m);
    const json = JSON.parse((await onboard(['status', id, '--json'], env)).stdout);
    expect(json).toMatchObject({ run: id, percent: 100, secondsLeft: null, seconds: expect.any(Number) });
  });

  test('says what to do about it: the rows in doubt, its report, the command that goes on; or nothing', async () => {
    const env = await home();
    const next = async (id: string) =>
      /\nNext:\n(.*)$/s.exec((await onboard(['status', id], env)).stdout)?.[1];
    const doubtful = await seed('20261121-034515-bbbb', [created(1), doubtOf(2)]);
    expect(await next(doubtful)).toBe(`  for its report:\n    onboard report ${doubtful}\n`);
    await onboard(['report', doubtful], env);
    expect(await next(doubtful)).toContain(`onboard resolve ${doubtful} --file `);
    const open = await seed('20261121-034515-cccc', [created(1)], false);
    expect(await next(open)).toBe(`  to go on:\n    onboard resume ${open}\n`);
    const well = await seed('20261121-034515-dddd', [created(1)]);
    await onboard(['report', well], env);
    expect(await next(well)).toBeUndefined();
  });

  test.each([
    ['that has ended', 'gggg', true],
    ['that is under way', 'hhhh', false],
  ])('%s has one form in summary.json, runs and status', async (_is, ending, closed) => {
    await own().redis.flushall();
    const env = await home();
    const id = await seed(`20261121-034520-${ending}`, [created(1), doubtOf(2)], closed);
    await onboard(['report', id], env);
    const whole = JSON.parse(await readFile(join(env.ONBOARD_HOME, 'reports', id, 'summary.json'), 'utf8'));
    const { account: _, ...summary } = whole;
    expect(summarySchema.keyof().options.toSorted()).toEqual(Object.keys(whole).toSorted());
    // What only a whole report tells is not known of a run that goes on.
    const unknown = closed ? {} : { topErrors: [], causes: [], audit: null, files: [], written: [] };
    const listed = JSON.parse((await onboard(['runs', '--json'], env)).stdout);
    const {
      service,
      waitsFor: waits,
      ...shown
    } = JSON.parse((await onboard(['status', id, '--json'], env)).stdout);
    const overview = JSON.parse((await onboard(['status', '--json'], env)).stdout);
    const { inDoubt, toCorrect, notSent, differing, sharing, ...needy } = overview.needs.runs[0];
    const account = { delivery: id, rows: 2, atService: 1, open: 1, inDoubt: 1, holds: true };
    expect(shown.account).toMatchObject(account);
    expect(needy.account).toEqual(closed ? shown.account : null);
    expect([service.state, inDoubt, toCorrect, notSent, differing, sharing]).toEqual(['well', 1, 0, 0, 0, 0]);
    expect(waits).toBe(closed ? null : 'the rest of its file to be read');
    for (const told of [listed, shown, needy, ...overview.runs]) {
      expect(Object.keys(told)).toEqual(Object.keys(listed));
      expect(told).toMatchObject({
        ...summary,
        ...unknown,
        writtenAt: expect.any(String),
        rowsPerSecond: expect.any(Number),
      });
      expect([told.run, told.owner]).toEqual([id, closed ? 'none' : 'gone']);
    }
  });
});

test('the overview begins with what needs attention, each with its command', async () => {
  await own().redis.flushall();
  const env = await home();
  expect((await onboard(['status'], env)).stdout).toMatch(
    /^Nothing needs attention: no run is under way, no file waits \(sandbox, ledger .+\)\.\n$/,
  );
  const doubtful = await seed('20261121-034516-cccc', [created(1), doubtOf(2)]);
  const open = await seed('20261121-034517-dddd', [created(1)], false);
  await onboard(['report', doubtful], env);
  const { stdout } = await onboard(['status'], env);
  const lines = stdout.slice(0, stdout.indexOf('\n\n')).split('\n');
  expect(lines[0]).toBe('Needs attention:');
  expect(lines[1]).toContain(`Run ${open} (`);
  expect(lines.join('\n')).toContain(`onboard resume ${open}`);
  expect(lines.join('\n')).toContain(`Run ${doubtful} (`);
  expect(lines.join('\n')).toContain(`onboard resolve ${doubtful} --file `);
  // Rehearsals, marked as such, which are left out where the service is looked at.
  expect(lines[1]).toContain('(SANDBOX ');
  const real = await onboard(['status'], { ...env, MSB_BASE_URL: 'https://api.example.com' });
  expect(real.stdout).toMatch(/^Nothing needs attention\.\n/);
  const asked = await onboard(['status', '--sandbox'], { ...env, MSB_BASE_URL: 'https://api.example.com' });
  expect(asked.stdout).toContain(`Run ${doubtful} (SANDBOX `);
  const { needs } = JSON.parse((await onboard(['status', '--json'], env)).stdout);
  expect(needs.runs).toMatchObject([
    { run: open, inDoubt: 0, command: `onboard resume ${open}` },
    { run: doubtful, inDoubt: 1, toCorrect: 0, command: null },
  ]);
});

test('a run whose process was killed on this machine is not running, though its lease lasts for a while', async () => {
  const env = await home();
  const id = await seed('20261121-034521-kkkk', [created(1)], false);
  // Another process has its pid by now.
  const killed = newWorkerId().split('.').with(4, '1').join('.');
  const { lease } = KEYS.run(id);
  const stateFor = async (holder: string) => {
    await setLease(own().redis, lease, holder);
    const { stdout } = await onboard(['status', id], env);
    return /^Run \S+: (.*)$/m.exec(stdout)?.[1];
  };
  expect(await stateFor(newWorkerId())).toBe('running');
  expect(await stateFor(killed)).toBe('running, owner gone');
  const { stdout } = await onboard(['status'], env);
  expect(stdout).toMatch(/^Needs attention:\n/);
  expect(stdout).toContain(`onboard resume ${id}`);
});

test('on a terminal the runs are a table with headings that fits the window, and below it what goes on with them', async () => {
  await own().redis.flushall();
  const env = await home();
  await seed('20261121-034518-eeee', [created(1), doubtOf(2)]);
  const open = await seed('20261121-034519-ffff', [created(1)], false);
  const io = { ...memoryIo({ env }), stdout: Object.assign(new MemoryStream(true), { columns: 80 }) };
  expect(await runProgram(['runs'], io)).toBe(0);
  const lines = io.stdout.text.trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^run +state +rows +no success(?: |$)/);
  expect(lines[2]).toMatch(/^20261121-034518-eeee +SANDBOX finished +2 +1 in-doubt/);
  expect(lines.slice(-2)).toEqual(['To go on:', `  onboard resume ${open}`]);
});

test.each(['one run', 'all runs'])(
  'whoever watches %s at a terminal sees the bar of what is under way',
  async (what) => {
    const env = await home();
    const id = await seed(`20261121-0345${what === 'one run' ? '30' : '31'}-barr`, [created(1)], false);
    const stop = new AbortController();
    const stdout = new MemoryStream(true);
    const io = { ...memoryIo({ env, interrupted: stop.signal }), stdout };
    const args = what === 'one run' ? ['status', id, '--watch'] : ['status', '--sandbox', '--watch'];
    const watching = runProgram(args, io);
    await until(() => /[█░]{10} *\d+% {2}\d\/1/.test(stdout.text));
    stop.abort();
    await watching;
    expect((await onboard(args.slice(0, -1), env)).stdout).not.toMatch(/[█░]/);
  },
);
