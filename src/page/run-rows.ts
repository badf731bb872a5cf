/**
 * A run as pages about its rows need it: its record, the definition that it began with, and where in
 * it a row is. Reads the ledger alone.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { parseKeyState } from '../ledger/key-claims.ts';
import { identityPlace, type LedgerKeys, type RunKeys } from '../ledger/keys.ts';
import { createRunInput } from '../ledger/reruns.ts';
import { createRunView } from '../ledger/run-view.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyState } from '../model/identity.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView } from '../model/settlement.ts';
import type { KnownKey, RunHead } from '../web/rows.tsx';
import type { Desk } from './desk.ts';

export type RunRows = {
  readonly run: Run;
  /** `null` where the ledger no longer has it. */
  readonly definition: JobDefinition | null;
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly k: RunKeys;
  readonly view: LedgerView;
  /** Of a rerun's rows, in order; `null` for all others, and where they are lost. */
  readonly numbers: readonly number[] | null;
};

/** `null`: there is no such run. */
export async function openRunRows({ ledger }: Pick<Desk, 'ledger'>, id: string): Promise<RunRows | null> {
  const { redis } = ledger;
  const target = await ledger.index.targetOf(id);
  if (target === null) return null;
  const { keys, store } = ledger.of(target);
  const run = await store.get(id);
  if (run === null) return null;
  // One of an earlier version may be refused: its rows are shown all the same.
  const definition = await store.definition(id).catch(() => null);
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, id).numbers();
  return { run, definition, redis, keys, k: keys.run(id), view: createRunView(redis, keys, run), numbers };
}

export function headOf({ id, job, file, rows, state, outcomes }: Run): RunHead {
  return { id, job, file, rows, state, outcomes };
}

/** The row at that place of the run, from 1. */
export function rowAt({ run, numbers }: Pick<RunRows, 'run' | 'numbers'>, place: number): number | null {
  if (numbers !== null) return numbers[place - 1] ?? null;
  return run.parent === null && place >= 1 && place <= run.rows ? place : null;
}

/** The place of that row, or of the last before it. */
export function rowsUpTo({ run, numbers }: Pick<RunRows, 'run' | 'numbers'>, row: number): number {
  if (numbers === null) return run.parent === null ? Math.min(row, run.rows) : 0;
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the identity ledger says of a key, by commands that only read. */
export async function keyState(
  { redis, keys }: Pick<RunRows, 'redis' | 'keys'>,
  space: string,
  key: string,
): Promise<KeyState> {
  const { bucket, digest } = identityPlace(keys, { space, key });
  return parseKeyState((await redis.hget(bucket, digest)) ?? '');
}

export function knownKey(space: string, state: KeyState): KnownKey[] {
  if (state.kind === 'free') return [];
  const { run, row } = state;
  const is = state.kind === 'held' ? (state.inDoubt ? 'in-doubt' : 'held') : state.kind;
  return [{ space, is, run, row, id: state.kind === 'known' ? state.id : '' }];
}
