/**
 * A run's state and counters alone. Its definition, columns and chunk ends would make reading a
 * large run thousands of times as expensive.
 */
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { OUTCOMES, type Outcome, outcomeCountsSchema } from '../model/outcome.ts';
import { type Run, reasonSchema, requestSchema, runStateSchema } from '../model/run.ts';
import type { LedgerKeys } from './keys.ts';

export type RunBrief = Omit<
  Run,
  'sha256' | 'operation' | 'chunkRows' | 'source' | 'chunkEnds' | 'apart' | 'firstRows' | 'movedAt'
>;

const FIELDS = [
  'job',
  'target',
  'file',
  'parent',
  'state',
  'reason',
  'request',
  'rows',
  'chunks',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const;
const COUNTS = OUTCOMES.map((outcome) => `o:${outcome}`);

const time = z.string().nullable();
const briefSchema = z.object({
  id: z.string(),
  job: z.string(),
  target: z.string(),
  file: z.string(),
  parent: z.string().nullable(),
  state: runStateSchema,
  reason: reasonSchema.nullable(),
  request: requestSchema.optional(),
  rows: z.coerce.number(),
  chunks: z.coerce.number(),
  outcomes: outcomeCountsSchema,
  closedChunks: z.number(),
  createdAt: z.string(),
  startedAt: time,
  finishedAt: time,
});

/** In the order of the ids, without runs that are gone from the ledger. */
export async function readBriefs(
  redis: RedisConnection,
  keys: LedgerKeys,
  ids: readonly string[],
): Promise<RunBrief[]> {
  const found = await Promise.all(
    ids.map((id) => {
      const { record, blocks } = keys.run(id);
      return Promise.all([redis.hmget(record, ...FIELDS, ...COUNTS), redis.hlen(blocks)]);
    }),
  );
  return found.flatMap(([values, closed], i) => briefOf(ids[i] ?? '', values, closed) ?? []);
}

/** `null`: the run is gone from the ledger. */
function briefOf(id: string, values: ReadonlyArray<string | null>, closedChunks: number): RunBrief | null {
  const record = Object.fromEntries(FIELDS.map((field, i) => [field, values[i] ?? null]));
  if (record.job === null) return null;
  const count = (outcome: Outcome) => Number(values[FIELDS.length + OUTCOMES.indexOf(outcome)] ?? 0);
  return briefSchema.parse({
    ...record,
    id,
    closedChunks,
    reason: orNothing(record.reason) ?? null,
    request: orNothing(record.request) === undefined ? undefined : JSON.parse(record.request ?? ''),
    outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])),
  });
}

/** A cleared field is an empty text. */
function orNothing(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}
