import { describe, expect, test } from 'vitest';
import { createChunkLedger } from '../../src/ledger/chunk-ledger.ts';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import type { KeyClaim } from '../../src/model/identity.ts';
import { sampleMapping } from '../support/mapping.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { knownRun } from '../support/session.ts';
import {
  type Attempt,
  type Bench,
  created,
  deliverOn,
  LOST,
  settlementsOf,
  startBench,
} from './row-bench.ts';
import { sampleDefinition } from './sample-task.ts';

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
  let attempt: Attempt = () => created('sub-1');
  const bench = await startBench(own().redis, {
    operation: 'subclient.upsert',
    over: { mapping: MAPPING },
    attempt: (...request) => attempt(...request),
  });
  let latest: Bench['context'] = bench.context;
  const nextRun = async () => {
    const definition = sampleDefinition('subclient.upsert');
    const { id } = await bench.store.register(newRun({ rows: 1, definition }));
    await bench.store.transition(id, 'running', null);
    return knownRun(bench.store, id);
  };
  return {
    bench,
    answersWith(next: Attempt) {
      attempt = next;
    },
    /** Sends the record as a run of its own; answers what was sent and what became of it. */
    async deliver(name: string, town: string, prepare?: (bench: Bench, run: string) => Promise<void>) {
      const run = await nextRun();
      await prepare?.(bench, run.id);
      const { epoch, keys, journal } = bench;
      const ledger = createChunkLedger({ epoch, keys, journal, run, probeMs: 5000, now: () => new Date() });
      latest = { ...bench.context, run, ledger };
      const { claims } = await claimKeys(epoch, keys, {
        run: run.id,
        space: { name: 'subclient', ofRun: false },
        rows: [{ row: 1, key: 'K1' }],
      });
      const [claim = { kind: 'claimed' } satisfies KeyClaim] = claims;
      const before = bench.attempts.length;
      const row = { kind: 'cells' as const, row: 1, line: 2, cells: ['K1', name, town] };
      const job = { run: run.id, chunk: 1, rows: [{ row, claim }] };
      for (let take = 1; take <= 2; take += 1) {
        const taker = `me.${run.id}.${take}`;
        if ((await deliverOn(bench, job, { context: latest, taker })) === 'closed') break;
      }
      const sent = bench.attempts
        .slice(before)
        .map(({ request }) => [request.call, JSON.parse(request.body ?? '')]);
      const [settled] = await settlementsOf({ ...bench, context: latest });
      if (settled === undefined) throw new Error('the row has no outcome');
      return { sent, outcome: settled.outcome, code: settled.code };
    },
  };
}

const whole = (name: string, town: string) => ({ details: { name }, addresses: { primary: { town } } });

const UPDATED_WHOLE = ['subclient.update', whole('Acme', 'Leeds')];
const moved = (town: string) => ['subclient.update', { addresses: { primary: { town } } }];

describe('a record that is delivered again', () => {
  test('is created whole, then only what changed is sent, and what did not change is skipped', async () => {
    const { deliver } = await startRecord();
    expect(await deliver('Acme', 'Leeds')).toMatchObject({
      sent: [['subclient.create', whole('Acme', 'Leeds')]],
      outcome: 'created',
    });
    expect(await deliver('Acme', 'Leeds')).toEqual({ sent: [], outcome: 'skipped', code: 'unchanged' });
    expect(await deliver('Acme', 'York')).toMatchObject({ sent: [moved('York')], outcome: 'updated' });
    expect(await deliver('Acme', 'York')).toMatchObject({ sent: [], outcome: 'skipped' });
    expect(await deliver('Acme', 'Leeds')).toMatchObject({ sent: [moved('Leeds')] });
  });

  test('is sent whole where an update was lost and its run cancelled: the service may have it', async () => {
    const { deliver, answersWith } = await startRecord();
    await deliver('Acme', 'Leeds');
    const cancelled = await deliver('Acme', 'York', async (bench, run) => {
      answersWith(async () => {
        await bench.store.transition(run, 'cancelled', 'requested');
        return LOST;
      });
    });
    expect(cancelled).toMatchObject({ outcome: 'in-doubt', code: 'worker_lost' });
    answersWith(() => created('sub-1'));
    expect(await deliver('Acme', 'Leeds')).toMatchObject({ sent: [UPDATED_WHOLE], outcome: 'updated' });
  });
});
