/**
 * The sender's exchange with the ledger: outcomes and the next intents in one Redis command and one
 * journal write. An intent is granted only once it is in Redis and on this machine's disk; it is
 * withdrawn only where nothing was received under it or the one it replaced. What fails half-way is
 * journaled as withdrawn: no replay may take it for sent.
 */

import { z } from 'zod';
import { messageOf } from '../lib/errors.ts';
import { passStage, type Stage } from '../lib/stage.ts';
import { chunksOf, type Run } from '../model/run.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import {
  GRANTED,
  type Granted,
  type Intent,
  type MarkedRow,
  markedRows,
  parseRefusal,
  type Range,
  type ToldIntents,
  toldIntents,
} from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import { EXCHANGE, WITHDRAW } from './lua/rows.ts';
import { type Closing, VOID } from './open-chunk.ts';
import { withExceptions } from './script.ts';
import { isUnsent, type RecordedRow, type SettledRow, type ToldRows, toldRows } from './settle-entry.ts';

type Rows<T extends readonly unknown[]> = ReadonlyArray<T>;

/** What the ledger writes to this machine's journal about a run's rows. */
type RowRecord =
  /** A row's mark is the prefix plus its number. Rows as number, bucket, digest, … */
  | {
      readonly kind: 'ranged';
      readonly run: string;
      readonly ranges: Rows<readonly [chunk: number, prefix: string, rows: readonly (string | number)[]]>;
    }
  | {
      readonly kind: 'intended';
      readonly run: string;
      readonly rows: Rows<
        readonly [chunk: number, row: number, mark: string, bucket: string, digest: string]
      >;
    }
  | {
      readonly kind: 'withdrawn';
      readonly run: string;
      readonly rows: Rows<readonly [chunk: number, row: number, mark: string]>;
    }
  /** JSON text of groups of rows that the service accepted (`ToldRows`). */
  | { readonly kind: 'accepted'; readonly run: string; readonly groups: string }
  | { readonly kind: 'settled'; readonly run: string; readonly entries: string };

/** Survives a Redis that comes back without its last second, or empty. */
export type RowJournal = {
  write(record: RowRecord): Promise<void>;
  /** Written later; never fails. */
  note(record: RowRecord): void;
};

/** Rows that ended, and rows to be sent: in their order, and by themselves. */
export type Exchange = {
  readonly ended: readonly SettledRow[];
  /** None of the ended rows was in an earlier command that may have been carried out. */
  readonly isFirst: boolean;
  readonly ranges: readonly Range[];
  readonly next: readonly Intent[];
};

/** One answer for each row, in their order. */
export type Exchanged = {
  readonly closed: readonly number[];
  /** The rows that ended; `null`: the row already had its outcome, or belongs to another taker. */
  readonly recorded: ReadonlyArray<RecordedRow | null>;
  readonly granted: readonly Granted[];
  /** Of the ranges' rows, one range after the other. */
  readonly ranged: readonly Granted[];
};

type ExchangeEdges = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  readonly now: () => Date;
  /** The chunks that are whole once these rows are recorded; none by default. */
  readonly wholeWith?: (rows: readonly RecordedRow[], recovery: number) => readonly Closing[];
  /** The longest that a probing row may take, ms. */
  readonly probeMs: number;
};

const exchange = inEpoch(EXCHANGE, z.tuple([z.number()]).rest(z.union([z.number(), z.string()])));
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));

/**
 * Records what ended and marks the next rows as about to be sent, in Redis and on disk at the same
 * time. Rejects where Redis refuses: then nothing is granted, and what ended has to be recorded
 * again.
 */
