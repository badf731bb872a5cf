/**
 * The runs of one target: registered once for each file and job, read, listed, and moved from state
 * to state by the table of transitions (model/run.ts). A script applies the table, so that two
 * processes never move a run at the same time. The lease of who reads a run's file is here too.
 */

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { type JobDefinition, jobDefinitionSchema } from '../../config/job-definition.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { acceptedRows } from '../../model/outcome.ts';
import {
  PAUSES_OF_MACHINES,
  type Reason,
  RUN_STATES,
  RUN_TRANSITIONS,
  type Run,
  type RunState,
  runStateSchema,
  type StateRequest,
} from '../../model/run.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { createSharedBreaker } from './breaker.ts';
import { bucketsOf, type LedgerKeys } from './keys.ts';
import DROP_LEASE from './lua/drop-lease.lua';
import HOLD_LEASE from './lua/hold-lease.lua';
import REGISTER from './lua/register.lua';
import REGISTER_IN_EPOCH from './lua/register-in-epoch.lua';
import TRANSITION from './lua/transition.lua';
import { originFields } from './origins.ts';
import { unpackRowNumbers } from './row-numbers.ts';
import {
  allBriefs,
  columnsBeside,
  deliveriesOf,
  finishedDelivery,
  latestDelivery,
  type NewRun,
  newRecord,
  type RunBrief,
  readRun,
  registeredSchema,
  registration,
  rightCellsIn,
  unsentField,
} from './run-record.ts';
import { script } from './script.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

const register = script(REGISTER, registeredSchema);
const registerVerified = whenVerified(REGISTER_IN_EPOCH, registeredSchema);
const transition = script(TRANSITION, z.tuple([z.string(), z.number()]));
const holdLease = script(HOLD_LEASE, z.tuple([z.number(), z.string()]));
const dropLease = script(DROP_LEASE, z.number());

export type RunStore = ReturnType<typeof createRunStore>;

type Change = {
  readonly reason: string;
  /** In the audit; left out: the reason. */
  readonly why?: string;
  readonly from: readonly string[];
  readonly request?: StateRequest | undefined;
  /** That was approved. */
  readonly plan?: string | undefined;
};

export function createRunStore(redis: RedisConnection, keys: LedgerKeys, now: () => Date) {
  const breaker = createSharedBreaker(redis, keys);
  return {
    ...createReads(redis, keys),
    ...createMoves(redis, keys, now),
    ...createLeases(redis, keys),
    register: (run: NewRun, verified?: Pick<VerifiedLedger, 'call'>) =>
      registerRun(run, { redis, keys, verified }),
    /** For rehearsals alone: no file was loaded, and no key of these spaces is known. */
    async forget(spaces: ReadonlySet<string>): Promise<void> {
      const known = [...spaces].flatMap((space) => [keys.writtenOff(space), ...bucketsOf(keys, space)]);
      await redis.unlink([keys.files, ...known]);
    },
    /** Whether first rows of the job succeeded at this target. */
    isProven: async (job: string) => (await redis.hexists(keys.files, `proven:${job}`)) === 1,
    async prove(job: string, run: string) {
      await redis.hset(keys.files, `proven:${job}`, run);
    },
    tryOne: breaker.tryOne,
    tryNow: breaker.tryNow,
  };
}

type Registering = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly verified: Pick<VerifiedLedger, 'call'> | undefined;
};

/**
 * Registers the run, or names the one that already took this file through this job. Workers
 * register on a verified ledger: one that just forgot the file's run would skip every row as known,
 * and the run that sent them would be gone.
 */
async function registerRun(run: NewRun, { redis, keys, verified }: Registering) {
  const { facts, job, again, origins: taken } = run;
  const from = [...(taken?.origins.keys() ?? [])];
  const asked = { entry: `${facts.sha256}:${job}`, again, taken: taken?.latest, from };
  const origins = await originFields(taken?.origins);
  const against = origins.standsFor === undefined ? await finishedDelivery(redis, keys, job) : null;
  const bound = { ...origins, ...(against !== null && { against: JSON.stringify(against) }) };
  const record = { ...newRecord(run, keys), ...bound, ...(await unsentField(run)) };
  const [names, args] = registration(keys, record, asked);
  const [kind, id] = await appending(redis, [keys.audit], ([link = '']) => {
    const said = [link, ...args];
    return verified?.call(registerVerified, names, said) ?? register(redis, names, said);
  });
  return { kind, id };
}

