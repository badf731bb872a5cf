import { operationOf } from '../../src/config/job-definition.ts';
import type { LedgerKeys } from '../../src/engine/ledger/keys.ts';
import { settledMark } from '../../src/engine/ledger/mark.ts';
import type { NewRun } from '../../src/engine/ledger/run-record.ts';
import { createRunStore } from '../../src/engine/ledger/run-store.ts';
import type { RedisConnection } from '../../src/lib/redis-connection.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { spaceOf } from '../../src/operations/operations.ts';
import { addCount, closeChunks, entryOf, setChunk, setEntry, setOfRun } from './stored.ts';

/** A run with these settlements as workers leave them, in chunks that are closed or still open. */
export async function seedRun(
  redis: RedisConnection,
  keys: LedgerKeys,
  given: { readonly run: NewRun; readonly settlements: readonly Settlement[]; readonly closed: boolean },
): Promise<Run> {
  const { run: registered, settlements, closed } = given;
  const store = createRunStore(redis, keys, () => new Date('2026-11-21T10:00:00Z'));
  await store.register(registered);
  await store.transition(registered.id, 'running', null);
  for (const settlement of settlements) await seedRow(redis, keys, { run: registered, settlement, closed });
  const k = keys.run(registered.id);
  const chunks = new Set(settlements.map((s) => chunkOf(registered, s)));
  const rowsOf = (chunk: number) => settlements.filter((s) => chunkOf(registered, s) === chunk);
  if (closed) await closeChunks(redis, k, new Map([...chunks].map((chunk) => [chunk, rowsOf(chunk)])));
  if (closed) await store.transition(registered.id, 'finished', null);
  const run = await store.get(registered.id);
  if (run === null) throw new Error('the run is gone');
  return run;
}

function chunkOf(run: NewRun, { row }: Settlement): number {
  return Math.ceil(row / run.chunkRows);
}

function sourceOf(run: NewRun, { row, line, key }: Settlement): Row {
  if (run.facts.source.type === 'csv') return { kind: 'cells', row, line, cells: [key] };
  return { kind: 'record', row, line, text: JSON.stringify({ externalId: key }) };
}

type SeededRow = { readonly run: NewRun; readonly settlement: Settlement; readonly closed: boolean };

async function seedRow(redis: RedisConnection, keys: LedgerKeys, { run, settlement, closed }: SeededRow) {
  const k = keys.run(run.id);
  const { row } = settlement;
  const chunk = chunkOf(run, settlement);
  if (!closed) {
    await addCount(redis, k, settlement.outcome, 1);
    await setChunk(redis, k, { [row]: settledMark(settlement, CLEAR) }, chunk);
  }
  if (settlement.outcome !== 'in-doubt') return;
  await setOfRun(redis, k, 'doubts', { [row]: String(chunk) });
  await setOfRun(redis, k, 'sources', { [row]: sourceOf(run, settlement) });
  const key = settlement.key === '' ? `${run.facts.sha256}:${row}` : settlement.key;
  const space = spaceOf(operationOf(run.definition)) ?? '';
  const { bucket, field } = entryOf(keys, key, { space });
  // Rows of one key: it is held by the first of them.
  const isHeld = (await redis.hexists(bucket, field)) === 1;
  if (!isHeld) await setEntry(redis, keys, key, `d ${run.id} ${row} `, { space });
}