export async function exchangeRows(rows: Exchange, edges: ExchangeEdges): Promise<Exchanged> {
  const { ended, isFirst, ranges, next } = rows;
  const told = toldRows(edges.keys, ended, isFirst);
  const ends = () => ended.map(({ settlement }) => settlement.row);
  if (ended.length > 0) passStage('settling', ends);
  noteSettled(told, edges);
  const recovery = edges.epoch.recoveries();
  const closings = edges.wholeWith?.(told.rows, recovery) ?? [];
  for (const { chunk } of closings) passStage('closing', () => [], chunk);
  const telling = { told, closings, recovery };
  const { unrecorded, closed, granted } = await granting(telling, { ranges, next }, edges);
  if (ended.length > 0) passStage('settled', ends);
  const recorded: (RecordedRow | null)[] = [...told.rows];
  for (const counted of unrecorded) recorded[told.order[counted - 1] ?? 0] = null;
  noteUnsent(told, recorded, edges);
  for (const chunk of closed) passStage('closed', () => [], chunk);
  const inOrder = granted.length - next.length;
  return { recorded, closed, granted: granted.slice(inOrder), ranged: granted.slice(0, inOrder) };
}

/** What the script learns of the rows that ended. `recovery`: epoch recoveries so far. */
type Telling = {
  readonly told: ToldRows;
  readonly closings: readonly Closing[];
  readonly recovery: number;
};

/** `unrecorded`: places of ended rows, from 1. `closed`: chunk numbers. */
type Answers = {
  readonly unrecorded: readonly number[];
  readonly closed: readonly number[];
  readonly granted: readonly Granted[];
};

type Next = Pick<Exchange, 'ranges' | 'next'>;

async function granting(ended: Telling, { ranges, next }: Next, edges: ExchangeEdges): Promise<Answers> {
  if (ranges.length + next.length === 0) return (await send(ended, [], edges))(0);
  const intents = toldIntents(ranges, next, edges.keys);
  let marked: readonly MarkedRow[] | null = null;
  const asked = () => {
    marked ??= markedRows(ranges, next);
    return marked;
  };
  passStage('intending', () => numbersOf(asked()));
  // A replay meanwhile must not take intents without a grant for sent rows.
  const release = edges.epoch.hold(asked);
  try {
    const [answers, problem] = await Promise.all([
      passing(
        'granted',
        asked,
        grant(ended, intents, edges).catch((error) => refused(error, asked(), edges)),
      ),
      passing('journaled', asked, journalIntents(intents, edges)),
    ]);
    const { granted } = answers;
    noteIdle(granted, asked, edges);
    // Only now: whoever takes the home after this answer finds the intents there.
    const stop = problem ?? (await problemOfHome(edges));
    if (stop === null) return answers;
    return { ...answers, granted: await ungranted(granted, stop, { marked: asked(), next, edges }) };
  } finally {
    release();
  }
}

/** What ended is journaled before Redis has it, except rows of which their settler sent nothing. */
function noteSettled({ groups, others }: ToldRows, { journal, run }: ExchangeEdges): void {
  if (groups !== '') journal.note({ kind: 'accepted', run: run.id, groups });
  const sure = others.flatMap(({ entry }) => (isUnsent(entry) ? [] : [entry]));
  if (sure.length > 0) journal.note({ kind: 'settled', run: run.id, entries: JSON.stringify(sure) });
}

/**
 * Rows of which their settler sent nothing go into the journal only after Redis recorded their end.
 * Where Redis did not, another worker sends the row, and a replay must not say that it failed.
 */
function noteUnsent(
  { others }: ToldRows,
  recorded: Exchanged['recorded'],
  { journal, run }: ExchangeEdges,
): void {
  const unsent = others.flatMap(({ place, entry }) =>
    isUnsent(entry) && recorded[place] !== null ? [entry] : [],
  );
  if (unsent.length > 0) journal.note({ kind: 'settled', run: run.id, entries: JSON.stringify(unsent) });
}

/** Takes intents back where nothing was received; answers which of them were still there. */
export async function withdrawRows(rows: readonly MarkedRow[], edges: ExchangeEdges): Promise<boolean[]> {
  noteWithdrawn(rows, edges);
  const gone = await edges.epoch.call(
    withdraw,
    [edges.keys.run(edges.run.id).chunk, edges.keys.breaker],
    rows.flatMap(({ chunk, row, mark }) => [chunk, row, mark]),
  );
  return gone.map((g) => g === 1);
}

async function grant(ended: Telling, next: ToldIntents, edges: ExchangeEdges): Promise<Answers> {
  return (await send(ended, [edges.probeMs, ...next.args], edges))(next.count);
}

