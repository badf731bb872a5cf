/**
 * What tests find and change in Redis behind the program's back: losses, older copies, and what
 * would take a whole load to come about. Tests write by these alone (test/house/house.test.ts).
 */

import { packChunk } from '../../src/engine/ledger/block.ts';
import {
  accountParts,
  accountPlace,
  fieldsPlace,
  identityPlace,
  type KeyPlace,
  type LedgerKeys,
  type RunKeys,
} from '../../src/engine/ledger/keys.ts';
import { protocol } from '../../src/engine/ledger/protocol.ts';
import { chunkJobId } from '../../src/engine/queue/chunk-job.ts';
import { QUEUE_NAME } from '../../src/engine/queue/chunk-queue.ts';
import type { RedisConnection as Redis } from '../../src/lib/redis-connection.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import type { KeyForm } from '../../src/model/key-form.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { accountDigests } from '../../src/readers/mapping/payee-accounts.ts';

/** What no run owns: under which key the ledger is sealed, and its form. */
export const SEALING = 'onboard:{index}:sealing';
export const VERSION = 'onboard:{index}:version';

/** `null`: not there. Objects are kept as JSON. */
type Fields = Readonly<Record<string, string | number | object | null>>;

async function setHash(redis: Redis, name: string, fields: Fields): Promise<void> {
  const gone = Object.keys(fields).filter((field) => fields[field] === null);
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  const set = kept.flatMap(([field, value]) => [field, textIn(value)]);
  if (gone.length > 0) await redis.hdel(name, ...gone);
  if (set.length > 0) await redis.hset(name, ...set);
}

function textIn(value: string | number | object | null): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export async function setText(redis: Redis, name: string, text: string | number): Promise<void> {
  await redis.set(name, text);
}

export async function lose(redis: Redis, ...names: readonly string[]): Promise<void> {
  await redis.del(...names);
}

export async function expire(redis: Redis, name: string, ms = 3_600_000): Promise<void> {
  await redis.pexpire(name, ms);
}

/** All keys as they are now, or these; answers what puts them back into the same running server. */
export async function copyOf(redis: Redis, ...names: readonly string[]): Promise<() => Promise<void>> {
  const copies = (names.length > 0 ? names : await redis.keys('*')).map(async (name) => {
    const [value, ttl] = await Promise.all([redis.dumpBuffer(name), redis.pttl(name)]);
    return { name, value, ttl };
  });
  const all = await Promise.all(copies);
  return async () => {
    if (names.length > 0) await lose(redis, ...names);
    else await redis.flushall();
    // A lease goes on to its end.
    for (const { name, value, ttl } of all)
      if (value !== null) await redis.restore(name, Math.max(0, ttl), value);
  };
}

/** The names of all that Redis holds of a ledger. */
export async function namesIn(redis: Redis, keys: LedgerKeys): Promise<string[]> {
  const root = keys.epoch.slice(0, -'epoch'.length);
  return (await redis.keys('*')).filter((name) => name.startsWith(root)).sort();
}

/** All that Redis holds of a ledger, by name. */
export async function everythingIn(redis: Redis, keys: LedgerKeys) {
  const all: Record<string, unknown> = {};
  for (const name of await namesIn(redis, keys)) {
    const type = await redis.type(name);
    if (type === 'string') all[name] = await redis.get(name);
    else if (type === 'set') all[name] = (await redis.smembers(name)).sort();
    else if (type === 'zset') all[name] = await redis.zrange(name, '0', '-1', 'WITHSCORES');
    else all[name] = type === 'list' ? await redis.lrange(name, 0, -1) : await redis.hgetall(name);
  }
  return all;
}

export async function loseLedger(redis: Redis, keys: LedgerKeys): Promise<void> {
  await lose(redis, ...(await namesIn(redis, keys)));
}

type EpochState = {
  /** The run of the server that the ledger was verified for. */
  readonly server?: string;
  /** Another than before: claims may be gone. */
  readonly opened?: string;
  readonly number?: number;
  /** Worker → its last sequence number. */
  readonly sequences?: Readonly<Record<string, number | null>>;
  /** Worker → when it was last heard of (ms). */
  readonly heard?: Readonly<Record<string, number | null>>;
};

export function setEpoch(redis: Redis, keys: LedgerKeys, state: EpochState) {
  const { sequences = {}, heard = {}, ...fields } = state;
  return setHash(redis, keys.epoch, { ...fields, ...prefixed('m:', sequences), ...prefixed('b:', heard) });
}

function prefixed(prefix: string, of: Fields): Fields {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [prefix + name, value]));
}

/** The server runs anew, as for all who read the ledger's epoch. */
export function restart(redis: Redis, keys: LedgerKeys, state: EpochState = {}) {
  return setEpoch(redis, keys, { server: 'an-earlier-run', ...state });
}

