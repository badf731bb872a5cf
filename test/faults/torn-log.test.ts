import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dropTornEnds, findTornEnd } from '../../src/engine/redis/append-only-file.ts';
import { findServerProgram } from '../../src/engine/redis/server-process.ts';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { ownFolder } from '../support/folder.ts';
import { growingLog, type RedisServer, startRedisServer } from '../support/redis-server.ts';

// A run whose Redis comes back so: redis-past.test.ts.

test('whatever was being written last, by the ledger or the queue, is forgotten as a whole', async () => {
  const log = await recordedLog();
  await Promise.all([cutOwn(log), forgetElsewhere(log)]);
}, 120_000);

type RecordedLog = { readonly folder: string; readonly units: ReadonlyMap<string, Unit> };

/** The program's own server: its file is cut back to before it; but for damage with whole transactions behind, which no power cut leaves. */
async function cutOwn({ folder, units }: RecordedLog): Promise<void> {
  const program = await findServerProgram(process.env.PATH ?? '');
  const find = async (bytes: number, zeros = 0) => findTornEnd(await tornAt(folder, bytes, zeros), program);
  for (const [shape, { from, to }] of units)
    expect(await find(to - 3), shape).toMatchObject({ size: to - 3, wholeBytes: from });
  for (const [shape, { from, to }] of [...units].slice(0, SHAPES_IN_FULL)) {
    expect(await find(to), shape).toBe(null);
    expect(await find(to - 3, 4096), shape).toMatchObject({ size: to + 4093, wholeBytes: from });
    expect(await find(to, 4096), shape).toMatchObject({ size: to + 4096, wholeBytes: to });
  }
  const damaged = await tornAt(folder, Number.POSITIVE_INFINITY);
  const bytes = await readFile(growingLog(damaged));
  const [[, { from }] = ['', { from: 0 }]] = units;
  await writeFile(growingLog(damaged), bytes.fill(0, from, from + 10));
  await expect(findTornEnd(damaged, program)).rejects.toThrow(
    new RegExp(`damaged at byte ${from} of ${bytes.length}, .*Restore ONBOARD_HOME/redis from a copy`),
  );
}

/** Another server: asked to, it has forgotten it, also after it is started again; whatever it is, it does so by itself. */
async function forgetElsewhere({ folder, units }: RecordedLog): Promise<void> {
  const server = await startRedisServer({ 'enable-debug-command': 'yes' });
  const startOn = async (bytes: number) => {
    await server.kill();
    await rm(join(server.folder, LOGS), { recursive: true });
    await cp(join(await tornAt(folder, bytes), LOGS), join(server.folder, LOGS), { recursive: true });
    await server.start();
  };
  for (const [shape, { from, to }] of [...units].slice(0, SHAPES_IN_FULL)) {
    await startOn(from);
    const before = await contentOf(server);
    await startOn(to - 3);
    await dropTornEnds(server.redis, () => undefined);
    await server.redis.eval("redis.call('SET', 'a', 1) redis.call('DEL', 'a')", 0);
    await server.kill();
    await server.start();
    expect(await contentOf(server), shape).toEqual(before);
  }
}

const LOGS = 'appendonlydir';
/** Each is three starts of a server, and three of the tool that looks through its file. */
const SHAPES_IN_FULL = 3;

/** Where a transaction begins and ends. */
type Unit = { readonly from: number; readonly to: number };

/** The append-only file of a run with rows of many ends, and of each kind of transaction in it the last one. */
async function recordedLog() {
  const server = await startRedisServer();
  const faults = ['reset-before=every:9', '404=every:7', '503=every:11'];
  const flow = await startFlow({ faults, redis: server.url });
  const job = await flow.file('job.yaml', createJob('concurrency: 10'));
  const { summary } = await flow.load(job, subclientsCsv(150));
  const row = String((await flow.results(summary)).find(({ outcome }) => outcome === 'in-doubt')?.row);
  await flow.onboard(['resolve', summary.run, row, '--not-created']);
  await flow.onboard(['rerun', summary.run, '--json']);
  await server.kill();
  const units = new Map<string, Unit>();
  for (const { shape, ...unit } of unitsOf(await readFile(growingLog(server.folder)))) units.set(shape, unit);
  expect(units.size).toBeGreaterThan(15);
  return { folder: server.folder, units };
}

/** A folder as a power cut leaves it: up to so many bytes, and zeros behind them perhaps. */
async function tornAt(folder: string, bytes: number, zeros = 0): Promise<string> {
  const torn = await ownFolder();
  await cp(join(folder, LOGS), join(torn, LOGS), { recursive: true });
  const whole = await readFile(growingLog(folder));
  await writeFile(growingLog(torn), Buffer.concat([whole.subarray(0, bytes), Buffer.alloc(zeros)]));
  return torn;
}

/** By the commands that they have, and what kind of key each is on. */
function* unitsOf(log: Buffer): Generator<Unit & { readonly shape: string }> {
  let from = 0;
  const names = new Set<string>();
  let isOpen = false;
  for (let at = 0; at < log.length; ) {
    const { words, end } = commandAt(log, at);
    const [name = '', key = ''] = words;
    if (name === 'MULTI') isOpen = true;
    else if (name === 'EXEC') isOpen = false;
    else names.add(`${name} ${/:([a-z]{4,})$/.exec(key)?.[1] ?? ''}`);
    at = end;
    if (isOpen) continue;
    if (names.size > 1) yield { from, to: end, shape: [...names].sort().join(', ') };
    from = end;
    names.clear();
  }
}

function commandAt(log: Buffer, at: number): { readonly words: readonly string[]; readonly end: number } {
  const lineAt = (from: number) => {
    const to = log.indexOf('\r\n', from);
    return { number: Number(log.toString('latin1', from + 1, to)), next: to + 2 };
  };
  let { number: left, next } = lineAt(at);
  const words: string[] = [];
  for (; left > 0; left -= 1) {
    const { number: length, next: begin } = lineAt(next);
    words.push(log.toString('latin1', begin, begin + length));
    next = begin + length + 2;
  }
  return { words, end: next };
}

/** Of all keys that don't expire by themselves, whatever the order of what they hold. */
async function contentOf({ redis }: RedisServer): Promise<unknown> {
  const lasting: unknown = await redis.eval(
    "local o = {} for _, k in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', k) < 0 then o[#o + 1] = k end end table.sort(o) return o",
    0,
  );
  const names = z.array(z.string()).parse(lasting);
  return [names, await redis.call('DEBUG', 'DIGEST-VALUE', ...names)];
}
