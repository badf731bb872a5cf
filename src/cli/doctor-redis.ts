import type { Redis } from 'ioredis';
import type { RedisConnection } from '../lib/redis-connection.ts';
import {
  type DataServer,
  dataServers,
  judgeSettings,
  type RedisSettings,
  readSettings,
  type SettingsFinding,
} from '../redis/settings.ts';
import { counted, type Finding, ok, problem, warning } from './doctor-finding.ts';
import { inMegabytes } from './doctor-machine.ts';

const MEMORY_SHARE_MAX = 0.8;
/** Beyond this the time stamps of reports from several machines are no order any more. */
const SKEW_MAX_MS = 5_000;

/** A Redis that answers: settings, memory and clock of each server. `accepted`: the user takes what its settings may lose. */
export async function checkRedis(
  redis: RedisConnection,
  where: string,
  accepted: boolean,
): Promise<Finding[]> {
  const servers = await dataServers(redis);
  const found = await Promise.all(
    servers.map(async (server) =>
      named(server, await checkServer(server.redis, server.name ?? where, accepted)),
    ),
  );
  const isCluster = servers.some(({ name }) => name !== null);
  return [
    ...(isCluster ? [ok('redis', `${where} is a cluster of ${counted(servers.length, 'master')}`)] : []),
    ...found.flat(),
  ];
}

async function checkServer(redis: Redis, where: string, accepted: boolean): Promise<Finding[]> {
  const settings = await readSettings(redis);
  return [
    ok('redis', `${where} answers, version ${settings.version ?? 'unknown'}`),
    ...judgedSettings(settings, accepted),
    ...judgeMemory(settings),
    judgeSkew(await clockSkew(redis)),
  ];
}

/** Of several servers each is named. */
function named({ name }: DataServer, findings: readonly Finding[]): Finding[] {
  return findings.map((one) =>
    name === null || one.check === 'redis' ? one : { ...one, check: `${one.check} of ${name}` },
  );
}

function judgedSettings(settings: RedisSettings, accepted: boolean): Finding[] {
  const found = judgeSettings(settings);
  if (found.length === 0) return [ok('redis settings', 'append-only with fsync always, noeviction')];
  return found.map((one) => settingsFinding(one, accepted));
}

function settingsFinding({ kind, problem: what, advice }: SettingsFinding, accepted: boolean): Finding {
  if (kind === 'impossible') return problem('redis settings', what, advice);
  if (kind === 'warning') return warning('redis settings', what, advice);
  return accepted
    ? warning('redis settings', `${what} (accepted by ONBOARD_ACCEPT_REDIS_SETTINGS)`, advice)
    : problem('redis settings', what, `${advice} Or start with --accept-redis-settings.`);
}

/** Nothing where the server doesn't say. */
export function judgeMemory({ usedMemoryBytes, maxMemoryBytes }: RedisSettings): Finding[] {
  if (usedMemoryBytes === null || maxMemoryBytes === null) return [];
  const used = inMegabytes(usedMemoryBytes);
  if (maxMemoryBytes === 0) return [ok('redis memory', `${used} used, no limit set`)];
  const share = usedMemoryBytes / maxMemoryBytes;
  const finding = `${Math.round(share * 100)} % of maxmemory (${used} of ${inMegabytes(maxMemoryBytes)})`;
  if (share <= MEMORY_SHARE_MAX) return [ok('redis memory', finding)];
  return [warning('redis memory', finding, 'Raise maxmemory: a Redis that is full lets reading wait.')];
}

/** How far Redis' clock is ahead of this machine's, in milliseconds. */
async function clockSkew(redis: Redis): Promise<number> {
  const before = Date.now();
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  const here = (before + Date.now()) / 2;
  return seconds * 1000 + microseconds / 1000 - here;
}

/** `skew` in milliseconds. */
export function judgeSkew(skew: number): Finding {
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= SKEW_MAX_MS) return ok('clock', 'this machine and Redis agree on the time');
  const finding = `this machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} that of Redis`;
  return warning('clock', finding, 'Have both set by NTP: times in reports are wrong until then.');
}
