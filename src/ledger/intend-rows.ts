import { z } from 'zod';
import { passStage, type Stage } from '../lib/stage.ts';
import { withExceptions } from './exceptions.ts';
import { gated, type LedgerGate } from './gate.ts';
import { intendArguments, type PlacedIntent, placedIntent } from './intend-arguments.ts';
import type { Intent } from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import { INTEND } from './lua/intend.ts';
import { WITHDRAW } from './lua/withdraw.ts';
import type { RowJournal } from './row-journal.ts';

export type MarkedRow = Pick<Intent, 'chunk' | 'row' | 'mark'>;

export type Granted =
  | { readonly kind: 'granted' }
  /** Another worker has or had the row. */
  | { readonly kind: 'taken' }
  /** The run is not running. */
  | { readonly kind: 'halted' }
  /** The service is to be left alone that long (ms): ask again. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

export type IntendEdges = {
  readonly gate: LedgerGate;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: string;
  /** The longest that a row sent as a probe may take, ms. */
  readonly probeMs: number;
};

const intend = gated(INTEND, z.array(z.string()));
const withdraw = gated(WITHDRAW, z.array(z.number()));

/** Marks rows as about to be sent, in Redis and on the disk at once; granted only where it is in both. */
export async function intendRows(intents: readonly Intent[], edges: IntendEdges): Promise<Granted[]> {
  passStage('intending', () => intents.map(({ row }) => row));
  const rows = intents.map((intent) => placedIntent(intent, edges.keys));
  // A replay of this process' journal meanwhile must not take what was never granted for something that was.
  const release = edges.gate.hold(intents.map(({ mark }) => mark));
  try {
    const [granted, problem] = await Promise.all([
      passing(
        'granted',
        intents,
        grant(rows, edges).catch((error) => refused(error, intents, edges)),
      ),
      passing('journaled', intents, journalIntents(rows, edges)),
    ]);
    noteIdle(granted, intents, edges);
    return problem === null ? granted : await withAllWithdrawn(granted, problem, { intents, edges });
  } finally {
    release();
  }
}

/** Takes intents back where nothing was received; answers which were still there. */
export async function withdrawRows(rows: readonly MarkedRow[], edges: IntendEdges): Promise<boolean[]> {
  const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark] as const);
  edges.journal.note({ kind: 'withdrawn', run: edges.run, rows: marks });
  const gone = await edges.gate.call(
    withdraw,
    [edges.keys.run(edges.run).chunk, edges.keys.weather],
    marks.flat(),
  );
  return gone.map((g) => g === 1);
}

async function grant(rows: readonly PlacedIntent[], edges: IntendEdges): Promise<Granted[]> {
  const { gate, keys, run, probeMs } = edges;
  const k = keys.run(run);
  const scriptKeys = [k.record, k.chunk, k.blocks, keys.weather];
  const answers = await gate.call(intend, scriptKeys, [run, probeMs, ...intendArguments(rows, keys)]);
  return withExceptions<Granted>(answers, rows.length, { usual: GRANTED, parse: parseRefusal });
}

/** Nothing goes under an intent that Redis has refused: a replay must not think that it did. */
function refused(error: unknown, intents: readonly Intent[], edges: IntendEdges): never {
  noteWithdrawn(intents, edges);
  throw error;
}

function noteWithdrawn(intents: readonly MarkedRow[], { journal, run }: IntendEdges): void {
  if (intents.length === 0) return;
  journal.note({
    kind: 'withdrawn',
    run,
    rows: intents.map(({ chunk, row, mark }) => [chunk, row, mark] as const),
  });
}

const GRANTED = { kind: 'granted' } as const;
const HELD = /^held [a-z] (\S+) (\d+)/;
const WAIT = /^wait (\d+)/;

function parseRefusal(answer: string): Granted {
  if (answer === 'taken' || answer === 'halted') return { kind: answer };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  return { kind: 'wait', ms: Number(WAIT.exec(answer)?.[1] ?? 0) };
}

/** `null`, or what was wrong. */
async function journalIntents(
  placed: readonly PlacedIntent[],
  { journal, run }: IntendEdges,
): Promise<string | null> {
  const rows = placed.map(
    ({ intent, bucket, digest }) => [intent.chunk, intent.row, intent.mark, bucket, digest] as const,
  );
  try {
    await journal.write({ kind: 'intended', run, rows });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Rows that may not go are in the journal already, perhaps even where writing it failed: a replay must not think that they went. */
function noteIdle(granted: readonly Granted[], intents: readonly Intent[], edges: IntendEdges): void {
  noteWithdrawn(
    intents.filter((_, i) => granted[i]?.kind !== 'granted'),
    edges,
  );
}

async function withAllWithdrawn(
  granted: readonly Granted[],
  problem: string,
  { intents, edges }: { readonly intents: readonly Intent[]; readonly edges: IntendEdges },
): Promise<Granted[]> {
  const marked = intents.filter((_, i) => granted[i]?.kind === 'granted');
  if (marked.length > 0) await withdrawRows(marked, edges);
  return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}

async function passing<T>(stage: Stage, intents: readonly Intent[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, () => intents.map(({ row }) => row));
  return result;
}
