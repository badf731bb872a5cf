/**
 * The sender's exchange with the ledger: outcomes and the next intents in one Redis command and one
 * journal write. An intent is granted only once it is in Redis and on this machine's disk; it is
 * withdrawn only where nothing was sent or done under it or the one it replaced. What fails
 * half-way is journaled as withdrawn: no replay may take it for sent.
 */

import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import type { Seal } from '../../lib/seal.ts';
import { passStage, type Stage } from '../../lib/stage.ts';
import type { Run } from '../../model/run.ts';
import {
  GRANTED,
  type Granted,
  type Intent,
  intentsText,
  type MarkedRow,
  markedRows,
  parseRefusal,
  type Range,
} from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import EXCHANGE from './lua/exchange.lua';
import type { BodyTeller } from './refusal-bodies.ts';
import { type SettledRow, type ToldEnds, tellEnds } from './settle-entry.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

type MarkTuple = readonly [chunk: number, row: number, mark: string];

/** What the ledger writes to this machine's journal about a run's rows. */
type RowRecord =
  /** JSON of what is about to be sent (`intentsText`). */
  | { readonly kind: 'intended'; readonly run: string; readonly next: string }
  | { readonly kind: 'withdrawn'; readonly run: string; readonly rows: readonly MarkTuple[] }
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
};

/** By the rows' numbers. */
export type Exchanged = {
  /** Rows that had their outcome already, or belong to another take. */
  readonly unrecorded: ReadonlySet<number>;
  readonly granted: ReadonlyMap<number, Granted>;
};

type ExchangeEdges = {
  readonly verified: VerifiedLedger;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  readonly seal: Seal;
  readonly bodies: BodyTeller;
  /** The longest that a probing row may take, ms. */
  readonly probeMs: number;
};

const numbers = z.array(z.number());
const exchange = whenVerified(EXCHANGE, z.tuple([z.array(z.string()), numbers, z.array(z.string())]));

/**
 * Records what ended and marks the next rows as about to be sent, in Redis and on disk at the same
 * time. Rejects where Redis refuses: then nothing is granted, and what ended has to be recorded
 * again.
 */
export async function exchangeRows(
  { ended, isFirst, ranges, next }: Exchange,
  edges: ExchangeEdges,
): Promise<Exchanged> {
  const { journal, run, keys, seal, bodies } = edges;
  const told = tellEnds(keys, ended, { isFirst, seal, bodies });
  const rowsEnded = () => ended.map(({ row }) => row);
  if (ended.length > 0) passStage('settling', rowsEnded);
  const note = (text: string) => journal.note({ kind: 'settled', run: run.id, ended: text });
  if (told.unsent.length < ended.length) note(told.ended);
  const marked = markedRows(ranges, next);
  const asked = { told, marked, ranges, next };
  const exchanged =
    marked.length > 0 ? await askFor(asked, edges) : exchangedOf(await send({ told }, edges), []);
  bodies.told(told.bodies);
  if (ended.length > 0) passStage('settled', rowsEnded);
  const unsent = told.unsent.filter(({ row }) => !exchanged.unrecorded.has(row));
  if (unsent.length > 0) note(JSON.stringify({ together: [], rows: unsent }));
  return exchanged;
}

type Asked = Pick<Exchange, 'ranges' | 'next'> & {
  readonly told: ToldEnds;
  readonly marked: readonly MarkedRow[];
};

async function askFor({ told, marked, ranges, next }: Asked, edges: ExchangeEdges): Promise<Exchanged> {
  const { verified, keys, journal, run } = edges;
  const rows = () => marked.map(({ row }) => row);
  const text = intentsText(ranges, next, keys);
  passStage('intending', rows);
  // A replay meanwhile must not take intents without a grant for sent rows.
  const release = verified.keepOutOfReplay(() => marked);
  try {
    const [answer, problem] = await Promise.all([
      passing('granted', rows, send({ told, next: text }, edges)).catch((error: unknown) => {
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
    const unwritten: Granted = { kind: 'unwritten', problem: stop };
    const back = marked.filter(isGranted);
    await withdrawFree(back, next, edges);
    const granted = [...exchanged.granted, ...back.map(({ row }) => [row, unwritten] as const)];
    return { ...exchanged, granted: new Map(granted) };
  } finally {
    release();
  }
}

type Ask = {
  readonly told: ToldEnds;
  readonly withdrawn?: readonly MarkTuple[];
  /** JSON of the next rows. */
  readonly next?: string;
};

const NOTHING: ToldEnds = { ended: JSON.stringify({ together: [], rows: [] }), unsent: [], bodies: [] };

/** Answers the rows that were not recorded, for each withdrawn 1 or 0, and what was not granted. */
function send({ told, withdrawn = [], next }: Ask, { verified, keys, run, probeMs }: ExchangeEdges) {
  const rest = JSON.stringify({ probeMs, unsent: told.unsent, withdrawn }).slice(1);
  const ask = `{"ended":${told.ended},${next === undefined ? '' : `"next":${next},`}${rest}`;
  return verified.call(exchange, recordKeys(keys, run.id), [run.id, ask]);
}

function exchangedOf(
  [unrecorded, , refused]: Awaited<ReturnType<typeof send>>,
  marked: readonly MarkedRow[],
): Exchanged {
  const granted = new Map<number, Granted>(marked.map(({ row }) => [row, GRANTED]));
  for (let i = 0; i + 1 < refused.length; i += 2)
    granted.set(Number(refused[i]), parseRefusal(refused[i + 1] ?? ''));
  return { unrecorded: new Set(unrecorded.map(Number)), granted };
}

/** Takes intents back where nothing was received; answers which of them were still there. */
export async function withdrawRows(rows: readonly MarkedRow[], edges: ExchangeEdges): Promise<boolean[]> {
  const [, there] = await send({ told: NOTHING, withdrawn: noteWithdrawn(rows, edges) }, edges);
  return there.map((one) => one === 1);
}

/** But none that replaced another: under that one the row may have gone. */
async function withdrawFree(
  rows: readonly MarkedRow[],
  next: readonly Intent[],
  edges: ExchangeEdges,
): Promise<void> {
  const replacing = new Set(next.flatMap(({ row, expected }) => (expected === '' ? [] : [row])));
  const free = rows.filter(({ row }) => !replacing.has(row));
  if (free.length > 0) await withdrawRows(free, edges);
}

export function recordKeys(keys: LedgerKeys, run: string): string[] {
  const k = keys.run(run);
  const kept = [k.late, k.doubts, k.sources, k.bodies, k.documents];
  return [k.record, k.chunk, k.blocks, ...kept, keys.breaker, k.resolutions];
}

function noteWithdrawn(rows: readonly MarkedRow[], { journal, run }: ExchangeEdges): readonly MarkTuple[] {
  const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark] as const);
  if (marks.length > 0) journal.note({ kind: 'withdrawn', run: run.id, rows: marks });
  return marks;
}

const LOST = 'ONBOARD_HOME was taken by another machine, container or command, or removed';

/** `null`: the home is this machine's. Where that can't be found out, nothing is sent. */
async function problemOfHome({ verified }: ExchangeEdges): Promise<string | null> {
  try {
    return (await verified.isOurs()) ? null : LOST;
  } catch (error) {
    return messageOf(error);
  }
}

function problemOf(work: Promise<void>): Promise<string | null> {
  return work.then(() => null, messageOf);
}

async function passing<T>(stage: Stage, rows: () => readonly number[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, rows);
  return result;
}
