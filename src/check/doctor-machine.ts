/** The doctor on the machine: Node.js, ONBOARD_HOME, the disk, each server of Redis. */
import { existsSync } from 'node:fs';
import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { countOf, shellWord } from '../lib/terminal.ts';
import {
  type DataServer,
  dataServers,
  judgeSettings,
  type RedisSettings,
  readSettings,
  type SettingsFinding,
} from '../redis/settings.ts';
import { type Finding, ok, problem, warning } from './doctor-finding.ts';

const OLDEST_NODE = [20, 19] as const;
const OTHERS_MAY_READ = 0o044;
/** More than the report, the journal and the append-only file of a large run take. */
const SPACE_MIN_BYTES = 500_000_000;
/** With less free space than this Redis ends at its next write. */
const SPACE_NONE_BYTES = 20_000_000;

/** `version` as Node gives it: 20.19.0. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', version);
  const finding = `${version}, expected ${OLDEST_NODE.join('.')} or newer`;
  return problem('node', finding, 'Install a newer Node.js: https://nodejs.org');
}

/** Writable by this user, readable by no other, on a disk with space. */
export async function checkHome(home: string): Promise<Finding[]> {
  const present = await presentFolders(home);
  const places = present.length > 0 ? present.map(({ path }) => path) : [nearestFolder(home)];
  const tried = await Promise.allSettled(places.map((path) => access(path, constants.W_OK | constants.X_OK)));
  const locked = places.filter((_, i) => tried[i]?.status === 'rejected');
  if (locked.length > 0) {
    const finding = `this user may not write to ${locked.join(', ')}`;
    return [problem('home', finding, `\`chown\` it to this user, or set ONBOARD_HOME to another folder.`)];
  }
  return [judgeReaders(home, present), judgeSpace(await freeBytes(places[0] ?? home))];
}

type Folder = { readonly path: string; readonly mode: number };

/** ONBOARD_HOME, first, and the folders in it; none where it is not there. */
async function presentFolders(home: string): Promise<readonly Folder[]> {
  const inside = await readdir(home, { withFileTypes: true }).catch(() => []);
  const names = inside.filter((one) => one.isDirectory()).map(({ name }) => join(home, name));
  const paths = existsSync(home) ? [home, ...names] : [];
  return Promise.all(paths.map(async (path) => ({ path, mode: (await stat(path)).mode })));
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function judgeReaders(home: string, folders: readonly Folder[]): Finding {
  if (folders.length === 0) return ok('home', `${home} is not there yet; the first run makes it`);
  const open = folders.filter(({ mode }) => (mode & OTHERS_MAY_READ) !== 0).map(({ path }) => path);
  if (open.length === 0) return ok('home', `${home} is writable, and this user's alone`);
  const finding = `other users of this machine may read ${open.join(', ')}, where personal data lies`;
  return warning('home', finding, `chmod go-rwx ${open.map(shellWord).join(' ')}`);
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

export function judgeSpace(free: number): Finding {
  const finding = `${inMegabytes(free)} free`;
  if (free >= SPACE_MIN_BYTES) return ok('disk', finding);
  const short = `${finding}, expected ${inMegabytes(SPACE_MIN_BYTES)} or more`;
  const judge = free < SPACE_NONE_BYTES ? problem : warning;
  return judge('disk', short, 'Make room, or set ONBOARD_HOME to a folder on another disk.');
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}

const MEMORY_SHARE_MAX = 0.8;
/** With clocks further apart, times in reports from several machines don't tell an order. */
const SKEW_MAX_MS = 5_000;

/** A Redis that answers: settings, memory and clock of each server. */
export async function checkRedis(redis: RedisConnection, where: string): Promise<Finding[]> {
  const servers = await dataServers(redis);
  const found = await Promise.all(
    servers.map(async (server) => named(server, await checkServer(server.redis, server.name ?? where))),
  );
  const isCluster = servers.some(({ name }) => name !== null);
  return [
    ...(isCluster ? [ok('redis', `${where} is a cluster of ${countOf(servers.length, 'master')}`)] : []),
    ...found.flat(),
  ];
}

async function checkServer(redis: Redis, where: string): Promise<Finding[]> {
  const settings = await readSettings(redis);
  return [
    ok('redis', `${where} answers, version ${settings.version ?? 'unknown'}`),
    ...judgedSettings(settings),
    ...judgeMemory(settings),
    judgeSkew(await clockSkew(redis)),
  ];
}

/** Each finding with the name of its server, where there are several. */
function named({ name }: DataServer, findings: readonly Finding[]): Finding[] {
  return findings.map((one) =>
    name === null || one.check === 'redis' ? one : { ...one, check: `${one.check} of ${name}` },
  );
}

function judgedSettings(settings: RedisSettings): Finding[] {
  const found = judgeSettings(settings);
  if (found.length === 0) return [ok('redis settings', 'append-only with fsync always, noeviction')];
  return found.map(settingsFinding);
}

function settingsFinding({ kind, problem: what, advice }: SettingsFinding): Finding {
  if (kind === 'impossible') return problem('redis settings', what, advice);
  if (kind === 'warning') return warning('redis settings', what, advice);
  return problem('redis settings', what, `${advice} Or start with --accept-redis-settings.`);
}

/** No finding where the server doesn't tell its memory. */
export function judgeMemory({ usedMemoryBytes, maxMemoryBytes }: RedisSettings): Finding[] {
  if (usedMemoryBytes === null || maxMemoryBytes === null) return [];
  const used = inMegabytes(usedMemoryBytes);
  if (maxMemoryBytes === 0) return [ok('redis memory', `${used} used, no limit set`)];
  const share = usedMemoryBytes / maxMemoryBytes;
  const finding = `${Math.round(share * 100)} % of maxmemory (${used} of ${inMegabytes(maxMemoryBytes)})`;
  if (share <= MEMORY_SHARE_MAX) return [ok('redis memory', finding)];
  return [warning('redis memory', finding, 'Raise maxmemory: a full Redis makes reading wait.')];
}

/** How far Redis' clock is ahead of this machine's, in milliseconds. */
async function clockSkew(redis: Redis): Promise<number> {
  const before = Date.now();
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  const here = (before + Date.now()) / 2;
  return seconds * 1000 + microseconds / 1000 - here;
}

export function judgeSkew(skew: number): Finding {
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= SKEW_MAX_MS) return ok('clock', 'this machine and Redis agree on the time');
  const finding = `this machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} that of Redis`;
  return warning('clock', finding, 'Have both set by NTP: times in reports are wrong until then.');
}
