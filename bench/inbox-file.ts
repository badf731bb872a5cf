import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bench } from './bench.ts';
import { type Place, startOnboard } from './onboard.ts';
import type { Started } from './processes.ts';

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
