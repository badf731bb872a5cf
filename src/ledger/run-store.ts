import { z } from 'zod';
import { type JobDefinition, jobDefinitionSchema } from '../config/job-definition.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { noOutcomes, OUTCOMES, type OutcomeCounts } from '../model/outcome.ts';
import {
  chunksOf,
  type Reason,
  RUN_STATES,
  RUN_TRANSITIONS,
  type Run,
  type RunState,
  reasonSchema,
  runSchema,
} from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import type { LedgerKeys } from './keys.ts';
import { DROP_LEASE, HOLD_LEASE } from './lua/lease.ts';
import { REGISTER } from './lua/register.ts';
import { TRANSITION } from './lua/transition.ts';
import { script } from './script.ts';

/** What a new run is made of. */
export type NewRun = {
  readonly id: string;
  readonly job: string;
  readonly definition: JobDefinition;
  readonly target: string;
  readonly facts: FileFacts;
  readonly chunkRows: number;
  readonly createdAt: Date;
  /** A new run even where the file has been taken to its end before. */
  readonly again: boolean;
};

export type RunStore = {
  /** Registers the run, or names the one that already took this file through this job. */
  register(run: NewRun): Promise<{ readonly kind: 'new' | 'known'; readonly id: string }>;
  get(id: string): Promise<Run | null>;
  definition(id: string): Promise<JobDefinition | null>;
  /** Newest first. */
  list(limit: number): Promise<Run[]>;
  /** Numbers of the chunks whose rows are all settled. */
  closedChunks(id: string): Promise<ReadonlySet<number>>;
  countClosed(id: string): Promise<number>;
  /** False where the table of transitions does not allow it from the state the run is in. */
  transition(id: string, to: RunState, reason: Reason | null): Promise<boolean>;
  /** Sets a run running that is paused for that reason; false: it isn't, or not for that one any more. */
  goOn(id: string, pausedFor: Reason): Promise<boolean>;
  /** Whether a person has let the run go on though not one of its first rows (`send.canary`) had succeeded. */
  isCanaryOverruled(id: string): Promise<boolean>;
  /** Takes or renews the right to read the run's file; false: another process has it. */
  holdLease(id: string, holder: string, ms: number): Promise<boolean>;
  dropLease(id: string, holder: string): Promise<void>;
  hasLease(id: string): Promise<boolean>;
  /** Who has that right and for how many more milliseconds, unless it is renewed. */
  leaseOf(id: string): Promise<{ readonly holder: string; readonly ms: number } | null>;
};

const register = script(REGISTER, z.tuple([z.enum(['new', 'known']), z.string()]));
const transition = script(TRANSITION, z.tuple([z.string(), z.number()]));
const holdLease = script(HOLD_LEASE, z.number());
const dropLease = script(DROP_LEASE, z.number());

/** The runs of one target, in Redis. */
export function createRunStore(redis: RedisConnection, keys: LedgerKeys, now: () => Date): RunStore {
  const get = async (id: string) => {
    const record = await redis.hgetall(keys.run(id).record);
    return Object.keys(record).length === 0 ? null : readRecord(record);
  };
  const move = async (id: string, to: RunState, change: { reason: string; from: readonly string[] }) => {
    const args = [to, change.reason, now().toISOString(), ...change.from];
    const [, moved] = await transition(redis, [keys.run(id).record], args);
    return moved === 1;
  };
  return {
    register: (run) => registerRun(redis, keys, run),
    get,
    async definition(id) {
      const text = await redis.hget(keys.run(id).record, 'definition');
      return text === null ? null : jobDefinitionSchema.parse(JSON.parse(text));
    },
    async list(limit) {
      const ids = await redis.zrevrange(keys.runs, 0, limit - 1);
      const runs = await Promise.all(ids.map(get));
      return runs.filter((run) => run !== null);
    },
    closedChunks: async (id) => new Set((await redis.hkeys(keys.run(id).blocks)).map(Number)),
    countClosed: async (id) => Number((await redis.hget(keys.run(id).record, 'closedChunks')) ?? 0),
    async transition(id, to, reason) {
      const from = RUN_STATES.filter((state) => RUN_TRANSITIONS[state].includes(to));
      // What a person asked for outlasts the window, which would let the run go on by itself.
      const also = reason === 'requested' ? ['paused window'] : [];
      return move(id, to, { reason: reason ?? '', from: [...from, ...also] });
    },
    goOn: (id, pausedFor) => move(id, 'running', { reason: '', from: [`paused ${pausedFor}`] }),
    isCanaryOverruled: async (id) => (await redis.hget(keys.run(id).record, 'canary')) === 'overruled',
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

async function registerRun(redis: RedisConnection, keys: LedgerKeys, run: NewRun) {
  const record = newRecord(run);
  const prefix = keys.run('').record;
  const [kind, id] = await register(
    redis,
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

/** The fields of a new run's record. */
export function newRecord(run: NewRun): Record<string, string | number> {
  const { facts } = run;
  return {
    id: run.id,
    job: run.job,
    operation: run.definition.operation,
    definition: JSON.stringify(run.definition),
    target: run.target,
    file: facts.path,
    sha256: facts.sha256,
    rows: facts.rows,
    chunkRows: run.chunkRows,
    source: JSON.stringify(facts.source),
    state: 'queued',
    reason: '',
    chunks: chunksOf({ rows: facts.rows, chunkRows: run.chunkRows, chunkEnds: facts.chunkEnds }),
    ...(facts.chunkEnds === null ? {} : { chunkEnds: JSON.stringify(facts.chunkEnds) }),
    createdAt: run.createdAt.toISOString(),
  };
}

const reasonFieldSchema = z.union([z.literal('').transform(() => null), reasonSchema]);

function readRecord(record: Readonly<Record<string, string>>): Run {
  return runSchema.parse({
    ...record,
    rows: Number(record.rows),
    chunkRows: Number(record.chunkRows),
    source: JSON.parse(record.source ?? 'null'),
    chunkEnds: JSON.parse(record.chunkEnds ?? 'null'),
    parent: record.parent ?? null,
    reason: reasonFieldSchema.parse(record.reason),
    outcomes: readCounts(record),
    closedChunks: Number(record.closedChunks ?? 0),
    startedAt: record.startedAt ?? null,
    finishedAt: record.finishedAt ?? null,
  });
}

function readCounts(record: Readonly<Record<string, string>>): OutcomeCounts {
  const counts = noOutcomes();
  for (const outcome of OUTCOMES) counts[outcome] = Number(record[`o:${outcome}`] ?? 0);
  return counts;
}
