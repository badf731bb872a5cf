/**
 * One row of a run for the page, from what the ledger keeps of it: a chunk, and a handful of single fields. Of rows that succeeded it
 * keeps no cells.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { createRunInput } from '../ledger/reruns.ts';
import { readChunks } from '../ledger/run-view.ts';
import { adviceFor } from '../model/advice.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import type { KeyState } from '../model/identity.ts';
import { parseRecord } from '../model/json-record.ts';
import { spaceOf } from '../model/operation.ts';
import { describeDecision, resolutionSchema } from '../model/resolution.ts';
import type { Row } from '../model/row.ts';
import { groupRows } from '../model/row-group.ts';
import { chunksOf, rowsBefore } from '../model/run.ts';
import type { SettledChunk, Settlement } from '../model/settlement.ts';
import type { FileShown, RowPart, RowShown } from '../web/row.tsx';
import type { Desk } from './desk.ts';
import { headOf, keyState, knownKey, openRunRows, type RunRows, rowAt, rowsUpTo } from './run-rows.ts';
import { sentFor } from './sent.ts';

export function createRowPart(desk: Pick<Desk, 'ledger' | 'log'>): RowPart {
  return {
    async row(id, row, visitor) {
      const open = await openRunRows(desk, id);
      const place = open === null ? 0 : rowsUpTo(open, row);
      if (open === null || (rowAt(open, place) !== row && !isLostRerun(open))) return null;
      desk.log.info('a row was looked at', { run: id, row, by: visitor.name });
      const { key, ...shown } = await readRow(open, row);
      const { run, keys } = open;
      const states = shown.settlement === null ? [] : knownKey(spaceOf(run.operation) ?? '', key);
      return {
        ...shown,
        run: headOf(run),
        previous: rowAt(open, place - 1),
        next: rowAt(open, place + 1),
        elsewhere: states.filter((one) => one.run !== id || one.row !== row),
        parent: run.parent,
        rerun: await rerunWith(open, row, await open.redis.hget(keys.files, `rerun:${id}`)),
      };
    },
  };
}

/** A rerun whose rows' numbers are lost: they are looked for in every chunk. */
function isLostRerun({ run, numbers }: RunRows): boolean {
  return run.parent !== null && numbers === null;
}

async function rerunWith(
  { redis, keys }: RunRows,
  row: number,
  rerun: string | null,
): Promise<string | null> {
  if (rerun === null || rerun === '') return null;
  const numbers = await createRunInput(redis, keys, rerun).numbers();
  return numbers?.includes(row) === true ? rerun : null;
}

/** The row as it stands now, and what the ledger says of its key. */
export async function readRow(open: RunRows, row: number): Promise<RowShown & { readonly key: KeyState }> {
  const { run, definition, redis, k, view } = open;
  const chunk = chunkOf(open, row);
  const found = isLostRerun(open) ? await everywhere(open, row) : (await readChunks(redis, k, [chunk]))[0];
  const settlements = found?.settlements ?? [];
  const settlement = settlements.find((one) => one.row === row) ?? null;
  const group = settlement === null ? [] : groupOf(settlement, settlements, definition);
  const numbers = group.length === 0 ? [row] : group.map((one) => one.row);
  const [sources, bodies, resolution, key] = await Promise.all([
    view.sources(numbers),
    view.bodies([row]),
    redis.hget(k.resolutions, String(row)),
    settlement === null ? FREE : keyOf(open, settlement),
  ]);
  const source = sources.get(row) ?? null;
  const rows = numbers.flatMap((one) => sources.get(one) ?? []);
  const sent = settlement === null ? NOT_YET : sentFor(settlement, rows, { run, definition, key });
  return {
    row,
    settlement,
    advice: settlement === null ? '' : adviceFor(settlement.code, settlement.outcome, run.operation),
    file: fileShown(source, run.source.columns),
    sent,
    said: bodies.get(row) ?? null,
    chunk,
    group: numbers.length === 1 ? [] : numbers,
    resolution: resolution === null ? '' : resolutionWords(resolution),
    key,
  };
}

const FREE: KeyState = { kind: 'free' };
const NOT_YET = { kind: 'nothing', why: 'Nothing was sent for this row yet, or it is on its way.' } as const;

function chunkOf(open: RunRows, row: number): number {
  const place = rowsUpTo(open, row);
  let chunk = 1;
  while (chunk < chunksOf(open.run) && rowsBefore(open.run, chunk + 1) < place) chunk += 1;
  return chunk;
}

async function everywhere({ view }: RunRows, row: number): Promise<SettledChunk | null> {
  for await (const one of view.chunks()) if (one.settlements.some((s) => s.row === row)) return one;
  return null;
}

/** The rows that were one request with this one, where the job groups rows. */
function groupOf(
  settlement: Settlement,
  settlements: readonly Settlement[],
  definition: JobDefinition | null,
): readonly Settlement[] {
  if (definition?.group === undefined) return [];
  const groups = groupRows(settlements, ({ key }) => (key === '' ? null : key));
  const own = groups.find(
    ({ lead, mates }) => lead.row === settlement.row || mates.some((one) => one.row === settlement.row),
  );
  return own === undefined || own.mates.length === 0 ? [] : [own.lead, ...own.mates];
}

async function keyOf(open: RunRows, { key, row }: Settlement): Promise<KeyState> {
  const { run } = open;
  const space = spaceOf(run.operation);
  return space === null ? FREE : keyState(open, space, key === '' ? `${run.sha256}:${row}` : key);
}

function fileShown(source: Row | null, columns: readonly string[]): FileShown {
  if (source === null) return { kind: 'gone' };
  if (source.kind === 'unreadable') return { kind: 'text', text: source.text, problem: source.problem };
  if (source.kind === 'cells')
    return {
      kind: 'cells',
      cells: source.cells.map((value, i) => ({ column: columns[i] ?? `column ${i + 1}`, value })),
    };
  const record = parseRecord(source.text);
  if (record === null) return { kind: 'text', text: source.text, problem: '' };
  return {
    kind: 'cells',
    cells: [...flattenRecord(record)].map(([column, value]) => ({
      column,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  };
}

function resolutionWords(text: string): string {
  const { decision, id, by, at, was } = resolutionSchema.parse(JSON.parse(text));
  return `It was in doubt (${was}) until ${by} said at ${at}: ${describeDecision({ kind: decision, id })}.`;
}
