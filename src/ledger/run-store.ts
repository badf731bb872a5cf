/**
 * The runs of one target: registered once for each file and job, read, listed, and moved from state
 * to state by the table of transitions (model/run.ts). A script applies the table, so that two
 * processes never move a run at the same time. The lease of who reads a run's file is here too.
 */

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { type JobDefinition, jobDefinitionSchema, operationOf } from '../config/job-definition.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { noOutcomes, OUTCOMES, type OutcomeCounts, wasAccepted } from '../model/outcome.ts';
import {
  chunksOf,
  type Reason,
  RUN_STATES,
  RUN_TRANSITIONS,
  type Run,
  type RunState,
  reasonSchema,
  runSchema,
  runStateSchema,
  type StateRequest,
} from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import type { LedgerKeys } from './keys.ts';
import { DROP_LEASE, HOLD_LEASE, REGISTER, TRANSITION } from './lua/runs.ts';
import { script } from './script.ts';
import { storyLine } from './story.ts';

/** How many rows go first, alone: by the definition, or as the job's first large run here. */
export type Canary = { readonly rows: number; readonly kind: 'set' | 'first' };

export type NewRun = {
  readonly id: string;
  readonly job: string;
  readonly definition: JobDefinition;
  readonly target: string;
  readonly facts: FileFacts;
  readonly chunkRows: number;
  readonly canary?: Canary | null;
  readonly createdAt: Date;
  readonly again: boolean;
};

export type RunStore = {
  /**
   * Registers the run, or names the one that already took this file through this job. Workers
   * register in an epoch: otherwise a ledger that just forgot the file's run would skip every row
   * as known, and the run that sent them would be gone.
   */
  register(
    run: NewRun,
    epoch?: Pick<LedgerEpoch, 'call'>,
  ): Promise<{ readonly kind: 'new' | 'known'; readonly id: string }>;
  get(id: string): Promise<Run | null>;
  definition(id: string): Promise<JobDefinition | null>;
  /** Unknown runs are left out. */
  statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, RunState>>;
  /** Newest first. */
  list(limit: number): Promise<Run[]>;
  closedChunks(id: string): Promise<ReadonlySet<number>>;
  countClosed(id: string): Promise<number>;
  /** Numbers of the chunks that were queued and are not closed. */
  openChunks(id: string): Promise<readonly number[]>;
  /** False where the table of transitions does not allow it. */
  transition(id: string, to: RunState, reason: Reason | null, request?: StateRequest): Promise<boolean>;
  /** Sets a run running that is paused for that reason; false where it isn't. */
  goOn(id: string, pausedFor: Reason): Promise<boolean>;
  /** `first`: without a setting. `overruled`: a person let the run go on. `''`: neither. */
  canaryOf(id: string): Promise<'' | 'first' | 'overruled'>;
  /** Whether first rows of the job succeeded at this target, or a person overruled its canary. */
  isProven(job: string): Promise<boolean>;
  prove(job: string, run: string): Promise<void>;
  /** Takes or renews the lease to read the run's file; false: another process has it. */
  holdLease(id: string, holder: string, ms: number): Promise<boolean>;
  dropLease(id: string, holder: string): Promise<void>;
  hasLease(id: string): Promise<boolean>;
  leaseOf(id: string): Promise<{ readonly holder: string; readonly ms: number } | null>;
};

const canarySchema = z.enum(['', 'first', 'overruled']);
const registeredSchema = z.tuple([z.enum(['new', 'known']), z.string()]);
const register = script(REGISTER, registeredSchema);
const registerInEpoch = inEpoch(REGISTER, registeredSchema);
const transition = script(TRANSITION, z.tuple([z.string(), z.number()]));
const holdLease = script(HOLD_LEASE, z.number());
const dropLease = script(DROP_LEASE, z.number());

