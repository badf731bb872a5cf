import { randomBytes } from 'node:crypto';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { type LedgerKeys, ledgerKeys } from '../../src/engine/ledger/keys.ts';
import type { NewRun } from '../../src/engine/ledger/run-record.ts';
import { createRunStore, newRunId, type RunStore } from '../../src/engine/ledger/run-store.ts';
import type { RedisConnection } from '../../src/lib/redis-connection.ts';
import type { Reason, RunState } from '../../src/model/run.ts';
import { csvSource } from './source.ts';

/** A ledger that no other test shares. */
export function ownKeys(): LedgerKeys {
  return ledgerKeys(`http://127.0.0.1/${randomBytes(6).toString('hex')}`);
}

/** The runs of such a ledger, at a moment that stands still. */
export function ownStore(redis: RedisConnection, now = new Date('2026-11-21T11:00:00.000Z')) {
  const keys = ownKeys();
  return { redis, keys, store: createRunStore(redis, keys, () => now) };
}

let begun = 0;

/** A run of that job in that state, registered, later than those before; answers its id. */
export async function beginRun(store: RunStore, job: string, to: RunState, reason: Reason | null = null) {
  begun += 1;
  const run = newRun({ job, createdAt: new Date(Date.parse('2026-11-21T10:00:00Z') + begun) });
  await store.register(run);
  if (to !== 'queued') await store.transition(run.id, 'running', null);
  if (to !== 'queued' && to !== 'running') await store.transition(run.id, to, reason);
  return run.id;
}

export function newRun(over: Partial<NewRun> & { readonly rows?: number } = {}): NewRun {
  const { rows = 3, createdAt = new Date('2026-11-21T10:00:00Z'), ...rest } = over;
  return {
    id: newRunId(createdAt),
    job: 'subclients-create',
    definition: jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId' }),
    target: 'sandbox',
    facts: {
      path: '/in/a.csv',
      sha256: randomBytes(32).toString('hex'),
      bytes: 10,
      stamp: '',
      rows,
      source: csvSource(),
      chunkEnds: null,
    },
    chunkRows: 100,
    createdAt,
    again: false,
    ...rest,
  };
}
