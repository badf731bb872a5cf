/**
 * What a journal records, and the lines that hold it: CRC-32, a space, JSON text. The first line of each file names the version of the
 * form; that line's own form never changes, so that every program can tell whose the journal is. Within a version, kinds and positions
 * within entries may gain, not change.
 */

import { crc32 } from 'node:zlib';
import { z } from 'zod';

const markSchema = z.tuple([z.number().int(), z.number().int(), z.string()]);
const intentSchema = z.tuple([z.number().int(), z.number().int(), z.string(), z.string(), z.string()]);
const entrySchema = z.tuple([z.number().int(), z.number().int()]).rest(z.unknown());

const run = z.string().min(1);
const cellSchema = z.union([z.string(), z.number()]);
/** Chunk, what the rows' marks begin with, and of each row its number, bucket, digest. */
const rangeSchema = z.tuple([z.number().int(), z.string(), z.array(cellSchema)]);
/** Chunk, [the mark that the rows share, does each row's number belong to it (0|1), and of each row its number, bucket, digest, id], settlements. */
const groupSchema = z.tuple([
  z.number().int(),
  z.tuple([z.string(), z.number().int(), z.array(cellSchema)]),
  z.array(z.array(cellSchema)),
]);

/** A record as its line on the disk holds it: the entries of a settled one are an array there, not text. Ranges and groups become what each row of them is. */
const storedRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('run'), run, target: z.string(), fields: z.record(z.string(), z.string()) }),
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
  z.object({ kind: z.literal('forgotten'), run }),
]);
export type StoredRecord = z.infer<typeof storedRecordSchema>;

/** `[chunk, row, mark]`. */
export type MarkedRow = Readonly<z.infer<typeof markSchema>>;
/** `[chunk, row, mark, bucket, digest]`: the last two say where the identity of the row's key lives, `''` for none. */
export type IntendedRow = Readonly<z.infer<typeof intentSchema>>;
/** What the ledger's settle script takes for one row: opaque here, but for `[0]` (chunk), `[1]` (row), `[2]` (outcome) and `[12]` (accepted by the service: 1). */
export type SettleEntry = Readonly<z.infer<typeof entrySchema>>;

/** What the journal is told, in the order in which it happens. */
export type JournalRecord =
  /** How the run's record in the ledger is restored; before anything else of the run, once per journal. */
  | {
      readonly kind: 'run';
      readonly run: string;
      readonly target: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  /** Chunks up to this number are about to be handed to the queue. */
  | { readonly kind: 'added'; readonly run: string; readonly chunk: number }
  /** Rows in their order are about to be sent; rows as number, bucket, digest, … */
  | {
      readonly kind: 'ranged';
      readonly run: string;
      readonly ranges: ReadonlyArray<
        readonly [chunk: number, prefix: string, rows: readonly (string | number)[]]
      >;
    }
  /** The rows are about to be sent. */
  | { readonly kind: 'intended'; readonly run: string; readonly rows: readonly IntendedRow[] }
  /** Under these very marks nothing was received. */
  | { readonly kind: 'withdrawn'; readonly run: string; readonly rows: readonly MarkedRow[] }
  /** JSON text of groups of rows that the service accepted alike. */
  | { readonly kind: 'accepted'; readonly run: string; readonly groups: string }
  /** JSON text of an array of settle entries. */
  | { readonly kind: 'settled'; readonly run: string; readonly entries: string };

/** What has a line on the disk; `forgotten`: nothing before it is true of the run any more. */
export type LineRecord = JournalRecord | { readonly kind: 'forgotten'; readonly run: string };

const CRC_DIGITS = 8;

/** The form of the journals that this program writes, and the only one that it reads. */
export const JOURNAL_VERSION = 4;

const headSchema = z.object({ kind: z.literal('journal'), version: z.number().int() });

/** The first line of a file. */
export const HEAD_LINE = checked(JSON.stringify({ kind: 'journal', version: JOURNAL_VERSION }));

/** The version that a file's first line names, without its line feed; 0: it names none; `null`: it isn't what was written. */
export function versionOf(line: string): number | null {
  const json = jsonOf(line);
  return json === null ? null : (headSchema.safeParse(parsed(json)).data?.version ?? 0);
}

/** The record's line: CRC-32 of the JSON text in 8 hexadecimal digits, a space, the JSON text, a line feed. */
export function encodeLine(record: LineRecord): string {
  if (record.kind === 'settled') return checked(settledJson(record));
  if (record.kind !== 'accepted') return checked(JSON.stringify(record));
  return checked(`{"kind":"accepted","run":${JSON.stringify(record.run)},"groups":[${record.groups}]}`);
}

function checked(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

/** The entries are JSON text already: to parse or to quote them would cost more than all the rest. */
function settledJson({ run, entries }: Extract<LineRecord, { kind: 'settled' }>): string {
  const line = entries.includes('\n') ? JSON.stringify(JSON.parse(entries)) : entries;
  return `{"kind":"settled","run":${JSON.stringify(run)},"entries":${line}}`;
}

/** The record of a line without its line feed; `null` where it isn't what was written. */
export function decodeLine(line: string): StoredRecord | null {
  const json = jsonOf(line);
  return json === null ? null : (storedRecordSchema.safeParse(parsed(json)).data ?? null);
}

/** Every line's JSON text begins so, and has these characters nowhere else: within its texts quotes are escaped. */
const BEGINNING = '{"kind":"';

/** Stands for zeros within what was written: no line has any, since JSON text has none. */
export const HOLE = '\0';

/**
 * Whether a last line without a line feed is one that a process was killed over, and that nobody was told of: not where it has a hole or
 * holds a second line, or lacks nothing but its end. Then a line feed was changed behind a line that counts.
 */
export function isTorn(line: string): boolean {
  return (
    !line.includes(HOLE) &&
    line.lastIndexOf(BEGINNING) <= CRC_DIGITS + 1 &&
    jsonOf(line.slice(0, -1)) === null
  );
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

/** What each row would have been told as by itself. */
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
