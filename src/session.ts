/**
 * What a command has open, from the environment to the ledger's Redis, and, once it has joined a
 * target, this process's registration, the delivery and the worker. All of it is closed with the
 * session, the last first.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Environment, makeHomeFolder, readEnvironment } from './config/environment.ts';
import { type RedisAddress, shownAddress } from './config/redis-address.ts';
import { type Delivery, openDelivery } from './delivery/delivery.ts';
import type { Service } from './delivery/target.ts';
import { tellWork } from './delivery/tell-work.ts';
import { ledgerKeys, ledgerName } from './engine/ledger/keys.ts';
import { assertKnownLedger, createRunIndex } from './engine/ledger/run-index.ts';
import { createRunStore } from './engine/ledger/run-store.ts';
import { openSealing, readKeyring, type Sealing } from './engine/ledger/sealing.ts';
import { startChunkWorker } from './engine/queue/chunk-worker.ts';
import { openRegistration, type Registration } from './engine/recovery/registration.ts';
import { connectRedis } from './engine/redis/connection.ts';
import { joinEmbeddedRedis, problemOfDisk, reviveOnLoss } from './engine/redis/embedded.ts';
import { assertReachable } from './engine/redis/reach.ts';
import { acceptSettings } from './engine/redis/settings.ts';
import { createMeter, type Meter } from './faces/metrics/meter.ts';
import { type Notifier, openNotifier } from './faces/notify/notifier.ts';
import { hasCode, messageOf } from './lib/errors.ts';
import type { ListenAddress } from './lib/listening.ts';
import { createLog, type Log } from './lib/log.ts';
import { freeBytes } from './lib/machine.ts';
import type { RedisConnection } from './lib/redis-connection.ts';
import { createReleasers, type Releasers } from './lib/releasers.ts';
import { type Io, tell, tellJson } from './lib/terminal.ts';
import { SHIPPED_TIMES, type Times } from './lib/times.ts';
import { GivenUpError, UsageError } from './lib/usage-error.ts';
import { withDeadline } from './lib/waiting.ts';
import { isDeadHere, isOfAnotherMachine } from './lib/worker-id.ts';
import type { Actor } from './model/audit.ts';

/** What a command has open; a part that needs less takes a Pick of it. */
export type Session = {
  readonly io: Io;
  readonly env: Environment;
  readonly log: Log;
  readonly clock: typeof SYSTEM_CLOCK;
  readonly times: Times;
  readonly meter: Meter;
  /** Where a monitor asks for what is counted; `null`: none does. */
  readonly metrics: ListenAddress | null;
  readonly ledger: Ledger;
  readonly redisNotice: RedisNotice;
  readonly releasers: Releasers;
};

type Outage = { readonly from: Date; readonly until: Date };

type RedisNotice = {
  /** When Redis was away, so far. */
  readonly outages: Outage[];
  /** False: whoever only looks does not wait until somebody has made room. */
  isWaitedOut: boolean;
};

/** Registered, so that it may give the target's rows their outcomes. */
export type TargetSession = Session & {
  readonly service: Service;
  readonly registration: Registration;
  readonly delivery: Delivery;
  /** `null`: nobody wants to be told of events. */
  readonly notifier: Notifier | null;
};

/** `now`: milliseconds that never go back. */
export const SYSTEM_CLOCK = { date: () => new Date(), now: () => performance.now() };

export type Ledger = ReturnType<typeof ledgerOn> & {
  /** Whether an embedded server is still this machine's to use; absent for any other server. */
  isOurs?(): Promise<boolean>;
  /** What keeps an embedded server from going on, and is up to the user. */
  problem?(): Promise<string | null>;
  /** Redis answers, and refuses what only a person can change. */
  isRefusing?(): boolean;
  /** Tells whoever changes something; absent where nobody does. */
  warn?(text: string): void;
};

/**
 * As `withSession`, but makes no ledger where there is none: `without` answers then, or else a
 * UsageError is thrown.
 */
