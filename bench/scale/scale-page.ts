import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillBlocks } from '../fill-blocks.ts';
import { type ScaleResults, scaleResultsSchema } from './scale-results.ts';
import { renderBeats, renderKeys, renderProjections, renderTogether } from './scale-table.ts';

/** Brings the blocks of a folder's scale.md in line with its scale.json, if it has one. */
export async function renderScale(folder: string): Promise<void> {
  const page = join(folder, 'scale.md');
  await writeFile(page, fillScalePage(await readFile(page, 'utf8'), await readScale(folder)));
}

/** The results that a folder has; `null` without any. */
export async function readScale(folder: string): Promise<ScaleResults | null> {
  const text = await readFile(join(folder, 'scale.json'), 'utf8').catch(() => null);
  return text === null ? null : scaleResultsSchema.parse(JSON.parse(text));
}

/** The page with what was measured in it, or with "not measured"; an Error where a mark is missing. */
export function fillScalePage(page: string, results: ScaleResults | null): string {
  return fillBlocks(page, {
    together: `${renderTogether(results)}${results === null ? '' : `\n\n${conditions(results)}`}`,
    beats: renderBeats(results),
    projected: renderProjections(results),
    keys: renderKeys(results),
  });
}

function conditions({
  machine,
  command,
  measuredAt,
  clientCommandsPerRow,
  fsyncMicros,
  busy,
}: ScaleResults): string {
  const { processor, cores, memoryGiB, system, load, disk, node, redis } = machine;
  return [
    `Measured on ${measuredAt.slice(0, 10)} with \`${command}\`: ${cores} cores (${processor}), ${memoryGiB} GiB, ${system},`,
    `${disk}, load ${load} before; Node ${node}, Redis ${redis}. At one worker ${clientCommandsPerRow.toFixed(2)} commands a row came from`,
    `a process, the others from scripts. A 4 KiB append took ${(fsyncMicros / 1000).toFixed(2)} ms to reach the disk (median of 200).`,
    `One \`onboard run\` at a service that answers at once: ${busy.rowsPerSecond.toFixed(0)} rows/s, ${busy.perRow.commands.toFixed(2)} commands, ${busy.perRow.scripts.toFixed(3)} scripts and ${busy.perRow.redisMicros.toFixed(0)} µs of Redis a row.`,
    'Every number is in [scale.json](scale.json).',
  ].join('\n');
}
