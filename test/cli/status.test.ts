import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { ledgerKeys } from '../../src/ledger/keys.ts';
import { createRunIndex } from '../../src/ledger/run-index.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { doubtOf, seedRun } from '../support/doubts.ts';
import { ownFolder } from '../support/folder.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { onboard } from './memory-io.ts';

const KEYS = ledgerKeys('sandbox');
const own = useOwnRedis();

let seeded = 0;

/** A run of these rows, newer than all before; `closed`: it is over. */
async function seed(id: string, settlements: readonly Settlement[], closed = true): Promise<string> {
  const { redis } = own();
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId' });
  const run = newRun({ id, rows: settlements.length, definition });
  seeded += 1;
  await createRunIndex(redis).add(id, 'sandbox', new Date(Date.UTC(2026, 10, 21, 0, 0, seeded)));
  await seedRun(redis, KEYS, { run, settlements, closed });
  return id;
}

async function env() {
  const { address } = own();
  if (address.kind !== 'socket') throw new Error('expected a socket');
  return { ONBOARD_HOME: await ownFolder(), REDIS_URL: `unix://${encodeURI(address.path)}` };
}

const created = (row: number) => doubtOf(row, { outcome: 'created', id: `s${row}` });

describe('a run', () => {
  test('is named by its id, by an ending that no other has, or as the latest', async () => {
    await own().redis.flushall();
    const home = await env();
    const none = await onboard(['status', 'latest'], home);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('redis.sock yet.')]);
    await seed('20261121-034512-k3f9', [created(1)]);
    await seed('20261121-034513-m3f9', [created(1)]);
    for (const name of ['20261121-034512-k3f9', 'k3f9', '034512-k3f9'])
      expect((await onboard(['status', name], home)).stdout).toContain('run       20261121-034512-k3f9:');
    expect((await onboard(['status', 'latest'], home)).stdout).toContain('run       20261121-034513-m3f9:');
    const two = await onboard(['status', '3f9'], home);
    expect([two.exitCode, two.stderr]).toEqual([
      3,
      expect.stringContaining('"3f9" is the ending of 2 runs: 20261121-034513-m3f9, 20261121-034512-k3f9.'),
    ]);
    expect((await onboard(['status', 'x3f9'], home)).stderr).toContain('There is no run "x3f9"');
  });

  test('is shown with how far it is, its rate and its duration, for people and as JSON', async () => {
    const home = await env();
    const id = await seed('20261121-034514-aaaa', [created(1), created(2), created(3)]);
    const { stdout } = await onboard(['status', id], home);
    expect(stdout).toMatch(/^progress {2}100%, [\d.]+ rows\/s$/m);
    expect(stdout).toMatch(/^duration {2}\d/m);
    const json = JSON.parse((await onboard(['status', id, '--json'], home)).stdout);
    expect(json).toMatchObject({ run: id, percent: 100, secondsLeft: null, seconds: expect.any(Number) });
  });

  test('that has ended is watched no longer', async () => {
    const id = await seed('20261121-034515-bbbb', [created(1)]);
    expect(await onboard(['status', id, '--watch'], await env())).toMatchObject({ exitCode: 0 });
  });
});

test('the overview begins with what needs somebody, each with its command', async () => {
  await own().redis.flushall();
  const home = await env();
  expect((await onboard(['status'], home)).stdout).toMatch(/^Nothing needs somebody\.\n/);
  const doubtful = await seed('20261121-034516-cccc', [created(1), doubtOf(2)]);
  const open = await seed('20261121-034517-dddd', [created(1)], false);
  await onboard(['report', doubtful], home);
  const { stdout } = await onboard(['status'], home);
  const lines = stdout.slice(0, stdout.indexOf('\n\n')).split('\n');
  expect(lines[0]).toBe('What needs somebody:');
  expect(lines[1]).toContain(`Run ${open} (`);
  expect(lines.join('\n')).toContain(`onboard resume ${open}`);
  expect(lines.join('\n')).toContain(`Run ${doubtful} (`);
  expect(lines.join('\n')).toContain(`onboard resolve ${doubtful} --file `);
  const { needs } = JSON.parse((await onboard(['status', '--json'], home)).stdout);
  expect(needs.runs).toMatchObject([
    { run: open, inDoubt: 0, command: `onboard resume ${open}` },
    { run: doubtful, inDoubt: 1, toCorrect: 0, command: null },
  ]);
});