export async function withKnownLedger<T>(
  io: Io,
  work: (session: Session) => Promise<T>,
  without?: (why: string, env: Environment) => T | Promise<T>,
): Promise<T> {
  const env = readEnvironment(io.env);
  if (env.redis !== null || existsSync(join(env.home, 'redis'))) return withSession(io, work);
  assertReadable(env.home);
  const why = `There is no ledger in ${env.home} yet: nothing was run there. For one elsewhere, set ONBOARD_HOME to its folder.`;
  if (without === undefined) throw new UsageError(why);
  return without(why, env);
}

/** A home of somebody else's looks like one that is not there. */
function assertReadable(home: string): void {
  try {
    accessSync(home, constants.X_OK);
  } catch (error) {
    if (!hasCode(error, 'EACCES')) return;
    throw new UsageError(
      `${home}: this user may not look into it, so what was run there is unknown. Expected the user whose home it is, or REDIS_URL for a ledger that several users share.`,
    );
  }
}

export function withSession<T>(
  io: Io,
  work: (session: Session) => Promise<T>,
  options?: SessionOptions,
): Promise<T> {
  return withCommand(io, async (command) => work(await openSession(command, options)));
}

/** What a command has before it opens a ledger, or without one. */
export type CommandParts = Pick<Session, 'io' | 'env' | 'log' | 'releasers'>;

/** What waits for Redis when a command gives up is journaled; it need not be waited for. */
const GIVEN_UP_MS = 5_000;

/** A part that could not be closed is told, and changes nothing else. */
export async function withCommand<T>(given: Io, work: (command: CommandParts) => Promise<T>): Promise<T> {
  const releasers = createReleasers((error) =>
    tell(given, `warning: something could not be closed properly; nothing is lost: ${messageOf(error)}`),
  );
  const end = new AbortController();
  const interrupted = AbortSignal.any([given.interrupted, end.signal]);
  const io = { ...given, interrupted, giveUp: (why: Error) => end.abort(why) };
  const givenUp = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason));
  });
  try {
    const env = readEnvironment(io.env);
    const command = { io, env, log: openLog(env, io), releasers };
    return await Promise.race([work(command), givenUp]);
  } finally {
    const released = releasers.release();
    await (end.signal.aborted ? withDeadline(released, GIVEN_UP_MS) : released);
  }
}

type SessionOptions = { readonly metrics?: ListenAddress | undefined };

export async function openSession(command: CommandParts, { metrics }: SessionOptions = {}): Promise<Session> {
  const { io, env, log, releasers } = command;
  const ledger = await openLedger(env, log, releasers, io);
  const name = shownAddress(ledger.address);
  const redisNotice: RedisNotice = { outages: [], isWaitedOut: false };
  releasers.push(noticeRedis(io, ledger.redis, { ...ledger, name }, redisNotice));
  return {
    ...command,
    clock: SYSTEM_CLOCK,
    times: io.times ?? SHIPPED_TIMES,
    meter: metrics === undefined ? createMeter() : await countingMeter(),
    metrics: metrics ?? null,
    ledger,
    redisNotice,
  };
}

/** Only who is asked for metrics loads the library that keeps them. */
async function countingMeter(): Promise<Meter> {
  const { createCounters } = await import('./faces/metrics/registry.ts');
  return createMeter(createCounters());
}

/** The log on stderr. On a terminal errors are told in words, unless LOG_LEVEL asks for the log. */
export function openLog(env: Environment, io: Io): Log {
  if (env.logLevel === null && io.stderr.isTTY === true)
    return createLog('error', { write: (line) => tell(io, wordsOf(line)) }, Date.now);
  return createLog(env.logLevel ?? 'warn', { write: (line) => tellJson(io, line) }, Date.now);
}

const logLineSchema = z.looseObject({ msg: z.string(), problem: z.string().optional() });

function wordsOf(line: string): string {
  const { msg, problem } = logLineSchema.parse(JSON.parse(line));
  return `warning: ${msg}${problem === undefined ? '' : `: ${problem}`}`;
}

/** More than the report, the journal and the append-only file of a large run take. */
const SPACE_MIN_BYTES = 500_000_000;
/** With less free space than this Redis ends at its next write. */
const SPACE_NONE_BYTES = 20_000_000;

