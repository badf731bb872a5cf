import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Summary, summarySchema } from '../src/report/summary.ts';
import { type Bench, succeeded } from './bench.ts';
import { type Parts, startMeter } from './cpu.ts';
import type { Ended, Started } from './processes.ts';
import { startRedis } from './redis.ts';
import { costOfRow, type Rate } from './samples.ts';
import type { Service } from './service/fast-service.ts';
import { costText } from './table.ts';

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

/** Starts so many `onboard work`, each in a home of its own; answers when all of them wait for rows. */
export async function startWorkers(
  bench: Bench,
  count: number,
  place: Omit<Place, 'home'>,
): Promise<readonly Started[]> {
  const workers: Started[] = [];
  for (let n = 0; n < count; n += 1) {
    const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
    workers.push(worker);
    await worker.said('Working for');
  }
  return workers;
}

/** The summary of a run that created every row; an Error where it did not. */
export function createdAll(ended: Ended, rows: number): Summary {
  const summary = summaryOf(succeeded(ended, 'onboard'));
  if (summary.outcomes.created === rows && summary.controlTotal.holds) return summary;
  throw new Error(`${rows} rows were to be created, but: ${JSON.stringify(summary.outcomes)}`);
}

/** What a process that took one file printed last. */
export function summaryOf({ stdout, stderr, exitCode }: Ended): Summary {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(`onboard ended with status ${exitCode}: ${stderr.slice(-2000)}`);
  return summarySchema.parse(JSON.parse(line));
}

/**
 * `onboard watch` with a file of so many rows in its inbox, for the bench's job definition or another one: it follows the run
 * to its end and sends nothing itself.
 */
export async function startWatch(
  bench: Bench,
  rows: number,
  place: Omit<Place, 'home' | 'jobs'> & { readonly job?: string; readonly keys?: string },
): Promise<Started> {
  const { job = bench.job, keys, ...rest } = place;
  const home = await bench.home();
  const inbox = join(home, 'inbox');
  await mkdir(inbox, { recursive: true });
  await copyFile(await bench.rowsFile(rows, keys), join(inbox, 'rows.csv'));
  const arguments_ = ['watch', '--once', '--rest', '0.2', '--json'];
  return startOnboard(bench, arguments_, { ...rest, home, jobs: dirname(job) });
}

const countSchema = z.object({ rows: z.number() });

/** `onboard run` on a fresh home and a fresh Redis: rows over the seconds from its start to its exit. */
export async function rateOfRun(bench: Bench, service: Service): Promise<Rate> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const place = { home: await bench.home(), serviceUrl: service.url, redisUrl: redis.url };
  const spent = await startMeter({ Redis: [redis.pid], Service: [service.pid] });
  const ended = await startRun(bench, file, place).ended;
  const cost = costOfRow(await spent(), rows);
  await redis.stop();
  const { rowsPerSecond } = createdAll(ended, rows);
  return told(bench, 'onboard run', { ...rateOf(rows, ended), ownRowsPerSecond: rowsPerSecond, cost });
}

/** `onboard check`, likewise. */
export async function rateOfCheck(bench: Bench): Promise<Rate> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const place = { home: await bench.home(), serviceUrl: 'http://127.0.0.1:9', redisUrl: null };
  const spent = await startMeter();
  const check = startOnboard(bench, ['check', '--job-file', bench.job, file, '--json'], place);
  const ended = succeeded(await check.ended, 'onboard check');
  assertRows('onboard check', ended, rows);
  return told(bench, 'onboard check', { ...rateOf(rows, ended), cost: costOfRow(await spent(), rows) });
}

/** A peer on the same file, likewise; `parts`: the processes beside it. */
export async function rateOfPeer(
  bench: Bench,
  peer: string,
  { args, parts }: { readonly args: readonly string[]; readonly parts: Parts },
): Promise<Rate> {
  const { rows } = bench.options.sizes;
  await bench.rowsFile(rows);
  const spent = await startMeter(parts);
  const ended = await runPeer(bench, peer, { rows, args });
  return told(bench, peer, { ...rateOf(rows, ended), cost: costOfRow(await spent(), rows) });
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

function rateOf(rows: number, { seconds }: Ended): Pick<Rate, 'rowsPerSecond'> {
  return { rowsPerSecond: rows / seconds };
}

function told(bench: Bench, what: string, rate: Rate): Rate {
  const own = rate.ownRowsPerSecond === undefined ? '' : ` (its own count: ${rate.ownRowsPerSecond})`;
  bench.tell(`  ${what}: ${Math.round(rate.rowsPerSecond)} rows/s${own}, ${costText(rate.cost)}`);
  return rate;
}
