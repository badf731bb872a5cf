import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Summary, summarySchema } from '../src/report/summary.ts';
import { type Bench, succeeded } from './bench.ts';
import type { Ended, Started } from './processes.ts';
import { startRedis } from './redis.ts';
import type { Rate } from './samples.ts';

/** Where a process of the program works. */
export type Place = {
  readonly home: string;
  readonly serviceUrl: string;
  /** `null`: the embedded server. */
  readonly redisUrl: string | null;
  /** The folder of job definitions, where one is needed. */
  readonly jobs?: string;
};

/** Starts the built program as its users do. */
export function startOnboard(bench: Bench, args: readonly string[], place: Place): Started {
  const env = {
    ONBOARD_HOME: place.home,
    MSB_BASE_URL: place.serviceUrl,
    MSB_TOKEN: 'bench',
    ...(place.jobs === undefined ? {} : { ONBOARD_JOBS: place.jobs }),
    ...(place.redisUrl === null ? {} : { REDIS_URL: place.redisUrl }),
  };
  return bench.processes.start(process.execPath, [bench.options.program, ...args], env);
}

/** Starts `onboard run` on a file of the bench. */
export function startRun(bench: Bench, file: string, place: Place): Started {
  return startOnboard(bench, ['run', '--job-file', bench.job, file, '--json'], place);
}

/** The summary of a run that created every row; an Error where it did not. */
export function createdAll(ended: Ended, rows: number): Summary {
  const { stdout } = succeeded(ended, 'onboard');
  const summary = summarySchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  if (summary.outcomes.created === rows && summary.controlTotal.holds) return summary;
  throw new Error(`${rows} rows were to be created, but: ${JSON.stringify(summary.outcomes)}`);
}

/**
 * `onboard watch` with a file of so many rows in its inbox, for the bench's job definition or another one: it follows the run
 * to its end and sends nothing itself.
 */
export async function startWatch(
  bench: Bench,
  rows: number,
  place: Omit<Place, 'home' | 'jobs'> & { readonly job?: string },
): Promise<Started> {
  const { job = bench.job, ...rest } = place;
  const home = await bench.home();
  const inbox = join(home, 'inbox');
  await mkdir(inbox, { recursive: true });
  await copyFile(await bench.rowsFile(rows), join(inbox, 'rows.csv'));
  const arguments_ = ['watch', '--once', '--rest', '0.2', '--json'];
  return startOnboard(bench, arguments_, { ...rest, home, jobs: dirname(job) });
}

const countSchema = z.object({ rows: z.number() });

/** `onboard run` on a fresh home and a fresh Redis: rows over the seconds from its start to its exit. */
export async function rateOfRun(bench: Bench, serviceUrl: string): Promise<Rate> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const home = await bench.home();
  const ended = await startRun(bench, file, { home, serviceUrl, redisUrl: redis.url }).ended;
  await redis.stop();
  const { rowsPerSecond } = createdAll(ended, rows);
  return told(bench, 'onboard run', { ...rateOf(rows, ended), ownRowsPerSecond: rowsPerSecond });
}

/** `onboard check`, likewise. */
export async function rateOfCheck(bench: Bench): Promise<Rate> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const place = { home: await bench.home(), serviceUrl: 'http://127.0.0.1:9', redisUrl: null };
  const check = startOnboard(bench, ['check', '--job-file', bench.job, file, '--json'], place);
  const ended = succeeded(await check.ended, 'onboard check');
  assertRows('onboard check', ended, rows);
  return told(bench, 'onboard check', rateOf(rows, ended));
}

/** A peer on the same file, likewise. */
export async function rateOfPeer(bench: Bench, peer: string, args: readonly string[]): Promise<Rate> {
  const { rows } = bench.options.sizes;
  const ended = await runPeer(bench, peer, { rows, args });
  return told(bench, peer, rateOf(rows, ended));
}

/** A peer on a file of so many rows, to its end; an Error where it did not do them all. */
export async function runPeer(
  bench: Bench,
  peer: string,
  { rows, args }: { readonly rows: number; readonly args: readonly string[] },
): Promise<Ended> {
  const script = join(bench.code, `${peer}.js`);
  const file = await bench.rowsFile(rows);
  const ended = await bench.processes.start(process.execPath, [script, file, bench.job, ...args]).ended;
  assertRows(peer, succeeded(ended, peer), rows);
  return ended;
}

function assertRows(what: string, { stdout }: Ended, rows: number): void {
  const done = countSchema.parse(JSON.parse(stdout)).rows;
  if (done !== rows) throw new Error(`${what} did ${done} of ${rows} rows`);
}

function rateOf(rows: number, { seconds }: Ended): Rate {
  return { rowsPerSecond: rows / seconds };
}

function told(bench: Bench, what: string, rate: Rate): Rate {
  const own = rate.ownRowsPerSecond === undefined ? '' : ` (its own count: ${rate.ownRowsPerSecond})`;
  bench.tell(`  ${what}: ${Math.round(rate.rowsPerSecond)} rows/s${own}`);
  return rate;
}