export function createRunStore(redis: RedisConnection, keys: LedgerKeys, now: () => Date): RunStore {
  const get = async (id: string) => {
    const { record: key, blocks } = keys.run(id);
    const [record, closed] = await Promise.all([redis.hgetall(key), redis.hlen(blocks)]);
    return Object.keys(record).length === 0 ? null : readRecord(record, closed);
  };
  type Change = {
    readonly reason: string;
    readonly from: readonly string[];
    readonly request?: StateRequest | undefined;
  };
  const move = async (id: string, to: RunState, { reason, from, request }: Change) => {
    const asked = request === undefined ? '' : JSON.stringify(request);
    const at = now();
    const told = storyLine({
      at: at.getTime(),
      what: to,
      why: request?.why ?? reason,
      by: request?.by ?? '',
    });
    const args = [to, reason, at.toISOString(), asked, told, ...from];
    const { record, story } = keys.run(id);
    const [, moved] = await transition(redis, [record, story], args);
    return moved === 1;
  };
  return {
    register: (run, epoch) =>
      registerRun(keys, run, (names, args) =>
        epoch === undefined ? register(redis, names, args) : epoch.call(registerInEpoch, names, args),
      ),
    get,
    async definition(id) {
      const text = await redis.hget(keys.run(id).record, 'definition');
      return text === null ? null : jobDefinitionSchema.parse(JSON.parse(text));
    },
    async statesOf(ids) {
      const states = await Promise.all(ids.map((id) => redis.hget(keys.run(id).record, 'state')));
      return new Map(
        ids.flatMap((id, i) => {
          const state = runStateSchema.safeParse(states[i]).data;
          return state === undefined ? [] : [[id, state] as const];
        }),
      );
    },
    async list(limit) {
      const ids = await redis.zrevrange(keys.runs, 0, limit - 1);
      const runs = await Promise.all(ids.map(get));
      return runs.filter((run) => run !== null);
    },
    closedChunks: async (id) => new Set((await redis.hkeys(keys.run(id).blocks)).map(Number)),
    async openChunks(id) {
      const { record, blocks } = keys.run(id);
      const [added, closed] = await Promise.all([redis.hget(record, 'added'), redis.hkeys(blocks)]);
      const isClosed = new Set(closed.map(Number));
      return Array.from({ length: Number(added ?? 0) }, (_, i) => i + 1).filter((n) => !isClosed.has(n));
    },
    countClosed: (id) => redis.hlen(keys.run(id).blocks),
    async transition(id, to, reason, request) {
      const from = RUN_STATES.filter((state) => RUN_TRANSITIONS[state].includes(to));
      // A person's pause replaces the window's, which would end by itself.
      const also = reason === 'requested' ? ['paused window'] : [];
      return move(id, to, { reason: reason ?? '', from: [...from, ...also], request });
    },
    goOn: (id, pausedFor) => move(id, 'running', { reason: '', from: [`paused ${pausedFor}`] }),
    canaryOf: async (id) => canarySchema.parse((await redis.hget(keys.run(id).record, 'canary')) ?? ''),
    isProven: async (job) => (await redis.hexists(keys.files, `proven:${job}`)) === 1,
    async prove(job, run) {
      await redis.hset(keys.files, `proven:${job}`, run);
    },
    holdLease: async (id, holder, ms) => (await holdLease(redis, [keys.run(id).lease], [holder, ms])) === 1,
    async dropLease(id, holder) {
      await dropLease(redis, [keys.run(id).lease], [holder]);
    },
    hasLease: async (id) => (await redis.exists(keys.run(id).lease)) === 1,
    async leaseOf(id) {
      const { lease } = keys.run(id);
      const [holder, ms] = await Promise.all([redis.get(lease), redis.pttl(lease)]);
      return holder === null ? null : { holder, ms };
    },
  };
}

async function registerRun(
  keys: LedgerKeys,
  run: NewRun,
  call: (
    names: readonly string[],
    args: readonly (string | number)[],
  ) => Promise<z.infer<typeof registeredSchema>>,
) {
  const record = newRecord(run);
  const prefix = keys.run('').record;
  const [kind, id] = await call(
    [keys.files, keys.runs, keys.run(run.id).record],
    [
      `${run.facts.sha256}:${run.job}`,
      run.id,
      run.createdAt.getTime(),
      run.again ? 1 : 0,
      prefix,
      ...Object.entries(record).flat(),
    ],
  );
  return { kind, id };
}

export function newRecord(run: NewRun): Record<string, string | number> {
  const { facts, canary = null } = run;
  const chunking = {
    rows: facts.rows,
    chunkRows: run.chunkRows,
    chunkEnds: facts.chunkEnds,
    ...(facts.chunkEnds === null && canary !== null && { firstRows: canary.rows }),
  };
  return {
    id: run.id,
    job: run.job,
    operation: operationOf(run.definition),
    definition: JSON.stringify(run.definition),
    target: run.target,
    file: facts.path,
    sha256: facts.sha256,
    rows: facts.rows,
    chunkRows: run.chunkRows,
    source: JSON.stringify(facts.source),
    state: 'queued',
    reason: '',
    chunks: chunksOf(chunking),
    ...(chunking.firstRows !== undefined && { firstRows: chunking.firstRows }),
    ...(canary?.kind === 'first' && { canary: canary.kind }),
    ...(facts.chunkEnds === null ? {} : { chunkEnds: JSON.stringify(facts.chunkEnds) }),
    ...((facts.apart ?? []).length > 0 && { apart: JSON.stringify(facts.apart) }),
    createdAt: run.createdAt.toISOString(),
  };
}

