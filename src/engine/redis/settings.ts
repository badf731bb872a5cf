/**
 * Whether a Redis keeps what the ledger promises. Settings by which rows could be lost or sent
 * twice are refused, unless the user accepts that.
 */
import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { UsageError } from '../../lib/usage-error.ts';

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
const CUT_OFF = 'a master that is cut off would go on beside its successor, and rows could be sent twice';
/** Whether it starts with an append-only file that ends within a write. */
const LOADS_TORN_END = 'aof-load-truncated';

type Expectation = {
  readonly kind: 'refused' | 'warning';
  readonly expected: string;
  /** What any other value costs. */
  readonly cost: string;
  /** By default only what is expected is. */
  readonly isRight?: (value: string) => boolean;
  /** By default what is expected. */
  readonly advised?: string;
};

const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  'maxmemory-policy': {
    kind: 'refused',
    expected: 'noeviction',
    cost: 'a full Redis forgets rows, and they may be sent twice',
  },
  appendonly: {
    kind: 'refused',
    expected: 'yes',
    cost: 'a restart of Redis would forget what was sent',
  },
  [LOADS_TORN_END]: {
    kind: 'refused',
    expected: 'no, or the right to BGREWRITEAOF (ACL SETUSER, +bgrewriteaof)',
    cost: 'a write that a power cut broke off would be carried out at a later start',
    isRight: (value) => value === 'no',
    advised: 'no',
  },
  appendfsync: {
    kind: 'warning',
    expected: 'always',
    cost: 'a power cut loses up to a second (everysec), or what the system had not written yet (no)',
  },
  'min-replicas-to-write': {
    kind: 'refused',
    expected: '1 or more with Sentinel',
    cost: CUT_OFF,
    isRight: (count) => Number(count) > 0,
    advised: '1',
  },
  'min-replicas-max-lag': {
    kind: 'refused',
    expected: `1 to ${LAG_MAX_SECONDS} with Sentinel`,
    cost: CUT_OFF,
    isRight: (seconds) => Number(seconds) > 0 && Number(seconds) <= LAG_MAX_SECONDS,
    advised: String(LAG_MAX_SECONDS),
  },
};

export function judgeSettings({ version, values }: RedisSettings): readonly SettingsFinding[] {
  const findings = Object.entries(EXPECTATIONS).map(([name, one]) => judgeValue(name, values[name], one));
  return [judgeVersion(version), ...findings].filter((one) => one !== null);
}

function judgeVersion(version: string | null): SettingsFinding | null {
  if (version !== null && Number.parseInt(version, 10) >= OLDEST_MAJOR) return null;
  return {
    kind: version === null ? 'warning' : 'impossible',
    problem: `it is version ${version ?? 'unknown'}, expected ${OLDEST_MAJOR}.0 or newer`,
    advice: 'Update it (Valkey serves too), or leave REDIS_URL unset for an embedded server.',
  };
}

/** `undefined`: it doesn't matter on this server. */
function judgeValue(
  name: string,
  value: string | null | undefined,
  { kind, expected, cost, isRight, advised = expected }: Expectation,
): SettingsFinding | null {
  if (value === undefined) return null;
  const isFine = value !== null && (isRight?.(value) ?? value === expected);
  if (isFine) return null;
  const found = value === null ? "can't be read" : `is ${value}`;
  return {
    kind: value === null ? 'warning' : kind,
    problem: `${name} ${found}, expected ${expected}: ${cost}`,
    advice: `\`CONFIG SET ${name} ${advised}\`, and \`${name} ${advised}\` in redis.conf so that it stays.`,
  };
}

export type RedisSettings = Awaited<ReturnType<typeof readSettings>>;

/** `null`: the server doesn't say, as with some managed services. */
export async function readSettings(redis: Redis) {
  const said = await readInfo(redis);
  const values: Record<string, string | null> = {
    'maxmemory-policy': said('maxmemory_policy') ?? (await configured(redis, 'maxmemory-policy')),
    appendonly: APPEND_ONLY[said('aof_enabled') ?? ''] ?? (await configured(redis, 'appendonly')),
  };
  const further: string[] = [];
  if (values.appendonly !== 'no') further.push('appendfsync');
  // Without Sentinels nobody names a successor.
  if (redis.options.sentinels) further.push('min-replicas-to-write', 'min-replicas-max-lag');
  for (const name of further) values[name] = await configured(redis, name);
  if (values.appendonly === 'yes' && !(await mayRewrite(redis)))
    values[LOADS_TORN_END] = (await configured(redis, LOADS_TORN_END)) ?? 'unknown';
  return {
    version: said('redis_version'),
    values,
    usedMemoryBytes: numberOf(said('used_memory')),
    /** 0 for no limit. */
    maxMemoryBytes: numberOf(said('maxmemory') ?? (await configured(redis, 'maxmemory'))),
  };
}

/** As INFO has it. */
const APPEND_ONLY: Readonly<Record<string, string>> = { 1: 'yes', 0: 'no' };

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
