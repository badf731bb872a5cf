/**
 * Whether a Redis keeps what the ledger promises. Settings by which rows could be lost or sent
 * twice are refused, unless the user accepts that.
 */
import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';

const GO_ON = 'To go on regardless, at the price of the promises above: --accept-redis-settings.';

/** Answers warnings; a UsageError where the ledger can't work, or the loss is not accepted. */
export async function acceptSettings(redis: RedisConnection, accepted: boolean): Promise<readonly string[]> {
  const findings = (await Promise.all((await dataServers(redis)).map(judgeServer))).flat();
  const stopping = findings.filter(({ kind }) => kind === 'impossible' || (kind === 'refused' && !accepted));
  if (stopping.length === 0) return findings.map(inWords);
  const isWaivable = stopping.every(({ kind }) => kind === 'refused');
  throw new UsageError([...stopping.map(inWords), ...(isWaivable ? [GO_ON] : [])]);
}

type ServerFinding = SettingsFinding & { readonly server: DataServer['name'] };

async function judgeServer({ name, redis }: DataServer): Promise<readonly ServerFinding[]> {
  return judgeSettings(await readSettings(redis)).map((finding) => ({ ...finding, server: name }));
}

function inWords({ server, problem, advice }: ServerFinding): string {
  return `Redis${server === null ? '' : ` ${server}`}: ${problem}. ${advice}`;
}

/**
 * `impossible`: the ledger can't work there. `refused`: it breaks the ledger's promises; the user
 * may accept that. `warning`: a little may be lost, or the setting can't be read.
 */
export type SettingsFinding = {
  readonly kind: 'impossible' | 'refused' | 'warning';
  /** What is set, what that costs, and what was expected. */
  readonly problem: string;
  readonly advice: string;
};

/** Script flags came with 7.0: without them a full Redis could not record outcomes. */
const OLDEST_MAJOR = 7;

/**
 * When the ledger changes servers, missing workers are waited for 15 s: by then a cut-off master
 * must take no writes. A master notices late replicas within a second.
 */
const LAG_MAX_SECONDS = 10;

export function judgeSettings(settings: RedisSettings): readonly SettingsFinding[] {
  const judges = [
    judgeVersion,
    judgeEviction,
    judgeAppendOnly,
    judgeTornEnd,
    judgeFsync,
    judgeFencing,
    judgeUnreadable,
  ];
  return judges.flatMap((one) => one(settings) ?? []);
}

function judgeVersion({ version }: RedisSettings): SettingsFinding | null {
  if (version === null || Number.parseInt(version, 10) >= OLDEST_MAJOR) return null;
  return {
    kind: 'impossible',
    problem: `it is version ${version}, expected ${OLDEST_MAJOR}.0 or newer`,
    advice: 'Update it (Valkey serves too), or leave REDIS_URL unset for an embedded server.',
  };
}

function judgeEviction({ evictionPolicy }: RedisSettings): SettingsFinding | null {
  if (evictionPolicy === null || evictionPolicy === 'noeviction') return null;
  return {
    kind: 'refused',
    problem: `maxmemory-policy is ${evictionPolicy}, expected noeviction: a full Redis forgets rows, and they may be sent twice`,
    advice: setTo('maxmemory-policy', 'noeviction'),
  };
}

function judgeAppendOnly({ appendOnly }: RedisSettings): SettingsFinding | null {
  if (appendOnly !== false) return null;
  return {
    kind: 'refused',
    problem: 'appendonly is no, expected yes: a restart of Redis would forget what was sent',
    advice: setTo('appendonly', 'yes'),
  };
}

function judgeTornEnd({ appendOnly, loadsTornEnd, mayRewrite }: RedisSettings): SettingsFinding | null {
  if (appendOnly !== true || loadsTornEnd === false || mayRewrite) return null;
  const is = loadsTornEnd === null ? "can't be read" : 'is yes';
  return {
    kind: 'refused',
    problem:
      `aof-load-truncated ${is} and BGREWRITEAOF is refused, expected no, or the right to it: ` +
      'a write that a power cut broke off would be carried out at a later start',
    advice: `Grant the right (ACL SETUSER, +bgrewriteaof), or ${setTo('aof-load-truncated', 'no')}`,
  };
}

function judgeFsync({ appendOnly, fsync }: RedisSettings): SettingsFinding | null {
  if (appendOnly === false || fsync === null || fsync === 'always') return null;
  const lost = fsync === 'everysec' ? 'up to a second' : 'what the system had not written yet';
  return {
    kind: 'warning',
    problem: `appendfsync is ${fsync}, expected always: a power cut loses ${lost}`,
    advice: setTo('appendfsync', 'always'),
  };
}

