/**
 * A run for pages about its rows: its record, the definition it began with, where in it a row is,
 * what the ledger knows of keys, and what records are called. Only reads the ledger.
 */
import { columnsOf, type JobDefinition } from '../../config/job-definition.ts';
import { readPlaces } from '../../engine/ledger/key-claims.ts';
import type { LedgerKeys, Place } from '../../engine/ledger/keys.ts';
import { createRunInput } from '../../engine/ledger/reruns.ts';
import { createRunView } from '../../engine/ledger/run-view.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { KeyState } from '../../model/identity.ts';
import { flattenRecord, parseRecord } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import { runOf } from '../../runs/status.ts';
import type { Session } from '../../session.ts';

export type RunRows = NonNullable<Awaited<ReturnType<typeof openRunRows>>>;

/** `null`: there is no such run. */
export async function openRunRows({ ledger }: Pick<Session, 'ledger'>, id: string) {
  const run = await runOf(ledger, id);
  if (run === null) return null;
  const { redis } = ledger;
  const { keys, store } = ledger.of(run.target);
  const { definition, right } = await store.termsOf(id);
  /** A rerun's row numbers, in order; `null`: no rerun, or lost. */
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, id).numbers();
  return {
    run,
    definition,
    right,
    redis,
    keys,
    k: keys.run(id),
    view: createRunView(redis, keys, run),
    numbers,
  };
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

/** By columns or fields. `null`: it can't be read as such. */
export function cellsOf(
  source: Row,
  columns: readonly string[],
): ReadonlyArray<readonly [string, string]> | null {
  if (source.kind === 'cells')
    return source.cells.map((value, i) => [columns[i] ?? `column ${i + 1}`, value]);
  const record = source.kind === 'record' ? parseRecord(source.text) : null;
  if (record === null) return null;
  return [...flattenRecord(record)].map(([column, value]) => [
    column,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

const NAMES = ['details.name', 'name', 'lastName'];

/** The columns that each field with a record's name is made of, the most telling field first. */
export function nameColumns(
  definition: Pick<JobDefinition, 'fields'> | null,
): readonly (readonly string[])[] {
  return NAMES.map((field) => {
    const from = definition?.fields[field];
    return from === undefined ? [field] : columnsOf(from);
  });
}

/** Of what could not be read: how it stands in the file. */
function nameOf(source: Row, { definition, run }: RunRows): string {
  if (source.kind === 'unreadable') return source.text;
  const cells = new Map(cellsOf(source, run.source.columns) ?? []);
  const names = nameColumns(definition).map((columns) =>
    columns.flatMap((column) => cells.get(column) || []).join(' '),
  );
  return names.find((name) => name !== '') ?? '';
}

/** What records are called, where the cells of their rows are kept. For operators alone. */
export async function namesOf(open: RunRows, rows: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const sources = await open.view.sources(rows);
  return new Map([...sources].map(([row, source]) => [row, nameOf(source, open)]));
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
