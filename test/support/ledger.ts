import type { Redis } from 'ioredis';
import { type ChunkLedger, createChunkLedger } from '../../src/engine/ledger/chunk-ledger.ts';
import type { Granted, Intent } from '../../src/engine/ledger/intent.ts';
import { claimKeys } from '../../src/engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../../src/engine/ledger/keys.ts';
import { createBodyTeller } from '../../src/engine/ledger/refusal-bodies.ts';
import { createRunStore } from '../../src/engine/ledger/run-store.ts';
import { createRunView } from '../../src/engine/ledger/run-view.ts';
import { type SettledRow, tellEnds } from '../../src/engine/ledger/settle-entry.ts';
import type { VerifiedLedger } from '../../src/engine/ledger/verified.ts';
import { decodeLine, encodeLine } from '../../src/engine/recovery/journal/record.ts';
import type { RedisConnection } from '../../src/lib/redis-connection.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import type { KeyForm } from '../../src/model/key-form.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { memoryJournal, openTestEpoch } from './epoch.ts';
import { newRun, ownKeys } from './runs.ts';
import { knownRun } from './session.ts';

const NOW = new Date('2026-11-21T11:00:00.000Z');

type Of = {
  readonly rows?: number;
  readonly chunkRows?: number;
  readonly journal?: ReturnType<typeof memoryJournal>;
  readonly probeMs?: number;
  /** Those of a target that has other runs already. */
  readonly keys?: LedgerKeys;
};

/** A running run in a ledger of its own, as a worker has it. */
export async function runningRun(redis: Redis, of: Of = {}) {
  const { rows = 2, chunkRows = 100, journal = memoryJournal(), probeMs = 1_000, keys = ownKeys() } = of;
  const epoch = await openTestEpoch(redis, keys);
  const store = createRunStore(redis, keys, () => NOW);
  const { id } = await store.register(newRun({ rows, chunkRows }));
  await store.transition(id, 'running', null);
  const run = () => knownRun(store, id);
  const parts = {
    verified: epoch,
    keys,
    journal,
    run: await run(),
    seal: await keys.run(id).seal(),
    probeMs,
    now: () => NOW,
  };
  return { redis, keys, epoch, journal, store, id, run, parts, ledger: createChunkLedger(parts) };
}

/** The settled rows of a run, in file order. */
export async function settlementsOf(redis: RedisConnection, keys: LedgerKeys, run: Run) {
  const all: Settlement[] = [];
  for await (const { settlements: rows } of createRunView(redis, keys, run).chunks()) all.push(...rows);
  return all;
}

/** Rows as the journal's reader has those that were settled by themselves. */
export function settleEntries(keys: LedgerKeys, rows: readonly SettledRow[]) {
  const { ended, unsent } = tellEnds(keys, rows, {
    isFirst: false,
    seal: CLEAR,
    bodies: createBodyTeller('r'),
  });
  return [...entriesIn(ended), ...entriesIn(JSON.stringify({ together: [], rows: unsent }))];
}

/** What the journal's reader makes of rows that ended. */
export function entriesIn(ended: string) {
  const stored = decodeLine(encodeLine({ kind: 'settled', run: 'r', ended }).trimEnd());
  if (stored?.kind !== 'settled') throw new Error('the journal can not be read back');
  return stored.entries;
}

/** Rows with these intents, as the journal has them. */
export function nextText(...rows: readonly object[]): string {
  return JSON.stringify({ ranges: [], rows });
}

/** Rows that ended by themselves, as the journal has them. */
export function endedText(keys: LedgerKeys, rows: readonly SettledRow[]): string {
  return JSON.stringify({ together: [], rows: settleEntries(keys, rows) });
}

/** An intent on a row of chunk 1. */
export function intentOn(row: number, mark: string, over: Partial<Intent> = {}): Intent {
  return { chunk: 1, row, mark, expected: '', identity: null, fields: null, repeatable: false, ...over };
}

/** What the ledger answers to one intent. */
export async function grantOf(ledger: ChunkLedger, intent: Intent): Promise<Granted> {
  const granted = (await ledger.exchange({ next: [intent] })).granted.get(intent.row);
  if (granted === undefined) throw new Error('an intent was not answered');
  return granted;
}

/** What a run finds when it claims the keys of its rows, by default of rows from 1 on. */
export async function claimOf(
  { epoch, keys }: { readonly epoch: VerifiedLedger; readonly keys: LedgerKeys },
  run: string,
  rows: ReadonlyArray<readonly [row: number, key: string]>,
  form: KeyForm = 'loose',
) {
  const space = { name: 'subclient', ofRun: false };
  const of = { run, space, form, rows: rows.map(([row, key]) => ({ row, key })) };
  return (await claimKeys(epoch, keys, of)).claims;
}