/** Read at once: what a run is bound to is not lost without its definition. */
async function readTerms(redis: RedisConnection, record: string) {
  const [definition, unsent, right] = await redis.hmget(record, 'definition', 'unsent', 'right');
  return {
    definition: parsedDefinition(definition),
    /** Rows of which nothing may be sent, as whoever let the run go saw it; `null`: no such. */
    unsent: unsent ? new Set(await unpackRowNumbers(unsent)) : null,
    right: rightCellsIn(right),
  };
}

function parsedDefinition(text: string | null | undefined): JobDefinition | null {
  return text ? jobDefinitionSchema.parse(JSON.parse(text)) : null;
}

/** Runs as they stand. */
function createReads(redis: RedisConnection, keys: LedgerKeys) {
  const get = (id: string) => readRun(redis, keys, id);
  const termsOf = (id: string) => readTerms(redis, keys.run(id).record);
  const closedChunks = async (id: string): Promise<ReadonlySet<number>> =>
    new Set((await redis.hkeys(keys.run(id).blocks)).map(Number));
  const idsOf = async (isMeant: (run: RunBrief) => boolean) => {
    const ids: string[] = [];
    for await (const run of allBriefs(redis, keys)) if (isMeant(run)) ids.push(run.id);
    return ids;
  };
  const runsOf = async (ids: readonly string[]) =>
    (await Promise.all(ids.map(get))).filter((run) => run !== null);

  return {
    get,
    closedChunks,
    termsOf,
    unsent: async (id: string): Promise<ReadonlySet<number> | null> => (await termsOf(id)).unsent,
    definition: async (id: string): Promise<JobDefinition | null> =>
      parsedDefinition(await redis.hget(keys.run(id).record, 'definition')),
    /** Unknown runs are left out. */
    async statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, RunState>> {
      const states = new Map<string, RunState>();
      for (const id of ids) {
        const state = await redis.hget(keys.run(id).record, 'state');
        if (state !== null) states.set(id, runStateSchema.parse(state));
      }
      return states;
    },
    /** `null`: none. */
    ofFile: (file: { readonly sha256: string; readonly job: string }) =>
      redis.hget(keys.files, `${file.sha256}:${file.job}`),
    /** Runs of that content by any job, oldest first. */
    async ofContent(sha256: string): Promise<readonly string[]> {
      const files = Object.entries(await redis.hgetall(keys.files));
      return files.flatMap(([entry, run]) => (entry.startsWith(`${sha256}:`) ? [run] : [])).sort();
    },
    /** The latest of a series, the latest first. */
    deliveriesOf: (series: string, of: Parameters<typeof deliveriesOf>[3]) =>
      deliveriesOf(redis, keys, series, of),
    columnsBeside: (series: string, of: Parameters<typeof columnsBeside>[3]) =>
      columnsBeside(redis, keys, series, of),
    latestDelivery: (job: string) => latestDelivery(redis, keys, job),
    finishedDelivery: (job: string) => finishedDelivery(redis, keys, job),
    /** Of these jobs, oldest first. */
    async holdingUp(jobs: ReadonlySet<string>): Promise<readonly string[]> {
      if (jobs.size === 0) return [];
      return idsOf(({ job, state }) => jobs.has(job) && holdsUpLaterJobs(state));
    },
    /** In any state, oldest first. */
    withOpenRows: () => idsOf(({ closedChunks, chunks }) => closedChunks < chunks),
    /** Whether a row of any run has reached the service. */
    async wasEverReached(): Promise<boolean> {
      for await (const { outcomes: of } of allBriefs(redis, keys))
        if (acceptedRows(of) + of.rejected + of.denied + of['in-doubt'] > 0) return true;
      return false;
    },
    /** The run that took rows of others last, `''`: none; to be read before rows are looked at. */
    latestTaker: async () => (await redis.hget(keys.files, 'taken')) ?? '',
    /** Newest first. */
    list: async (limit: number) => runsOf(await redis.zrevrange(keys.runs, 0, limit - 1)),
    countClosed: (id: string) => redis.hlen(keys.run(id).blocks),
    /** Numbers of the chunks that were queued and are not closed. */
    async openChunks(id: string) {
      const added = Number((await redis.hget(keys.run(id).record, 'added')) ?? 0);
      const closed = await closedChunks(id);
      const queued = Array.from({ length: added }, (_, i) => i + 1);
      return queued.filter((n) => !closed.has(n));
    },
    /** That the program itself paused since the service refused the token. */
    async pausedForToken(): Promise<readonly Run[]> {
      const paused = await runsOf(await idsOf(({ state }) => state === 'paused'));
      return paused.filter(({ state, reason }) => state === 'paused' && reason === 'credentials');
    },
    /** `first`: without a setting. After a canary's stop: the chunk that goes alone next. */
    canaryOf: async (id: string) => (await redis.hget(keys.run(id).record, 'canary')) ?? '',
  };
}

