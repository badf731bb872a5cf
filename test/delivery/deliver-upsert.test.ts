import { expect, test } from 'vitest';
import { createChunkLedger } from '../../src/engine/ledger/chunk-ledger.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import { claimOf } from '../support/ledger.ts';
import { sampleMapping } from '../support/mapping.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { knownRun } from '../support/session.ts';
import { created, deliverOn, settlementsOf, startBench } from './row-bench.ts';
import { CLAIMS, sampleDefinition } from './sample-task.ts';

const own = useOwnRedis();

/** Key, name, town. */
const MAPPING = sampleMapping({
  hasKey: true,
  keyOf: (row) => (row.kind === 'cells' ? (row.cells[0] ?? null) : null),
  map(row) {
    const [, name = '', town = ''] = row.kind === 'cells' ? row.cells : [];
    const body = { details: { name }, addresses: { primary: { town } } };
    return { kind: 'mapped', body, pathId: null, warnings: [], references: [] };
  },
});

/** A record that is delivered again and again, a run each time, to one service. */
async function startRecord() {
  const bench = await startBench(own().redis, {
    operation: 'subclient.upsert',
    over: { mapping: MAPPING },
    attempt: () => created('sub-1'),
  });
  const { epoch, keys, journal, store, attempts } = bench;
  /** Sends the record as a run of its own; answers what was sent and what became of it. */
  return async (name: string, town: string) => {
    const registered = newRun({ rows: 1, definition: sampleDefinition('subclient.upsert') });
    await store.register(registered);
    await store.transition(registered.id, 'running', null);
    const run = await knownRun(store, registered.id);
    const ledger = createChunkLedger({
      verified: epoch,
      keys,
      journal,
      run,
      seal: CLEAR,
      probeMs: 5000,
      now: () => new Date(),
    });
    const context = { ...bench.context, run, ledger };
    const [claim = CLAIMS.claimed] = await claimOf(bench, run.id, [[1, 'K1']]);
    const before = attempts.length;
    const row = { kind: 'cells' as const, row: 1, line: 2, cells: ['K1', name, town] };
    const job = { run: run.id, chunk: 1, rows: [{ row, claim }] };
    expect(await deliverOn(bench, job, { context, fencingToken: `me.${run.id}` })).toBe('closed');
    const sent = attempts.slice(before).map(({ request }) => [request.call, JSON.parse(request.body ?? '')]);
    const [settled] = await settlementsOf({ ...bench, context });
    return { sent, outcome: settled?.outcome, code: settled?.code };
  };
}

const whole = (name: string, town: string) => ({ details: { name }, addresses: { primary: { town } } });
const moved = (town: string) => ['subclient.update', { addresses: { primary: { town } } }];

test('a record is created whole, then only what changed is sent, and what did not change is skipped', async () => {
  const deliver = await startRecord();
  expect(await deliver('Acme', 'Leeds')).toMatchObject({
    sent: [['subclient.create', whole('Acme', 'Leeds')]],
    outcome: 'created',
  });
  expect(await deliver('Acme', 'Leeds')).toEqual({ sent: [], outcome: 'skipped', code: 'unchanged' });
  expect(await deliver('Acme', 'York')).toMatchObject({ sent: [moved('York')], outcome: 'updated' });
  expect(await deliver('Acme', 'York')).toMatchObject({ sent: [], outcome: 'skipped' });
  expect(await deliver('Acme', 'Leeds')).toMatchObject({ sent: [moved('Leeds')] });
});
