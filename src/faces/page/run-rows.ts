/**
 * A run for pages about its rows: its record, the definition it began with, where in it a row is,
 * and what the ledger knows of keys. Only reads the ledger.
 */
import { readPlaces } from '../../engine/ledger/key-claims.ts';
import type { LedgerKeys, Place } from '../../engine/ledger/keys.ts';
import { createRunInput } from '../../engine/ledger/reruns.ts';
import { createRunView } from '../../engine/ledger/run-view.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { KeyState } from '../../model/identity.ts';
import { runOf } from '../../runs/status.ts';
import type { Session } from '../../session.ts';

export type RunRows = NonNullable<Awaited<ReturnType<typeof openRunRows>>>;

/** `null`: there is no such run. */
export async function openRunRows({ ledger }: Pick<Session, 'ledger'>, id: string) {
  const run = await runOf(ledger, id);
  if (run === null) return null;
  const { redis } = ledger;
  const { keys, store } = ledger.of(run.target);
  const definition = await store.definition(id);
  /** A rerun's row numbers, in order; `null`: no rerun, or lost. */
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, id).numbers();
  return { run, definition, redis, keys, k: keys.run(id), view: createRunView(redis, keys, run), numbers };
}

/** The row at that place of the run, from 1. */
export function rowAt({ run, numbers }: RunRows, place: number): number | null {
  if (numbers !== null) return numbers[place - 1] ?? null;
  return run.parent === null && place >= 1 && place <= run.rows ? place : null;
}

/** The place of that row, or of the last before it. */
export function rowsUpTo({ run, numbers }: RunRows, row: number): number {
  if (numbers === null) return run.parent === null ? Math.min(row, run.rows) : 0;
  return numbers.findLastIndex((one) => one <= row) + 1;
}

/** A row number as people write it; `null`: it is none. */
export function rowNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

type Ledger = { readonly redis: RedisConnection; readonly keys: LedgerKeys };

/** A known key, of any run; `space`: such as `subclient`. */
export type KnownKey = Exclude<KeyState, { readonly kind: 'free' }> & { readonly space: string };

/** From the identity ledger, by commands that only read. */
export async function knownIn(
  { redis, keys }: Ledger,
  key: string,
  spaces: Iterable<string>,
  place?: Place,
): Promise<readonly KnownKey[]> {
  const found = [...spaces].map(async (space): Promise<readonly KnownKey[]> => {
    const [state] = await readPlaces(redis, keys, [{ space, key, place }]);
    return state === undefined || state.kind === 'free' ? [] : [{ ...state, space }];
  });
  return (await Promise.all(found)).flat();
}
