/**
 * An append-only file that a power cut left ending within a transaction. With `aof-load-truncated
 * yes` Redis starts without that transaction but carries its beginning out at the start after that:
 * what others put back meanwhile counts twice. The embedded server refuses such a file, and it is
 * cut here; any other server rewrites its file before an epoch opens.
 */
import { execFile } from 'node:child_process';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import { configured, dataServers, mayRewrite, orRefused, readInfo } from './settings.ts';

const FOLDER = 'appendonlydir';
const MANIFEST = 'appendonly.aof.manifest';
/** A transaction's end in the file. */
const EXEC = '*1\r\n$4\r\nEXEC\r\n';
/** More than any script of the program writes. */
const TORN_MAX_BYTES = 64 * 1024 * 1024;

type TornEnd = { readonly file: string; readonly size: number; readonly wholeBytes: number };

/**
 * Where a server's append-only file ends within a transaction, or with zeros behind the last one;
 * `null`: it doesn't. `program`: the server's, with its check tool beside it. A UsageError where
 * the tool is missing, or where whole transactions follow the damage, which a power cut does not
 * leave.
 */
export async function findTornEnd(folder: string, program: string): Promise<TornEnd | null> {
  const manifest = join(folder, FOLDER, MANIFEST);
  // Given a single file, the tool takes it for a manifest where any line begins with "file".
  const said = await analysis(manifest, program);
  // The last file in the manifest is the one that grows.
  const [, name = '', ...bytes] = [...said.matchAll(ANALYZED)].at(-1) ?? [];
  const [size = 0, wholeBytes = 0] = bytes.map(Number);
  if (size <= wholeBytes || !name.endsWith('.incr.aof')) return null;
  const file = join(folder, FOLDER, name);
  if (await isTorn(file, wholeBytes, size)) return { file, size, wholeBytes };
  throw new UsageError(
    `The append-only file ${file} is damaged at byte ${wholeBytes} of ${size}, not as a power cut leaves it: ` +
      'cutting it would forget what was sent. Restore ONBOARD_HOME/redis from a copy.',
  );
}

/** In one tick with the last check for a writer. */
export function cutTornEnd({ file, size, wholeBytes }: TornEnd, mayCut: () => boolean): number {
  if (!mayCut()) return 0;
  const handle = openSync(file, 'r+');
  try {
    if (fstatSync(handle).size !== size) return 0;
    ftruncateSync(handle, wholeBytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return size - wholeBytes;
}

const ANALYZED = /^AOF analyzed: filename=(\S+), size=(\d+), ok_up_to=(\d+)/gm;

const endedSchema = z.object({ stdout: z.string() });

async function analysis(manifest: string, program: string): Promise<string> {
  const tool = join(dirname(program), basename(program).replace('server', 'check-aof'));
  try {
    return (await promisify(execFile)(tool, [manifest])).stdout;
  } catch (error) {
    // It ends with 1 where the file is not whole.
    const ended = endedSchema.safeParse(error);
    if (ended.success && ended.data.stdout !== '') return ended.data.stdout;
    throw new UsageError(
      `${manifest}: its file may end within a write, and ${tool}, which finds the place, can't be run: ` +
        'install it (Debian: redis-tools), and try again.',
      { cause: error },
    );
  }
}

async function isTorn(file: string, from: number, size: number): Promise<boolean> {
  if (size - from > TORN_MAX_BYTES) return false;
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    return !buffer.includes(EXEC);
  } finally {
    await handle.close();
  }
}

const POLL_MS = 50;
const AGAIN_MS = 5_000;

/**
 * Has every server rewrite its append-only file, unless it has done so since its start or refuses
 * torn ones. One that refuses the command is left as it is; any other is asked again.
 */
export async function dropTornEnds(
  redis: RedisConnection,
  onTrouble: (problem: string) => void,
): Promise<void> {
  await Promise.all((await dataServers(redis)).map((server) => dropTornEnd(server.redis, onTrouble)));
}

/** Has every server write its files anew, without what was removed; `null`: done, else why not. */
export async function rewriteFiles(redis: RedisConnection, signal: AbortSignal): Promise<string | null> {
  const each = (await dataServers(redis)).map((server) => rewriteFile(server.redis, signal));
  return (await Promise.all(each)).find((problem) => problem !== null) ?? null;
}

async function rewriteFile(redis: Redis, signal: AbortSignal): Promise<string | null> {
  for (let isAsked = false; !signal.aborted; await sleep(POLL_MS, signal)) {
    const rewrite = await rewriteOf(redis);
    if (rewrite === 'off' || (isAsked && rewrite === 'done')) return null;
    if (rewrite === 'under way') continue;
    if (isAsked || !(await mayRewrite(redis))) break;
    // One that was under way before may have begun with what was removed.
    isAsked = (await orRefused(() => redis.bgrewriteaof())) !== null;
  }
  return (
    'Redis has not written its append-only file anew, which still ' +
    'has what was removed: it is asked with the next purge.'
  );
}

async function dropTornEnd(redis: Redis, onTrouble: (problem: string) => void): Promise<void> {
  if ((await configured(redis, 'aof-load-truncated')) === 'no') return;
  for (let tries = 0; ; await sleep(POLL_MS)) {
    const rewrite = await rewriteOf(redis);
    if (rewrite === 'done' || rewrite === 'off') return;
    if (rewrite === 'under way') continue;
    if (!(await mayRewrite(redis))) return onTrouble('Redis refuses to write its append-only file anew.');
    if (tries > 0) {
      onTrouble('Redis could not write its append-only file anew: its disk may be full. It is asked again.');
      await sleep(AGAIN_MS);
    }
    // Another worker may have asked at the same moment: the next look shows it.
    await orRefused(() => redis.bgrewriteaof());
    tries += 1;
  }
}

/** Since its start; `off`: it has no such file. */
async function rewriteOf(redis: Redis): Promise<'done' | 'under way' | 'wanted' | 'off'> {
  const said = await readInfo(redis, 'persistence');
  if (said('aof_enabled') !== '1') return 'off';
  if (said('aof_rewrite_in_progress') === '1' || said('aof_rewrite_scheduled') === '1') return 'under way';
  const isTried = said('aof_last_rewrite_time_sec') !== '-1';
  return isTried && said('aof_last_bgrewrite_status') === 'ok' ? 'done' : 'wanted';
}