/** The epoch knows these workers, as who have sent nothing if it did not know them before. */
export async function enrol(redis: Redis, keys: LedgerKeys, workers: Iterable<string>) {
  await Promise.all([...workers].map((worker) => redis.hsetnx(keys.epoch, `m:${worker}`, 0)));
}

/** As a worker leaves. */
export async function signOff(redis: Redis, keys: LedgerKeys, worker: string, at = Date.now()) {
  await redis.multi().hdel(keys.epoch, `m:${worker}`).zadd(keys.left, at, worker).exec();
}

/** As a living worker's heartbeat lets another go. */
export async function evict(redis: Redis, keys: LedgerKeys, worker: string): Promise<void> {
  const sequence = await redis.hget(keys.epoch, `m:${worker}`);
  await redis.zadd(keys.left, Date.now(), `${worker} ${sequence}`);
  await setEpoch(redis, keys, { sequences: { [worker]: null } });
}

/** Redis doesn't know that the worker left or was let go. */
export async function forgetLeft(redis: Redis, keys: LedgerKeys, worker: string): Promise<void> {
  const left = await redis.zrange(keys.left, '0', '-1');
  const named = left.filter((member) => member.split(' ')[0] === worker);
  if (named.length > 0) await redis.zrem(keys.left, ...named);
}

/** What puts a worker back that signs off meanwhile, as if it had been killed. */
export async function keepEnrolled(redis: Redis, keys: LedgerKeys, worker: string) {
  const fields = [`m:${worker}`, `b:${worker}`];
  const values = await redis.hmget(keys.epoch, ...fields);
  return async () => {
    await forgetLeft(redis, keys, worker);
    await setHash(redis, keys.epoch, Object.fromEntries(fields.map((field, i) => [field, values[i] ?? '0'])));
  };
}

export function setBreaker(redis: Redis, keys: LedgerKeys, fields: Fields) {
  return setHash(redis, keys.breaker, fields);
}

/** The audit's chain is this now. */
export async function setAudit(redis: Redis, keys: LedgerKeys, texts: readonly string[]) {
  await lose(redis, keys.audit);
  if (texts.length > 0) await redis.rpush(keys.audit, ...texts);
}

/** Which run a file was loaded by last. */
export function setLatest(redis: Redis, keys: LedgerKeys, file: string, run: string) {
  return setHash(redis, keys.files, { [file]: run });
}

/** A run whose target is not at hand. */
export async function storedRun(redis: Redis, id: string): Promise<Pick<RunKeys, 'record' | 'lease'>> {
  const [record = ''] = await redis.keys(`*:run:${id}`);
  return { record, lease: `${record}:lease` };
}

export function setRecord(redis: Redis, { record }: Pick<RunKeys, 'record'>, fields: Fields) {
  return setHash(redis, record, fields);
}

/** As a run's record counts its rows. */
export function counted(outcomes: Readonly<Partial<Record<Outcome, number | null>>>): Fields {
  return prefixed('o:', outcomes);
}

export function addCount(redis: Redis, { record }: RunKeys, outcome: Outcome, by: number) {
  return redis.hincrby(record, `o:${outcome}`, by);
}

/** A worker that is lost may have sent rows of the chunks up to this one. */
export function makePossiblySent(redis: Redis, k: RunKeys, upTo = 1) {
  return setRecord(redis, k, { suspect: upTo });
}

/** Of the process that reads the run, or of the worker that has the chunk in hand. */
export async function setLease(redis: Redis, name: string, holder: string, ms = 60_000) {
  await redis.set(name, holder, 'PX', ms);
}

/** The name of an open chunk. */
export function chunkKey({ chunk }: Pick<RunKeys, 'chunk'>, n = 1): string {
  return `${chunk}${n}`;
}

/** Marks, and what else an open chunk has. */
export function setChunk(redis: Redis, k: Pick<RunKeys, 'chunk'>, fields: Fields, n = 1) {
  return setHash(redis, chunkKey(k, n), fields);
}

/** Chunks as the last of their workers closes them, all at once. */
export async function closeChunks(
  redis: Redis,
  { blocks, openRows, record }: RunKeys,
  chunks: ReadonlyMap<number, readonly Settlement[]>,
): Promise<void> {
  const batch = redis.multi();
  for (const [n, settlements] of chunks) {
    const { block, open } = packChunk(settlements, Date.now(), CLEAR);
    batch.hset(blocks, n, block);
    if (open !== null) batch.hset(openRows, n, open);
    for (const { outcome } of settlements) batch.hincrby(record, `o:${outcome}`, 1);
  }
  await batch.exec();
}