function judgeFencing({ fencing }: RedisSettings): SettingsFinding | null {
  if (fencing === null) return null;
  const { minReplicas, maxLagSeconds } = fencing;
  const cost = 'a master that is cut off would go on beside its successor, and rows could be sent twice';
  if (minReplicas === 0) {
    return {
      kind: 'refused',
      problem: `min-replicas-to-write is 0, expected 1 or more with Sentinel: ${cost}`,
      advice: setTo('min-replicas-to-write', '1'),
    };
  }
  if (maxLagSeconds === null || (maxLagSeconds > 0 && maxLagSeconds <= LAG_MAX_SECONDS)) return null;
  return {
    kind: 'refused',
    problem: `min-replicas-max-lag is ${maxLagSeconds}, expected 1 to ${LAG_MAX_SECONDS} with Sentinel: ${cost}`,
    advice: setTo('min-replicas-max-lag', String(LAG_MAX_SECONDS)),
  };
}

function judgeUnreadable(settings: RedisSettings): SettingsFinding | null {
  const hidden = [
    settings.version === null ? 'version' : null,
    settings.evictionPolicy === null ? 'maxmemory-policy' : null,
    settings.appendOnly === null ? 'appendonly' : null,
    settings.appendOnly !== false && settings.fsync === null ? 'appendfsync' : null,
    settings.fencing?.minReplicas === null ? 'min-replicas-to-write' : null,
  ].filter((name) => name !== null);
  if (hidden.length === 0) return null;
  return {
    kind: 'warning',
    problem: `it doesn't let ${hidden.join(', ')} be read, so that could not be checked`,
    advice:
      'Expected appendonly yes, appendfsync always, maxmemory-policy noeviction, ' +
      'and with Sentinel min-replicas-to-write 1.',
  };
}

function setTo(name: string, value: string): string {
  return `\`CONFIG SET ${name} ${value}\`, and \`${name} ${value}\` in redis.conf so that it stays.`;
}

/** `null`: the server doesn't say, as with some managed services. */
export type RedisSettings = Awaited<ReturnType<typeof readSettings>>;

export async function readSettings(redis: Redis) {
  const said = await readInfo(redis);
  const tornEnd = await configured(redis, 'aof-load-truncated');
  const aof = said('aof_enabled') ?? (await configured(redis, 'appendonly'));
  return {
    version: said('redis_version'),
    appendOnly: aof === null ? null : aof === '1' || aof === 'yes',
    /** It starts with an append-only file that ends within a write. */
    loadsTornEnd: tornEnd === null ? null : tornEnd === 'yes',
    /** This user may have it rewrite that file. */
    mayRewrite: await mayRewrite(redis),
    evictionPolicy: said('maxmemory_policy') ?? (await configured(redis, 'maxmemory-policy')),
    fsync: await configured(redis, 'appendfsync'),
    usedMemoryBytes: numberOf(said('used_memory')),
    /** 0 for no limit. */
    maxMemoryBytes: numberOf(said('maxmemory') ?? (await configured(redis, 'maxmemory'))),
    /** Stops a cut-off master's writes; `null` without Sentinels: nobody names a successor. */
    fencing: redis.options.sentinels ? await readFencing(redis) : null,
  };
}

async function readFencing(redis: Redis) {
  return {
    minReplicas: numberOf(await configured(redis, 'min-replicas-to-write')),
    maxLagSeconds: numberOf(await configured(redis, 'min-replicas-max-lag')),
  };
}

/** By a name of INFO; `null`: it doesn't say, or refuses. */
export async function readInfo(redis: Redis, section = 'default'): Promise<(name: string) => string | null> {
  const info = (await orRefused(() => redis.info(section))) ?? '';
  return (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
}

/** Whether BGREWRITEAOF would be carried out: asked in a transaction that is discarded. */
export async function mayRewrite(redis: Redis): Promise<boolean> {
  const asked = redis.pipeline().call('MULTI').call('BGREWRITEAOF').call('DISCARD');
  const [, answer] = (await asked.exec()) ?? [];
  // A full or busy server refuses nobody.
  return !/^(?:NOPERM|ERR unknown command)/.test(answer?.[0]?.message ?? '');
}

export async function configured(redis: Redis, name: string): Promise<string | null> {
  const answer = await orRefused(() => redis.config('GET', name));
  const value: unknown = Array.isArray(answer) ? answer[1] : null;
  return typeof value === 'string' ? value : null;
}

/** From a server that takes no command right now: its settings could be any. */
export const NOT_NOW = /^(?:BUSY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;

/** `null`: this user may not; a broken connection or a busy server is no refusal. */
export async function orRefused<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError' && !NOT_NOW.test(error.message)) return null;
    throw error;
  }
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

export type DataServer = {
  /** `host:port` of a cluster's node; `null` for the only server. */
  readonly name: string | null;
  readonly redis: Redis;
};

/** Each master of a cluster. */
export async function dataServers(redis: RedisConnection): Promise<readonly DataServer[]> {
  if (!(redis instanceof Cluster)) return [{ name: null, redis }];
  // ioredis knows the masters once the first command has its answer.
  await redis.ping();
  return redis.nodes('master').map((node) => ({ name: nameOf(node), redis: node }));
}

function nameOf({ options }: Redis): string {
  return `${options.host ?? ''}:${options.port ?? ''}`;
}
