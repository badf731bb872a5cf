/**
 * A run: one file on its way through one job. The ledger enforces the table of its states; the cut
 * into chunks and "is it over" are decided here for everybody.
 */
import { z } from 'zod';
import { operationSchema } from './operation.ts';
import { countSettled, outcomeCountsSchema } from './outcome.ts';
import { profileSchema } from './profile.ts';
import { sourceInfoSchema } from './source.ts';

export const RUN_STATES = ['queued', 'running', 'paused', 'stopped', 'cancelled', 'finished'] as const;
export const runStateSchema = z.enum(RUN_STATES);
export type RunState = z.infer<typeof runStateSchema>;

/** The only legal transitions; the ledger refuses any other. */
export const RUN_TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  // The file was read whole and the run registered; the first chunk starts it.
  queued: ['running', 'paused', 'cancelled', 'finished'],
  // Paused: by a person or a signal, for credentials or permission, for answers that are alike row
  // by row, or because the service is away or asked for a hold. Stopped: too many rows did not
  // succeed. Finished: every row has its outcome.
  running: ['paused', 'stopped', 'cancelled', 'finished'],
  // Resumed, cancelled, or completed by its last rows in flight; where it waits for a person see
  // `TRANSITION`.
  paused: ['running', 'cancelled', 'finished'],
  // Resumed or cancelled by a person; its last rows in flight may complete it.
  stopped: ['running', 'cancelled', 'finished'],
  // No transition leads out of them.
  cancelled: [],
  finished: [],
};

export const reasonSchema = z.enum([
  'interrupted',
  'credentials',
  'permission',
  'same-refusal',
  'unreadable-answers',
  'service-away',
  'service-hold',
  'error-limit',
  'file-changed',
  'journal',
  'requested',
  'window',
  'canary',
  'approval',
  'unusual',
  'adopted',
]);
export type Reason = z.infer<typeof reasonSchema>;

/** `at`: ISO 8601, UTC; `why`: the person's own words, or `''`. */
export const requestSchema = z.object({ by: z.string(), at: z.string(), why: z.string() });
export type StateRequest = z.infer<typeof requestSchema>;

/** With how it is known who that is, and user@host, as in the audit. */
export const letGoSchema = requestSchema.extend({ via: z.string().optional(), user: z.string().optional() });

/** What of its file is unlike those before it; not held: it was only told. */
export const unusualSchema = z.object({ isHeld: z.boolean(), sentences: z.array(z.string()) });

const checkCountsSchema = z.record(z.enum(['sendable', 'invalid', 'skipped', 'waiting']), z.number());
export type CheckCounts = z.infer<typeof checkCountsSchema>;

/** Who began a run's purge, or ended it, and when. Once it is begun no rerun takes its rows. */
export const purgedSchema = requestSchema.omit({ why: true }).extend({ isDone: z.boolean() });
export type Purged = z.infer<typeof purgedSchema>;

/** Stands for the name of a purged run's file. */
export const PURGED_FILE = '(purged)';

export const runSchema = z.object({
  id: z.string(),
  job: z.string(),
  operation: operationSchema,
  /** `sandbox` or the base URL; never with credentials. */
  target: z.string(),
  file: z.string(),
  sha256: z.string(),
  /** Wrapped; absent: what is kept of the run's rows stands in clear. */
  dataKey: z.string().optional(),
  /** Random, where its job has an idempotency header: no two runs have a value in common. */
  nonce: z.string().optional(),
  /** Whose unsuccessful rows this rerun takes up; `null`: a file's run. */
  parent: z.string().nullable(),
  /** Its rows have no keys and are known by their content; absent: by keys, or by their places. */
  identity: z.literal('content').optional(),
  /** A corrected file's: how many of its rows stand for rows of which earlier run. */
  standsFor: z.record(z.string(), z.number().int()).optional(),
  rows: z.number().int().nonnegative(),
  /** Fixed for the run: chunk numbers mean the same rows after a restart. */
  chunkRows: z.number().int().positive(),
  source: sourceInfoSchema,
  /** In jobs with groups: the number of rows up to the end of each chunk. */
  chunkEnds: z.array(z.number().int().positive()).nullable(),
  /** As in the survey. */
  apart: z.array(z.tuple([z.number(), z.number()])).optional(),
  /** Where first rows go ahead and `chunkEnds` doesn't say it: the size of the first chunk. */
  firstRows: z.number().int().positive().optional(),
  state: runStateSchema,
  reason: reasonSchema.nullable(),
  request: requestSchema.optional(),
  /** What is to be put right where it is paused, if that is known. */
  problem: z.string().optional(),
  /** Who loaded the file, or had its rows sent again; `null`: nobody, an inbox took it. */
  registeredBy: z.string().nullable(),
  /** The job's last finished file when this one came; `null`: none, or this is no delivery. */
  against: z.object({ run: z.string(), at: z.string() }).nullable().default(null),
  /** How that is known, and user@host, as in the audit; so with an approval's. */
  registeredVia: z.string().optional(),
  registeredUser: z.string().nullable().default(null),
  checked: checkCountsSchema.nullable(),
  /** Digest of what somebody is to approve; absent: nobody is asked. */
  plan: z.string().optional(),
  approval: letGoSchema.nullable(),
  /** Absent: nothing is, or it was compared with none. */
  unusual: unusualSchema.optional(),
  /** By whom it was, where it was held for that alone. */
  letGo: letGoSchema.optional(),
  /** A digest of the inbox folder that its file came from; absent: from none. */
  folder: z.string().optional(),
  /** Of all files of one job, from one folder, with one set of columns; JSON has them in any. */
  series: z.string().optional(),
  /** Absent: a rerun, or a corrected file. */
  profile: profileSchema.optional(),
  /** When a transition led to the current state, ms. */
  movedAt: z.number().optional(),
  outcomes: outcomeCountsSchema,
  chunks: z.number().int().nonnegative(),
  /** Chunks whose rows are all settled: those that have their block. */
  closedChunks: z.number().int().nonnegative(),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  purged: purgedSchema.optional(),
});
export type Run = z.infer<typeof runSchema>;