/** As Redis might lose them. */
export async function dropOpenRows(redis: Redis, { openRows }: Pick<RunKeys, 'openRows'>, chunk: number) {
  await redis.hdel(openRows, String(chunk));
}

/** As half a close leaves them: without a block. */
export async function keepOpenRows(
  redis: Redis,
  { openRows }: Pick<RunKeys, 'openRows'>,
  chunk: number,
  settlements: readonly Settlement[],
): Promise<void> {
  await redis.hset(openRows, chunk, packChunk(settlements, Date.now(), CLEAR).open ?? '');
}

type OfRun = Exclude<keyof RunKeys, 'chunk' | 'lease' | 'rate' | 'record' | 'seal' | 'story' | 'takers'>;

/** What else a run has of rows, of chunks or of workers. */
export function setOfRun(redis: Redis, k: RunKeys, what: OfRun, entries: Fields) {
  return setHash(redis, k[what], entries);
}

export async function appendStory(redis: Redis, { story }: RunKeys, ...texts: readonly string[]) {
  await redis.rpush(story, ...texts);
}

export async function storyTexts(redis: Redis, { story }: RunKeys): Promise<string[]> {
  return redis.lrange(story, 0, -1);
}

type KeyIn = { readonly space?: string | undefined; readonly form?: KeyForm };

/** Where a key's entry is: the hash, the field in it, and the digest of its text within the entry. */
export function entryOf(keys: LedgerKeys, key: string, { space = 'subclient', form = 'loose' }: KeyIn = {}) {
  const place = identityPlace(keys, { space, key, form });
  const text = place.digest.slice(protocol.formLength).replace(protocol.exact, '');
  const { bucket, digest } = place;
  return { bucket, field: form === 'exact' ? digest : digest.slice(0, digest.length - text.length), text };
}

/** Writes a key's entry as `<kind> <run> <row> <id>`. */
export function setEntry(redis: Redis, keys: LedgerKeys, key: string, entry: string, of: KeyIn = {}) {
  const { bucket, field, text } = entryOf(keys, key, of);
  return setHash(redis, bucket, { [field]: entry.replace(' ', `${text} `) });
}

/** Of a payee's account in its index; `entry`: `<kind> <run> <row>`. */
export function setAccount(
  redis: Redis,
  { keys, space }: { readonly keys: LedgerKeys; readonly space: string },
  { iban, name }: { readonly iban: string; readonly name: string },
  entry: string,
) {
  const [digest = ''] = accountDigests({ name, accounts: [{ iban }] }, keys.sealing.digest);
  const place = accountParts(digest);
  const { bucket } = accountPlace(keys, space, digest);
  return setHash(redis, bucket, { [place.account]: entry.replace(' ', `${place.name} `) });
}

/** A key's entry as `<kind> <run> <row> <id>`; `null`: there is none, or it is of another text. */
export async function getEntry(redis: Redis, keys: LedgerKeys, key: string, of: KeyIn = {}) {
  const { bucket, field, text } = entryOf(keys, key, of);
  const entry = await redis.hget(bucket, field);
  return entry?.startsWith(`${text} `, 1) === true ? withWholeRun(entry.replace(text, '')) : null;
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** An entry has its run in short: a sign for each number of date and time. */
function withWholeRun(entry: string): string {
  return entry.replace(/(?<= )\.([\w-]{6})(?=[a-z\d]+ )/, (_, signs: string) => {
    const numbers = [...signs].map((sign) => String(SIGNS.indexOf(sign)).padStart(2, '0'));
    return `20${numbers.slice(0, 3).join('')}-${numbers.slice(3).join('')}-`;
  });
}

/** The digests of a record's fields that the service accepted last. */
export function setAccepted(redis: Redis, keys: LedgerKeys, of: KeyPlace, digests: string) {
  const { bucket, digest } = fieldsPlace(keys, of);
  return setHash(redis, bucket, { [digest]: digests });
}

type Queued = { readonly run: string; readonly chunk: number };

const jobKey = (prefix: string, { run, chunk }: Queued) =>
  `${prefix}:${QUEUE_NAME}:${chunkJobId(run, chunk)}`;

/** The name of the lease of whoever has a chunk in hand. */
export function lockKey(prefix: string, of: Queued): string {
  return `${jobKey(prefix, of)}:lock`;
}

/** What the queue has of a chunk's rows. */
export function setQueued(redis: Redis, prefix: string, of: Queued, data: string) {
  return setHash(redis, jobKey(prefix, of), { data });
}

/** Takes a chunk that waits out of the list that it waits in: the queue still knows it, and nobody will take it. */
export async function misplace(redis: Redis, prefix: string, { run, chunk }: Queued): Promise<void> {
  await redis.zrem(`${prefix}:${QUEUE_NAME}:prioritized`, chunkJobId(run, chunk));
}
