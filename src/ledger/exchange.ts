/**
 * The sender's exchange with the ledger: outcomes, chunks that are whole by them, and the next
 * intents in one Redis command and one journal write. An intent is granted only once it is in Redis
 * and on this machine's disk; it is withdrawn only where nothing was received under it or the one
 * it replaced. What fails half-way is journaled as withdrawn: no replay may take it for sent.
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
  tellIntents,
} from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import { EXCHANGE, WITHDRAW } from './lua/rows.ts';
import type { ChunksInHand, Closing } from './open-chunk.ts';
import { type SettledRow, type ToldEnds, tellEnds } from './settle-entry.ts';

/** What the ledger writes to this machine's journal about a run's rows. */
type RowRecord =
  /** JSON of what is about to be sent (`tellIntents`). */
  | { readonly kind: 'intended'; readonly run: string; readonly next: string }
  | {
      readonly kind: 'withdrawn';
      readonly run: string;
      readonly rows: ReadonlyArray<readonly [chunk: number, row: number, mark: string]>;
    }
  /** JSON of what ended (`tellEnds`). */
  | { readonly kind: 'settled'; readonly run: string; readonly ended: string };

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
  /** Chunks to be closed if all their rows have their outcome; others close with their last row. */
  readonly closing: readonly number[];
};

/** By the rows' numbers. */
export type Exchanged = {
  /** Rows that had their outcome already, or belong to another taker. */
  readonly unrecorded: ReadonlySet<number>;
  readonly granted: ReadonlyMap<number, Granted>;
  readonly closed: readonly number[];
};

type ExchangeEdges = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  readonly now: () => Date;
  readonly inHand: ChunksInHand;
  /** The longest that a probing row may take, ms. */
  readonly probeMs: number;
};

const answerSchema = z.tuple([z.array(z.string()), z.array(z.number()), z.array(z.string())]);
const exchange = inEpoch(EXCHANGE, answerSchema);
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));

/**
 * Records what ended and marks the next rows as about to be sent, in Redis and on disk at the same
 * time. Rejects where Redis refuses: then nothing is granted, and what ended has to be recorded
 * again.
 */
export async function exchangeRows(
  { ended, isFirst, ranges, next, closing: asked }: Exchange,
  edges: ExchangeEdges,
): Promise<Exchanged> {
  const { journal, run, keys, inHand } = edges;
  const told = tellEnds(keys, ended, isFirst);
  const rowsEnded = () => ended.map(({ settlement }) => settlement.row);
  if (ended.length > 0) passStage('settling', rowsEnded);
  if (told.unsent.length < ended.length) journal.note({ kind: 'settled', run: run.id, ended: told.ended });
  const closing = [...inHand.wholeWith(told.texts), ...asked.flatMap(inHand.whole)];
  for (const { chunk } of closing) passStage('closing', () => [], chunk);
  const isAsking = ranges.length + next.length > 0;
  const exchanged = isAsking
    ? await askFor({ told, closing, ranges, next }, edges)
    : exchangedOf(await send({ told, closing, next: null }, edges), []);
  if (ended.length > 0) passStage('settled', rowsEnded);
  const unsent = told.unsent.filter(({ row }) => !exchanged.unrecorded.has(row));
  if (unsent.length > 0)
    journal.note({ kind: 'settled', run: run.id, ended: JSON.stringify({ together: [], rows: unsent }) });
  for (const text of told.texts) if (!exchanged.unrecorded.has(text.row)) inHand.recorded(text);
  for (const chunk of exchanged.closed) {
    inHand.closed(chunk);
    passStage('closed', () => [], chunk);
  }
  return exchanged;
}

type Asked = Pick<Exchange, 'ranges' | 'next'> & {
  readonly told: ToldEnds;
  readonly closing: readonly Closing[];
};

