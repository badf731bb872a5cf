/**
 * What a journal records, and its lines: CRC-32, a space, JSON text. Each file's first line is its
 * run's record, with the version of the form. Within a version, kinds and positions within entries
 * may be added, not changed.
 */

import { crc32 } from 'node:zlib';
import { z } from 'zod';

const markSchema = z.tuple([z.number().int(), z.number().int(), z.string()]);
const intentSchema = z.tuple([z.number().int(), z.number().int(), z.string(), z.string(), z.string()]);
const entrySchema = z.tuple([z.number().int(), z.number().int()]).rest(z.unknown());

/** The only form that this program writes and reads. */
const VERSION = 5;

const run = z.string().min(1);
const cellSchema = z.union([z.string(), z.number()]);
/** Chunk, mark prefix, and each row's number, bucket, digest. */
const rangeSchema = z.tuple([z.number().int(), z.string(), z.array(cellSchema)]);
/**
 * Chunk, [the rows' common mark, does each row's number belong to it (0|1), each row's number,
 * bucket, digest, id], settlements.
 */
const groupSchema = z.tuple([
  z.number().int(),
  z.tuple([z.string(), z.number().int(), z.array(cellSchema)]),
  z.array(z.array(cellSchema)),
]);

/** As on disk: a settled one's entries are an array, ranges and groups their single rows. */
const storedRecordSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    version: z.literal(VERSION),
    run,
    fields: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('added'), run, chunk: z.number().int() }),
  z
    .object({ kind: z.literal('ranged'), run, ranges: z.array(rangeSchema) })
    .transform(({ ranges, ...of }) => ({
      ...of,
      kind: 'intended' as const,
      rows: ranges.flatMap(intentsOf),
    })),
  z.object({ kind: z.literal('intended'), run, rows: z.array(intentSchema) }),
  z.object({ kind: z.literal('withdrawn'), run, rows: z.array(markSchema) }),
  z
    .object({ kind: z.literal('accepted'), run, groups: z.array(groupSchema) })
    .transform(({ groups, ...of }) => ({
      ...of,
      kind: 'settled' as const,
      entries: groups.flatMap(entriesOf),
    })),
  z.object({ kind: z.literal('settled'), run, entries: z.array(entrySchema) }),
]);
export type StoredRecord = z.infer<typeof storedRecordSchema>;

/** `[chunk, row, mark]`. */
export type MarkedRow = Readonly<z.infer<typeof markSchema>>;
/** `[chunk, row, mark, bucket, digest]`: the last two are the key's place, `''`: no key. */
export type IntendedRow = Readonly<z.infer<typeof intentSchema>>;
/**
 * The settle script's entry for one row: opaque here, but for `[0]` (chunk), `[1]` (row), `[2]`
 * (outcome) and `[12]` (accepted by the service: 1).
 */
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
  /** Rows in order are about to be sent; rows as number, bucket, digest, … */
  | {
      readonly kind: 'ranged';
      readonly run: string;
      readonly ranges: ReadonlyArray<
        readonly [chunk: number, prefix: string, rows: readonly (string | number)[]]
      >;
    }
  | { readonly kind: 'intended'; readonly run: string; readonly rows: readonly IntendedRow[] }
  /** Nothing was received under these very marks. */
  | { readonly kind: 'withdrawn'; readonly run: string; readonly rows: readonly MarkedRow[] }
  /** JSON text of groups of rows that the service accepted alike. */
  | { readonly kind: 'accepted'; readonly run: string; readonly groups: string }
  /** JSON text of an array of settle entries. */
  | { readonly kind: 'settled'; readonly run: string; readonly entries: string };

const CRC_DIGITS = 8;

/** CRC-32 of the JSON text in 8 hexadecimal digits, a space, the JSON text, a line feed. */
export function encodeLine(record: JournalRecord): string {
  if (record.kind === 'settled') return checked(settledJson(record));
  if (record.kind === 'run') return checked(JSON.stringify({ ...record, version: VERSION }));
  if (record.kind !== 'accepted') return checked(JSON.stringify(record));
  return checked(`{"kind":"accepted","run":${JSON.stringify(record.run)},"groups":[${record.groups}]}`);
}

function checked(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

/** The entries are JSON text already: parsing or quoting them would cost more than the rest. */
function settledJson({ run, entries }: Extract<JournalRecord, { kind: 'settled' }>): string {
  const line = entries.includes('\n') ? JSON.stringify(JSON.parse(entries)) : entries;
  return `{"kind":"settled","run":${JSON.stringify(run)},"entries":${line}}`;
}

/** Of a line without its line feed; `null`: it isn't what was written. */
export function decodeLine(line: string): StoredRecord | null {
  const json = jsonOf(line);
  return json === null ? null : (storedRecordSchema.safeParse(parsed(json)).data ?? null);
}

/** What was written, by another version of the program. */
export function isForeign(line: string): boolean {
  return jsonOf(line) !== null && decodeLine(line) === null;
}

/** Every line's JSON begins so, and only there: within its texts quotes are escaped. */
const BEGINNING = '{"kind":"';

/**
 * Whether a kill tore a last piece that nobody relies on. Not so with zeros, a second line, or only
 * the end missing: there a line that counts was damaged.
 */
export function isTorn(piece: string): boolean {
  const isOne = piece.lastIndexOf(BEGINNING) <= CRC_DIGITS + 1;
  return isOne && !piece.includes('\0') && jsonOf(piece.slice(0, -1)) === null;
}

const RANGE_WIDTH = 3;

function intentsOf([chunk, prefix, cells]: z.infer<typeof rangeSchema>): IntendedRow[] {
  return rowsOf(cells, RANGE_WIDTH).map(([row = 0, bucket = '', digest = '']) => [
    chunk,
    Number(row),
    `${prefix}${row}`,
    String(bucket),
    String(digest),
  ]);
}

const GROUP_WIDTH = 4;
const SETTLED_OUTCOME = 3;

function entriesOf([chunk, [mark, isNumbered, cells], settlements]: z.infer<
  typeof groupSchema
>): SettleEntry[] {
  return rowsOf(cells, GROUP_WIDTH).map(([row = 0, bucket = '', digest = '', id = ''], i) => {
    const settlement = settlements[i] ?? [];
    const becomes = bucket === '' ? '' : 'k';
    const own = isNumbered === 1 ? `${mark}${row}` : mark;
    const outcome = settlement[SETTLED_OUTCOME];
    const text = JSON.stringify(settlement);
    return [
      chunk,
      Number(row),
      outcome,
      text,
      bucket,
      digest,
      becomes,
      id,
      '',
      '',
      '',
      own,
      1,
      1,
      0,
    ] as const;
  });
}

function rowsOf<Cell>(cells: readonly Cell[], width: number): Cell[][] {
  return Array.from({ length: cells.length / width }, (_, i) => cells.slice(i * width, (i + 1) * width));
}

function jsonOf(line: string): string | null {
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