export function judgeSpace(free: number) {
  const finding = `${inMegabytes(free)} free`;
  if (free >= SPACE_MIN_BYTES) return { status: 'ok', finding } as const;
  const short = `${finding}, expected ${inMegabytes(SPACE_MIN_BYTES)} or more`;
  return { status: free < SPACE_NONE_BYTES ? 'problem' : 'warning', finding: short } as const;
}

export function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}

/** `null`: it isn't, or nobody knows. */
export async function fullDisk({ home }: Pick<Environment, 'home'>): Promise<string | null> {
  const { status, finding } = judgeSpace(await freeBytes(home).catch(() => SPACE_MIN_BYTES));
  if (status !== 'problem') return null;
  return `The disk of ONBOARD_HOME (${home}) is full (${finding}): make room, rows wait while Redis can't write`;
}

/** Instead of what the system says of an embedded server. */
function sayingFull(env: Environment) {
  return async (error: unknown): Promise<never> => {
    const full = env.redis === null ? await fullDisk(env) : null;
    throw full === null ? error : new UsageError(`${full}.`);
  };
}

/** To whoever starts something that writes. */
async function tellSpace({ io, env: { home } }: Pick<Session, 'io' | 'env'>): Promise<void> {
  const { status, finding } = judgeSpace(await freeBytes(home).catch(() => SPACE_MIN_BYTES));
  if (status !== 'ok')
    tell(io, `warning: the disk of ONBOARD_HOME (${home}) has ${finding}: make room on it.`);
}

export async function prepareHome({ home }: Environment): Promise<boolean> {
  const isNew = !existsSync(home);
  await makeHomeFolder(home, 'reports');
  return isNew;
}

export function reportDirectory(env: Environment, run: string): string {
  return join(env.home, 'reports', run);
}

/** The embedded Redis, or that of `REDIS_URL`; closed by the releasers. */
export async function openLedger(env: Environment, log: Log, releasers: Releasers, io?: Io): Promise<Ledger> {
  const warn = (text: string) => (io === undefined ? log.warn(text) : tell(io, text));
  await makeHomeFolder(env.home);
  const onLost = (why: string) => {
    warn(why);
    // As if told to end: no row is sent any more, and files are left to the other machine.
    process.kill(process.pid, 'SIGTERM');
  };
  const onGivenUp = (why: string) => giveUp(new UsageError(why));
  const server =
    env.redis === null
      ? await joinEmbeddedRedis(env.home, { onLost, onGivenUp, tell: warn }).catch(sayingFull(env))
      : { address: env.redis };
  if ('close' in server) releasers.push(() => server.close());
  const { address } = server;
  await assertReachable(address).catch(sayingFull(env));
  const giveUp = (why: Error) => {
    redis.disconnect();
    io?.giveUp?.(why);
  };
  const times = io?.times ?? SHIPPED_TIMES;
  const refusals = createRefusals({ address, times, warn, giveUp });
  const onError = (error: Error) => log.warn('redis connection', { problem: error.message });
  const redis = connectRedis(address, onError, refusals.hear);
  releasers.push(() => redis.disconnect());
  const sealing = await unsealed(redis, env);
  // A server of the program's own is started again when it is lost.
  if ('revive' in server) {
    const onTrouble = (error: Error) => log.warn('the embedded Redis is gone', { problem: error.message });
    const reviving = reviveOnLoss(redis, server.revive, onTrouble);
    releasers.push(() => reviving.stop());
  }
  return {
    ...ledgerOn(redis, address, env, sealing),
    warn,
    isRefusing: refusals.areLately,
    ...('isOurs' in server && {
      isOurs: server.isOurs,
      problem: () => problemOfDisk(join(env.home, 'redis')),
    }),
  };
}

/** A UsageError where the program doesn't know the ledger's form, or the key is missing. */
export async function unsealed(redis: RedisConnection, env: Environment): Promise<Sealing> {
  const hasRuns = await assertKnownLedger(redis);
  const keyring = await readKeyring(env.encryptionKey, env.formerKeys);
  const sealedUnder = async () => {
    for (const { run, target } of await createRunIndex(redis).latest(1e9)) {
      const name = await redis.hget(ledgerKeys(target).run(run).record, 'ledgerKey');
      if (name !== null) return name;
    }
    return null;
  };
  return openSealing(redis, { keyring, home: env.home, hasRuns, sealedUnder });
}