const reasonFieldSchema = z.union([z.literal('').transform(() => null), reasonSchema]);

function readRecord(record: Readonly<Record<string, string>>, closedChunks: number): Run {
  return runSchema.parse({
    ...record,
    rows: Number(record.rows),
    chunkRows: Number(record.chunkRows),
    source: JSON.parse(record.source ?? 'null'),
    chunkEnds: JSON.parse(record.chunkEnds ?? 'null'),
    ...(record.apart !== undefined && { apart: JSON.parse(record.apart) }),
    ...(record.firstRows !== undefined && { firstRows: Number(record.firstRows) }),
    parent: record.parent ?? null,
    reason: reasonFieldSchema.parse(record.reason),
    request: (record.request ?? '') === '' ? undefined : JSON.parse(record.request ?? ''),
    ...(record.movedAt !== undefined && { movedAt: Number(record.movedAt) }),
    outcomes: readCounts(record),
    chunks: Number(record.chunks),
    closedChunks,
    startedAt: record.startedAt ?? null,
    finishedAt: record.finishedAt ?? null,
  });
}

function readCounts(record: Readonly<Record<string, string>>): OutcomeCounts {
  const counts = noOutcomes();
  for (const outcome of OUTCOMES) counts[outcome] = Number(record[`o:${outcome}`] ?? 0);
  return counts;
}

/** `null`: none. */
export function runOfFile(
  redis: RedisConnection,
  keys: LedgerKeys,
  file: { readonly sha256: string; readonly job: string },
): Promise<string | null> {
  return redis.hget(keys.files, `${file.sha256}:${file.job}`);
}

const OVER: readonly RunState[] = ['finished', 'cancelled'];
const RUNS_PER_LOOK = 500;

/** Later jobs (`after`) wait until a run is finished or cancelled, even where it is paused. */
export function holdsUpLaterJobs(state: string | null | undefined): boolean {
  return !OVER.some((over) => over === state);
}

export async function openRunsOf(
  redis: RedisConnection,
  keys: LedgerKeys,
  jobs: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (jobs.size === 0) return [];
  const ids = await redis.zrange(keys.runs, '0', '-1');
  const open: string[] = [];
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    const part = ids.slice(at, at + RUNS_PER_LOOK);
    const found = await Promise.all(part.map((id) => redis.hmget(keys.run(id).record, 'job', 'state')));
    open.push(
      ...part.filter((_, i) => {
        const [job = null, state] = found[i] ?? [];
        return job !== null && jobs.has(job) && holdsUpLaterJobs(state);
      }),
    );
  }
  return open;
}

const ACCEPTED = OUTCOMES.filter(wasAccepted).map((outcome) => `o:${outcome}`);

/** Whether the service has accepted a row of any run, newest run first. */
export async function hasEverAccepted(redis: RedisConnection, keys: LedgerKeys): Promise<boolean> {
  const ids = await redis.zrevrange(keys.runs, 0, -1);
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    const part = ids.slice(at, at + RUNS_PER_LOOK);
    const found = await Promise.all(part.map((id) => redis.hmget(keys.run(id).record, ...ACCEPTED)));
    if (found.flat().some((count) => Number(count ?? 0) > 0)) return true;
  }
  return false;
}

/** In any state, oldest first. */
export async function runsWithOpenRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  { get }: Pick<RunStore, 'get'>,
): Promise<readonly string[]> {
  const ids = await redis.zrange(keys.runs, '0', '-1');
  const open: string[] = [];
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    const runs = await Promise.all(ids.slice(at, at + RUNS_PER_LOOK).map(get));
    for (const run of runs) if (run !== null && run.closedChunks < run.chunks) open.push(run.id);
  }
  return open;
}

const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const RANDOM_LETTERS = 4;

/** Sorts by time, can be read out loud, and is never used twice: `20261121-034512-k3f9` (UTC). */
export function newRunId(now: Date): string {
  const [date = '', time = ''] = now.toISOString().replaceAll(/[-:]/g, '').split('T');
  const random = Array.from({ length: RANDOM_LETTERS }, () => LETTERS.charAt(randomInt(LETTERS.length))).join(
    '',
  );
  return `${date}-${time.slice(0, 6)}-${random}`;
}