/** Sends EXCHANGE. The result reads the script's answer for that many next rows. */
async function send(
  { told, closings, recovery }: Telling,
  next: readonly (string | number)[],
  { epoch, keys, run, now }: ExchangeEdges,
): Promise<(asked: number) => Answers> {
  const [others, ...groups] = told.args;
  const last = HEAD_ARGUMENTS + groups.length;
  const [count, ...words] = await epoch.call(exchange, recordKeys(keys, run.id), () => {
    const isSame = epoch.recoveries() === recovery;
    const closing = closings.flatMap(({ chunk, outcomes, block }) => [
      chunk,
      isSame ? outcomes : VOID,
      block,
    ]);
    const head = [run.id, others ?? '[]', last, closings.length, ...groups];
    return [...head, chunksOf(run), now().toISOString(), ...closing, ...next];
  });
  const behind = words.slice(count);
  const closed = closings.flatMap(({ chunk }, i) => (Number(behind[i]) === 1 ? [chunk] : []));
  return (asked) => ({
    unrecorded: words.slice(0, count).map(Number),
    closed,
    granted: withExceptions<Granted>(behind.slice(closings.length).map(String), asked, GRANTING),
  });
}

/** Run, JSON, place, chunks to be closed. */
const HEAD_ARGUMENTS = 4;
const GRANTING = { usual: GRANTED, parse: parseRefusal };

export function recordKeys(keys: LedgerKeys, run: string): string[] {
  const k = keys.run(run);
  return [
    k.record,
    k.chunk,
    k.blocks,
    k.late,
    k.doubts,
    k.sources,
    k.bodies,
    k.documents,
    keys.breaker,
    k.resolutions,
  ];
}

/** A replay must not think that rows went out under intents that Redis refused. */
function refused(error: unknown, marked: readonly MarkedRow[], edges: ExchangeEdges): never {
  noteWithdrawn(marked, edges);
  throw error;
}

function noteWithdrawn(rows: readonly MarkedRow[], { journal, run }: ExchangeEdges): void {
  if (rows.length === 0) return;
  const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark] as const);
  journal.note({ kind: 'withdrawn', run: run.id, rows: marks });
}

const LOST = 'ONBOARD_HOME was taken by another machine, container or command, or removed';

/** `null`: the home is this machine's. Where that can't be found out, nothing is sent. */
async function problemOfHome({ epoch }: ExchangeEdges): Promise<string | null> {
  try {
    return (await epoch.isOurs()) ? null : LOST;
  } catch (error) {
    return messageOf(error);
  }
}

/** `null`, or what was wrong. */
async function journalIntents(
  { ranged, single }: ToldIntents,
  { journal, run }: ExchangeEdges,
): Promise<string | null> {
  try {
    await Promise.all([
      ranged.length > 0 && journal.write({ kind: 'ranged', run: run.id, ranges: ranged }),
      single.length > 0 && journal.write({ kind: 'intended', run: run.id, rows: single }),
    ]);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Even after a failed write they may be in the journal: a replay must not send for them. */
function noteIdle(
  granted: readonly Granted[],
  marked: () => readonly MarkedRow[],
  edges: ExchangeEdges,
): void {
  if (granted.every(({ kind }) => kind === 'granted')) return;
  noteWithdrawn(
    marked().filter((_, i) => granted[i]?.kind !== 'granted'),
    edges,
  );
}

type Asked = {
  readonly marked: readonly MarkedRow[];
  readonly next: readonly Intent[];
  readonly edges: ExchangeEdges;
};

/** Withdraws grants, but none that replaced another: under that one the row may have gone. */
async function ungranted(
  granted: readonly Granted[],
  problem: string,
  { marked, next, edges }: Asked,
): Promise<Granted[]> {
  const inOrder = marked.length - next.length;
  const isFree = (place: number) => (next[place - inOrder]?.expected ?? '') === '';
  const gone = marked.filter((_, place) => granted[place]?.kind === 'granted' && isFree(place));
  if (gone.length > 0) await withdrawRows(gone, edges);
  return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}

async function passing<T>(stage: Stage, marked: () => readonly MarkedRow[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, () => numbersOf(marked()));
  return result;
}

function numbersOf(rows: readonly MarkedRow[]): number[] {
  return rows.map(({ row }) => row);
}