/** A ledger's Redis and what is found in it without knowing a target. */
export function ledgerOn(
  redis: RedisConnection,
  address: RedisAddress,
  env: Pick<Environment, 'redis' | 'home' | 'actor'>,
  sealing: Sealing,
) {
  return {
    redis,
    /** For messages: the home it lies in, or the address of its Redis. */
    name: env.redis === null ? env.home : shownAddress(address),
    address,
    sealing,
    index: createRunIndex(redis),
    of: targetsOf(redis, env.actor, sealing),
  };
}

function targetsOf(redis: RedisConnection, actor: Actor, sealing: Sealing) {
  return (target: string) => {
    const keys = ledgerKeys(target, actor, sealing);
    return { keys, store: createRunStore(redis, keys, () => new Date()) };
  };
}

/** The audit says of what is done by it: that actor did; by default who runs this process. */
export function actingAs<S extends Pick<Session, 'env' | 'ledger'>>(
  session: S,
  actor = session.env.actor,
): S {
  const { ledger } = session;
  return { ...session, ledger: { ...ledger, of: targetsOf(ledger.redis, actor, ledger.sealing) } };
}

type Join = {
  /** False: this process takes no chunk from the queue. */
  readonly sends: boolean;
  readonly acceptsSettings?: boolean | undefined;
  /** Somebody has just begun what is executed, and waits for its end. */
  readonly isFollowed?: boolean;
};

/** To execute the service's runs, or only to read and follow them. */
export async function joinTarget(session: Session, service: Service, join: Join): Promise<TargetSession> {
  const { io, log, ledger, times, meter, releasers } = session;
  session.redisNotice.isWaitedOut = true;
  await tellSpace(session);
  if (join.sends) {
    await checkRedisSettings(session, join.acceptsSettings);
    io.interrupted.addEventListener('abort', () => tellEnding(session));
  }
  const { keys, store } = ledger.of(service.target);
  const registration = await register(session, service.target);
  const delivery = openDelivery({
    redis: ledger.redis,
    keys,
    store,
    registration,
    service,
    log,
    meter,
    isFollowed: join.isFollowed === true,
    tokenMs: times.tokenMs,
    interrupted: io.interrupted,
  });
  if (join.sends) {
    const worker = startChunkWorker({
      connection: ledger.redis,
      prefix: keys.queuePrefix,
      lockMs: times.lockMs,
      sealOf: (run) => keys.run(run).seal(),
      deliver: delivery.deliver,
      onError: (error) => log.warn('worker', { problem: error.message }),
    });
    releasers.push(() => worker.close());
    releasers.push(tellWork({ redis: ledger.redis, keys, meter, delivery }));
  }
  // Before the worker is closed: rows in flight settle, and the rest goes back for other workers.
  releasers.push(() => delivery.close());
  const notifier = await openNotifier({
    ...session.env,
    io,
    log,
    teller: registration.verified.worker,
    // One machine at a time has the embedded server.
    isDead: (other) => isDeadHere(other) || (ledger.isOurs !== undefined && isOfAnotherMachine(other)),
    onTry: meter.notified,
  });
  releasers.push(() => notifier?.close());
  return { ...session, service, registration, delivery, notifier };
}

function tellEnding({ io, times }: Session): void {
  // A command that is given up has words of its own.
  if (!(io.interrupted.reason instanceof DOMException)) return;
  const limit = `at most ${times.deadlineMs / 1000} s; once more ends at once`;
  // Below the `^C` that the terminal has drawn into the progress.
  if (io.stderr.isTTY === true) tell(io, '');
  tell(io, `Ending: rows in flight are being settled, ${limit} and leaves them in doubt.`);
}

