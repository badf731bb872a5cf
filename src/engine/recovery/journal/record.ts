/**
 * What a journal records, and its lines: CRC-32, a space, JSON text. Each file's first line is its
 * run's record, with the version of the form.
 */

import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { eachTogether } from '../../../model/settlement.ts';
import { intentMark } from '../../ledger/mark.ts';
import { protocol } from '../../ledger/protocol.ts';

/** The only form that this program writes and reads. */
const VERSION = 9;

const run = z.string().min(1);
const int = z.number().int();
const markSchema = z.tuple([int, int, z.string()]);
const keySchema = z.object({ bucket: z.string(), digest: z.string(), accounts: z.string().optional() });
const intentSchema = z.object({
  chunk: int,
  row: int,
  mark: z.string(),
  key: keySchema.optional(),
  /** The ledger's: which record's fields are unknown from then on. */
  fields: z.looseObject({}).optional(),
});
/** For `chunk`, `row`, `outcome` and `accepted` alone: the rest is the ledger's. */
const entrySchema = z.looseObject({
  chunk: int,
  row: int,
  outcome: z.string(),
  accepted: z.literal(1).optional(),
});
const cellsSchema = z.array(z.union([z.string(), z.number()]));

/** As EXCHANGE is told: `ranges` with each row's number, bucket, digest, accounts. */
const nextSchema = z
  .object({
    ranges: z.array(z.object({ chunk: int, fencingToken: z.string(), rows: cellsSchema })),
    rows: z.array(intentSchema),
  })
  .transform(({ ranges, rows }) => [...ranges.flatMap(intentsOf), ...rows]);

/** As EXCHANGE is told: `together` with cells of each row, its number first (`keyOf`). */
const endedSchema = z
  .object({
    together: z.array(
      z.object({
        chunk: int,
        fencingToken: z.string(),
        outcome: z.string(),
        settlements: z.string(),
        rows: cellsSchema,
      }),
    ),
    rows: z.array(entrySchema),
  })
  .transform(({ together, rows }) => [...together.flatMap(entriesOf), ...rows]);

const storedRecordSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    version: z.literal(VERSION),
    run,
    fields: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('added'), run, chunk: int }),
  z
    .object({ kind: z.literal('intended'), run, next: nextSchema })
    .transform(({ next, ...of }) => ({ ...of, rows: next })),
  z.object({ kind: z.literal('withdrawn'), run, rows: z.array(markSchema) }),
  z
    .object({ kind: z.literal('settled'), run, ended: endedSchema })
    .transform(({ ended, ...of }) => ({ ...of, entries: ended })),
]);
/** As it is read: each row by itself. */
export type StoredRecord = z.infer<typeof storedRecordSchema>;

/** `[chunk, row, mark]`. */
export type MarkedRow = Readonly<z.infer<typeof markSchema>>;
export type IntendedRow = Readonly<z.infer<typeof intentSchema>>;
export type SettleEntry = Readonly<z.infer<typeof entrySchema>>;

/** In the order of events. */
export type JournalRecord =
  /** Restores the run's record in the ledger; before anything else of the run. */
  | {
      readonly kind: 'run';
      readonly run: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  /** Chunks up to this number are about to be queued. */
  | { readonly kind: 'added'; readonly run: string; readonly chunk: number }
  /** Rows that are about to be sent: the JSON text that Redis is told. */
  | { readonly kind: 'intended'; readonly run: string; readonly next: string }
  /** Nothing was sent under these very marks, or nothing done. */
  | { readonly kind: 'withdrawn'; readonly run: string; readonly rows: readonly MarkedRow[] }
  /** Rows that ended: the JSON text that Redis is told. */
  | { readonly kind: 'settled'; readonly run: string; readonly ended: string };

const CRC_DIGITS = 8;

/** CRC-32 of the JSON text in 8 hexadecimal digits, a space, the JSON text, a line feed. */
export function encodeLine(record: JournalRecord): string {
  const json = jsonOf(record);
  return `${checksum(json)} ${json}\n`;
}

/** What Redis is told is JSON already: parsing or quoting it would cost more than the rest. */
function jsonOf(record: JournalRecord): string {
  switch (record.kind) {
    case 'run':
      return JSON.stringify({ ...record, version: VERSION });
    case 'intended':
      return withText(record, 'next', record.next);
    case 'settled':
      return withText(record, 'ended', record.ended);
    default:
      return JSON.stringify(record);
  }
}

function withText(of: JournalRecord, name: string, text: string): string {
  const { kind, run: id } = of;
  return `{"kind":"${kind}","run":${JSON.stringify(id)},"${name}":${text}}`;
}

/** Of a line without its line feed; `null`: it isn't what was written. */
export function decodeLine(line: string): StoredRecord | null {
  const json = checkedJson(line);
  return json === null ? null : (storedRecordSchema.safeParse(parsed(json)).data ?? null);
}

/** What was written, by another version of the program. */
export function isForeign(line: string): boolean {
  return checkedJson(line) !== null && decodeLine(line) === null;
}

/** Every line's JSON begins so, and only there: within its texts quotes are escaped. */
const BEGINNING = '{"kind":"';

/**
 * Whether a kill tore a last piece that nobody relies on. Not so with zeros, a second line, or only
 * the end missing: there a line that counts was damaged.
 */
export function isTorn(piece: string): boolean {
  const isOne = piece.lastIndexOf(BEGINNING) <= CRC_DIGITS + 1;
  return isOne && !piece.includes('\0') && checkedJson(piece.slice(0, -1)) === null;
}

const RANGE_WIDTH = 4;

type Ranged = {
  readonly chunk: number;
  readonly fencingToken: string;
  readonly rows: z.infer<typeof cellsSchema>;
};

function intentsOf({ chunk, fencingToken, rows }: Ranged): IntendedRow[] {
  return rowsOf(rows, RANGE_WIDTH).map(([row = 0, bucket = '', digest = '', accounts = '']) => {
    const of = { chunk, row: Number(row), mark: intentMark(fencingToken, Number(row), 1) };
    if (bucket === '') return of;
    const key = { bucket: String(bucket), digest: String(digest) };
    return { ...of, key: accounts === '' ? key : { ...key, accounts: String(accounts) } };
  });
}

const TOGETHER_WIDTH = 6;

function entriesOf({
  outcome,
  settlements,
  ...of
}: Ranged & { readonly outcome: string; readonly settlements: string }): SettleEntry[] {
  const texts = eachTogether(settlements);
  return rowsOf(of.rows, TOGETHER_WIDTH).map(([row = 0, ...key], i) => ({
    chunk: of.chunk,
    row: Number(row),
    outcome,
    settlement: texts[i] ?? '',
    mark: intentMark(of.fencingToken, Number(row), 1),
    ...keyOf(key),
    accepted: 1,
    answered: 1,
  }));
}

function keyOf([bucket = '', digest = '', id = '', content = '', accounts = '']: readonly Cell[]) {
  if (bucket === '') return {};
  const key = { bucket, digest, becomes: protocol.known, id, content };
  return { key: accounts === '' ? key : { ...key, accounts } };
}

type Cell = string | number;

function rowsOf<Cell>(cells: readonly Cell[], width: number): Cell[][] {
  return Array.from({ length: cells.length / width }, (_, i) => cells.slice(i * width, (i + 1) * width));
}

function checkedJson(line: string): string | null {
  const json = line.slice(CRC_DIGITS + 1);
  if (line.charAt(CRC_DIGITS) !== ' ' || line.slice(0, CRC_DIGITS) !== checksum(json)) return null;
  return json;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(CRC_DIGITS, '0');
}