/** From state to state, as the table of transitions allows it. */
function createMoves(redis: RedisConnection, keys: LedgerKeys, now: () => Date) {
  const { actor } = keys;
  const move = async (id: string, to: RunState, { reason, why = reason, from, request, plan }: Change) => {
    const asked =
      request === undefined ? '' : JSON.stringify({ ...request, via: actor.via, user: actor.user });
    const at = now().toISOString();
    const of = JSON.stringify({ reason: why || undefined, why: request?.why || undefined, plan });
    const args = [to, reason, at, asked, stubOf(keys, id, at), of, JSON.stringify(from)];
    const [, moved] = await appending(redis, [keys.audit], ([link = '']) =>
      transition(redis, [keys.run(id).record, keys.audit], [link, ...args]),
    );
    return moved === 1;
  };
  const transitionTo = (id: string, to: RunState, reason: Reason | null, request?: StateRequest) => {
    const from = RUN_STATES.filter((state) => RUN_TRANSITIONS[state].includes(to));
    // A person's pause replaces the window's, which would end by itself.
    const also = reason === 'requested' ? ['paused window'] : [];
    // Whatever has happened since the machine's request was looked at.
    const isBound = actor.via === 'machine' && to === 'running';
    const own = isBound ? from.flatMap((state) => (state === 'paused' ? PAUSES_OF_MACHINES : [state])) : from;
    return move(id, to, { reason: reason ?? '', from: [...own, ...also], request });
  };

  return {
    /** False where the table of transitions does not allow it. */
    transition: transitionTo,
    /** Sets a run running that is paused for that reason; false where it isn't. */
    goOn: (id: string, pausedFor: Exclude<Reason, 'approval' | 'unusual'>) =>
      move(id, 'running', { reason: '', why: `${pausedFor} over`, from: [`paused ${pausedFor}`] }),
    /** Sets a run running that waits for its approval; false where it doesn't. */
    approve: (id: string, request: StateRequest, plan?: string) =>
      move(id, 'running', { reason: '', from: ['paused approval'], request, plan }),
    /** Sets a run running whose file is unlike those before it; false where it waits for nobody. */
    letGo: (id: string, request: StateRequest) =>
      move(id, 'running', { reason: '', why: 'unusual', from: ['paused unusual'], request }),
    /** Pauses a run that is running; `problem`: what is to be put right. */
    async pause(id: string, reason: Reason, problem: string | null): Promise<boolean> {
      const { record } = keys.run(id);
      if (problem !== null) await redis.hset(record, 'problem', problem);
      return transitionTo(id, 'paused', reason);
    },
    /** Rows go on for the rest of the run, however often it would be paused for that. */
    async lift(id: string, reason: Reason) {
      await redis.hset(keys.run(id).record, 'lifted', reason);
    },
  };
}

/** Who reads a run's file. */
function createLeases(redis: RedisConnection, keys: LedgerKeys) {
  return {
    async leaseOf(id: string) {
      const { lease } = keys.run(id);
      const [holder, ms] = await Promise.all([redis.get(lease), redis.pttl(lease)]);
      return holder === null ? null : { holder, ms };
    },
    /** Takes or renews the lease to read the run's file; false: another process has it. */
    /** `from`: who read the run before, and was lost; '': nobody. */
    async holdLease(id: string, holder: string, ms: number) {
      const { lease, record } = keys.run(id);
      const [held, from] = await holdLease(redis, [lease, record], [holder, ms]);
      return { isHeld: held === 1, from };
    },
    async dropLease(id: string, holder: string) {
      const { lease, record } = keys.run(id);
      await dropLease(redis, [lease, record], [holder]);
    },
  };
}

/** Later jobs (`after`) wait until a run is finished or cancelled, even where it is paused. */
export function holdsUpLaterJobs(state: RunState): boolean {
  return state !== 'finished' && state !== 'cancelled';
}

const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const RANDOM_LETTERS = 4;

/** Sorts by time, can be read out loud, and is never used twice: `20261121-034512-k3f9` (UTC). */
export function newRunId(now: Date): string {
  const [date = '', time = ''] = now.toISOString().replaceAll(/[-:]/g, '').split('T');
  const letters = Array.from({ length: RANDOM_LETTERS }, () => LETTERS.charAt(randomInt(LETTERS.length)));
  return `${date}-${time.slice(0, 6)}-${letters.join('')}`;
}