async function register(session: Session, target: string): Promise<Registration> {
  const { io, env, log, ledger, times, meter, releasers } = session;
  await ledger.sealing.begun();
  await makeHomeFolder(env.home, 'journal');
  const registration = await openRegistration({
    redis: ledger.redis,
    ...ledger.of(target),
    index: ledger.index,
    target,
    folder: await makeHomeFolder(env.home, 'journal', ledgerName(target)),
    graceMs: times.graceMs,
    ...(ledger.isOurs !== undefined && { isOurs: ledger.isOurs }),
    log,
    onSync: (ms) => meter.synced(ms),
    notify: (text) => tell(io, text),
  });
  releasers.push(() => registration.close());
  return registration;
}

/** A UsageError where the settings lose what is promised, and the flag doesn't accept that. */
export async function checkRedisSettings(
  { io, ledger }: Pick<Session, 'io' | 'ledger'>,
  accepts: boolean | undefined,
): Promise<void> {
  for (const text of await acceptSettings(ledger.redis, accepts === true)) tell(io, `warning: ${text}`);
}

const isLong = (since: Date) => Date.now() - since.getTime() >= WORTH_A_WORD_MS;
const LOOK_MS = 250;
/** By then an embedded server is started again, and a failover nearly over. */
const WORTH_A_WORD_MS = 3_000;
/** So many looks in a row: a connection to a full server is lost again at once. */
const LOOKS_TO_BE_BACK = 2;

/**
 * Tells the user when everything waits for Redis, and when it goes on; a terminal shows no log.
 * `name`: how the user knows the server. Answers a function that ends the notice.
 */
export function noticeRedis(
  io: Io,
  redis: Pick<RedisConnection, 'status'>,
  { name, problem, isRefusing }: Pick<Ledger, 'name' | 'problem' | 'isRefusing'>,
  notice: RedisNotice,
): () => void {
  let since: Date | null = null;
  let isTold = false;
  let looks = 0;
  const end = () => {
    if (since !== null && isLong(since)) {
      // Where Redis refused this program that was told, too.
      tell(io, 'Redis is back.');
      notice.outages.push({ from: since, until: new Date() });
    }
    [since, isTold] = [null, false];
  };
  const look = () => {
    looks = redis.status === 'ready' ? looks + 1 : 0;
    if (looks >= LOOKS_TO_BE_BACK) end();
    if (looks > 0 || redis.status === 'end') return;
    since ??= new Date();
    if (isTold || isRefusing?.() || !isLong(since)) return;
    isTold = true;
    const time = since.toISOString().slice(11, 19);
    const what = `Redis at ${name} is away or takes no writes since ${time} UTC: nothing is sent meanwhile`;
    const say = (why: string | null) => {
      if (why === null) tell(io, `${what}, and it goes on by itself.`);
      else if (notice.isWaitedOut) tell(io, `${what}. ${why}`);
      else io.giveUp?.(new UsageError(why));
    };
    void (problem?.() ?? Promise.resolve(null)).then(say);
  };
  const looking = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(looking);
}

/** The longest pause after which a command that was refused is given again. */
const REFUSED_AGAIN_MS = 10_000;
const NOT_BY_ITSELF =
  'Nothing is sent meanwhile, and it does not go on by itself: ' +
  'put login, rights or database right (docs/redis.md).';

type Hearing = Pick<Ledger, 'address'> & {
  readonly times: Times;
  readonly warn: (text: string) => void;
  readonly giveUp: (why: Error) => void;
};

/** Tells what Redis refuses, and gives up where that lasts. */
function createRefusals({ address, times, warn, giveUp }: Hearing) {
  let [first, last, isTold] = [0, Number.NEGATIVE_INFINITY, false];
  const isOver = () => performance.now() - last > REFUSED_AGAIN_MS;
  return {
    areLately: () => !isOver(),
    hear({ message }: Error): void {
      if (isOver()) [first, isTold] = [performance.now(), false];
      last = performance.now();
      const why = message.replace(/\.$/, '');
      const words = `Redis at ${shownAddress(address)} refuses this program: ${why}. `;
      const isNews = !isTold && last - first >= WORTH_A_WORD_MS;
      if (isNews) warn(words + NOT_BY_ITSELF);
      isTold ||= isNews;
      if (last - first >= times.refusedMs) giveUp(new GivenUpError(words + TO_GO_ON));
    },
  };
}

const TO_GO_ON = 'Put that right, and give the same command again: nothing is lost, and it goes on.';
