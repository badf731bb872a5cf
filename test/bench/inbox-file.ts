import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bench } from './bench.ts';
import { type Place, startOnboard } from './onboard.ts';
import type { Started } from './processes.ts';

/** `onboard watch` with a file of so many rows in its inbox: it follows the run to its end and sends nothing itself. */
export async function startWatch(bench: Bench, rows: number, place: Omit<Place, 'home'>): Promise<Started> {
  const home = await bench.home();
  const inbox = join(home, 'inbox');
  await mkdir(inbox, { recursive: true });
  await copyFile(await bench.rowsFile(rows), join(inbox, 'rows.csv'));
  const arguments_ = ['watch', '--once', '--rest', '0.2', '--json'];
  return startOnboard(bench, arguments_, { ...place, home, jobs: dirname(bench.job) });
}