async function askFor({ told, closing, ranges, next }: Asked, edges: ExchangeEdges): Promise<Exchanged> {
  const { epoch, keys, journal, run } = edges;
  const marked = markedRows(ranges, next);
  const rows = () => marked.map(({ row }) => row);
  const text = tellIntents(ranges, next, keys);
  passStage('intending', rows);
  // A replay meanwhile must not take intents without a grant for sent rows.
  const release = epoch.hold(() => marked);
  try {
    const [answer, problem] = await Promise.all([
      passing('granted', rows, send({ told, closing, next: text }, edges)).catch((error: unknown) => {
        // A replay must not think that rows went out under intents that Redis refused.
        noteWithdrawn(marked, edges);
        throw error;
      }),
      passing('journaled', rows, problemOf(journal.write({ kind: 'intended', run: run.id, next: text }))),
    ]);
    const exchanged = exchangedOf(answer, marked);
    // Even after a failed write they may be in the journal: a replay must not send for them.
    const isGranted = ({ row }: MarkedRow) => exchanged.granted.get(row)?.kind === 'granted';
    noteWithdrawn(
      marked.filter((one) => !isGranted(one)),
      edges,
    );
    // Only now: whoever takes the home after this answer finds the intents there.
    const stop = problem ?? (await problemOfHome(edges));
    if (stop === null) return exchanged;
    return {
      ...exchanged,
      granted: await ungranted(marked.filter(isGranted), stop, { next, edges, exchanged }),
    };
  } finally {
    release();
  }
}

type Ask = {
  readonly told: ToldEnds;
  readonly closing: readonly Closing[];
  /** JSON of the next rows. */
  readonly next: string | null;
};

type Answer = z.infer<typeof answerSchema>;

function send(
  { told, closing, next }: Ask,
  { epoch, keys, run, now, probeMs }: ExchangeEdges,
): Promise<Answer> {
  const of = { probeMs, chunks: chunksOf(run), now: now().toISOString() };
  return epoch.call(exchange, recordKeys(keys, run.id), () => {
    // A chunk is closed as it was known only while the ledger was not put back since.
    const chunks = closing.map(({ chunk, outcomes, recovery }) => ({
      chunk,
      outcomes: recovery === epoch.recoveries() ? outcomes : VOID,
    }));
    const rest = JSON.stringify({ ...of, unsent: told.unsent, closing: chunks }).slice(1);
    const ask = `{"ended":${told.ended},${next === null ? '' : `"next":${next},`}${rest}`;
    return [run.id, ask, ...closing.map(({ block }) => block)];
  });
}

/** No chunk has this number of outcomes. */
const VOID = -1;

function exchangedOf([unrecorded, closed, refused]: Answer, marked: readonly MarkedRow[]): Exchanged {
  const granted = new Map<number, Granted>(marked.map(({ row }) => [row, GRANTED]));
  for (let i = 0; i + 1 < refused.length; i += 2)
    granted.set(Number(refused[i]), parseRefusal(refused[i + 1] ?? ''));
  return { unrecorded: new Set(unrecorded.map(Number)), closed, granted };
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

function problemOf(work: Promise<void>): Promise<string | null> {
  return work.then(() => null, messageOf);
}

type Granting = {
  readonly next: readonly Intent[];
  readonly edges: ExchangeEdges;
  readonly exchanged: Exchanged;
};

/** Withdraws grants, but none that replaced another: under that one the row may have gone. */
async function ungranted(
  rows: readonly MarkedRow[],
  problem: string,
  { next, edges, exchanged }: Granting,
): Promise<ReadonlyMap<number, Granted>> {
  const replacing = new Set(next.flatMap(({ row, expected }) => (expected === '' ? [] : [row])));
  const free = rows.filter(({ row }) => !replacing.has(row));
  if (free.length > 0) await withdrawRows(free, edges);
  const unwritten: Granted = { kind: 'unwritten', problem };
  return new Map([...exchanged.granted, ...rows.map(({ row }) => [row, unwritten] as const)]);
}

async function passing<T>(stage: Stage, rows: () => readonly number[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, rows);
  return result;
}