export type Chunking = Pick<Run, 'rows' | 'chunkRows' | 'chunkEnds' | 'firstRows'>;

export function chunksOf(run: Chunking): number {
  if (run.chunkEnds !== null) return run.chunkEnds.length;
  const others = run.rows - sizeOfFirst(run);
  return run.rows === 0 ? 0 : 1 + Math.max(0, Math.ceil(others / run.chunkRows));
}

/** Without groups; the last chunk may have fewer. */
export function sizeOfFirst({ chunkRows, firstRows }: Pick<Chunking, 'chunkRows' | 'firstRows'>): number {
  return firstRows ?? chunkRows;
}

/** `n` from 1. */
export function rowsBefore(run: Chunking, n: number): number {
  if (n === 1) return 0;
  if (run.chunkEnds !== null) return run.chunkEnds[n - 2] ?? run.rows;
  return sizeOfFirst(run) + (n - 2) * run.chunkRows;
}

/** `n` from 1. */
export function rowsOfChunk(run: Chunking, n: number): number {
  return Math.min(rowsBefore(run, n + 1), run.rows) - rowsBefore(run, n);
}

export function awaitsApproval({ state, reason }: Pick<Run, 'state' | 'reason'>): boolean {
  return state === 'paused' && reason === 'approval';
}

/** Nothing of it has gone, and nothing goes before a person says so. */
export function awaitsPerson({ state, reason }: Pick<Run, 'state' | 'reason'>): boolean {
  return state === 'paused' && (reason === 'approval' || reason === 'unusual');
}

/** What a run waits for that a person has to look at, beside an approval: no machine lets it go. */
const FOR_PEOPLE: ReadonlySet<Reason | null> = new Set([
  'unusual',
  'adopted',
  'same-refusal',
  'unreadable-answers',
]);

export function isForPeople({ state, reason }: Pick<Run, 'state' | 'reason'>): boolean {
  return state === 'paused' && FOR_PEOPLE.has(reason);
}

/** As transitions name them: where a run may be that a machine resumes. */
export const PAUSES_OF_MACHINES: readonly string[] = reasonSchema.options
  .filter((reason) => reason !== 'approval' && !FOR_PEOPLE.has(reason))
  .map((reason) => `paused ${reason}`);

type GivenUp = {
  readonly state: RunState;
  readonly startedAt: string | null;
  readonly problem?: string | null | undefined;
};

/** It waited since its file is unlike those before it, and was cancelled: nothing of it went. */
export function wasGivenUp({ state, startedAt, problem = null }: GivenUp): boolean {
  return state === 'cancelled' && startedAt === null && problem !== null;
}

/** Nothing has stopped or ended the run. */
export function isUnderWay({ state }: { readonly state: RunState }): boolean {
  return state === 'queued' || state === 'running';
}

/** Rows still get their outcomes by themselves: the run is under way, or wound up. */
export function isMoving(run: RunProgress): boolean {
  return isUnderWay(run) || (run.state === 'cancelled' && !isOver(run));
}

/** A cancelled run is wound up first, so that every row has its outcome. */
export function isOver({ state, chunks, closedChunks }: RunProgress): boolean {
  return state === 'finished' || (state === 'cancelled' && closedChunks === chunks);
}

export type RunProgress = Pick<Run, 'state' | 'chunks' | 'closedChunks'>;

export function pendingRows(run: Pick<Run, 'rows' | 'outcomes'>): number {
  return run.rows - countSettled(run.outcomes);
}
