import { join } from 'node:path';
import { z } from 'zod';
import { type Bench, succeeded } from './bench.ts';
import { createdAll, startOnboard, startRun } from './onboard.ts';
import type { Ended } from './processes.ts';
import { startRedis } from './redis.ts';
import type { Rate } from './samples.ts';

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
