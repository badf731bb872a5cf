import { expect, onTestFinished, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { createRunInput } from '../../src/engine/ledger/reruns.ts';
import { chunksOf } from '../../src/model/run.ts';
import { freezeRows, rerunOutcomes } from '../../src/runs/rerun.ts';
import { seedRun } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { openTestSession } from '../support/session.ts';
import { doubtOf } from '../support/settled-row.ts';
import { setOfRun } from '../support/stored.ts';

test.each([
  [[], ['rejected', 'failed', 'denied', 'invalid', 'cancelled']],
  [['failed'], ['failed']],
  [
    ['failed, rejected', 'cancelled'],
    ['rejected', 'failed', 'cancelled'],
  ],
] as const)('--only %j takes %j', (only, outcomes) => {
  expect([...rerunOutcomes(only)]).toEqual(outcomes);
});

test.each([
  ['faild', 'Did you mean "failed"?'],
  ['created', 'expected some of rejected, failed, denied, invalid, cancelled'],
  ['in-doubt', '`onboard resolve` settles them first'],
  ['', 'expected some of'],
])('--only "%s" is refused', (name, hint) => {
  expect(() => rerunOutcomes([`failed,${name}`])).toThrow(hint);
});

const own = useOwnRedis();

/** 250 rows in groups of nine. */
const groupOf = (row: number) => Math.floor((row - 1) / 9);

/** Freezes the rows that failed of a run of which every fifth group succeeded: 196 are left. */
async function freeze({ group, keyOf }: { readonly group?: string; keyOf(row: number): string }) {
  const { ledger, service } = await openTestSession(own(), onTestFinished);
  const { redis } = ledger;
  const { keys } = ledger.of(service.target);
  const settlements = Array.from({ length: 250 }, (_, i) =>
    doubtOf(i + 1, { key: keyOf(i + 1), outcome: groupOf(i + 1) % 5 === 0 ? 'created' : 'failed' }),
  );
  const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', key: 'externalId', group });
  const facts = newRun({ rows: 250 }).facts;
  const source = { ...facts.source, columns: ['externalId', 'accounts.0.iban'] };
  const parent = await seedRun(redis, keys, {
    run: newRun({ definition, target: service.target, facts: { ...facts, source } }),
    settlements,
    closed: true,
  });
  const sources = settlements.map(({ row, key }) => [
    row,
    { kind: 'cells', row, line: row + 1, cells: [key, 'x'] },
  ]);
  await setOfRun(redis, keys.run(parent.id), 'sources', Object.fromEntries(sources));
  const wanted = {
    parent,
    job: { name: 'j', definition },
    outcomes: new Set(['failed'] as const),
    rows: null,
  };
  const frozen = await freezeRows('rerun-1', { ...wanted, seenTo: new Set() }, ledger);
  const input = createRunInput(redis, keys, 'rerun-1');
  const run = { rows: frozen.rows.length, chunkRows: 100, chunkEnds: frozen.chunkEnds };
  const sizes: number[] = [];
  for await (const { rows } of input.read(run)) sizes.push(rows.length);
  return { frozen, sizes, chunks: chunksOf(run), isWhole: await input.isWhole(run) };
}

test('rows of a job that groups them are frozen in chunks that end where a group does', async () => {
  const { frozen, sizes, isWhole } = await freeze({
    group: 'accounts',
    keyOf: (row) => `K${groupOf(row)}`,
  });
  expect(frozen.chunkEnds).toEqual([108, 196]);
  expect([sizes, isWhole]).toEqual([[108, 88], true]);
});

test('other rows are frozen in chunks of one size', async () => {
  const { frozen, sizes, chunks } = await freeze({ keyOf: (row) => `K${row}` });
  expect(frozen.chunkEnds).toBeNull();
  expect([sizes, chunks]).toEqual([[100, 96], 2]);
});
