import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Results, resultsSchema } from './results.ts';
import { renderMarkdown, renderRuns } from './table.ts';

/** Writes what was measured to performance.json in a folder, made where it is missing. */
export async function writeData(results: Results, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'performance.json'), jsonText(results));
}

/** Brings the blocks of performance.md in line with the performance.json of the folder. */
export async function renderDocuments(folder: string): Promise<void> {
  const page = join(folder, 'performance.md');
  await writeFile(page, fillPage(await readFile(page, 'utf8'), await readResults(folder)));
}

export async function readResults(folder: string): Promise<Results> {
  return resultsSchema.parse(JSON.parse(await readFile(join(folder, 'performance.json'), 'utf8')));
}

/** The page with every block between its marks made anew; an Error where a mark is missing. */
export function fillPage(page: string, results: Results): string {
  return fillBlocks(page, {
    measured: `${renderMarkdown(results)}\n\n${conditions(results)}`,
    runs: renderRuns(results),
  });
}

function conditions({ machine, sizes, command, measuredAt }: Results): string {
  const { processor, cores, memoryGiB, system, load, disk, node, redis, service } = machine;
  return [
    `Measured on ${measuredAt.slice(0, 10)} with \`${command}\`: ${cores} cores (${processor}), ${memoryGiB} GiB, ${system},`,
    `${disk}, load ${load} before; Node ${node}, Redis ${redis}, service: ${service}. Rows per second on ${sizes.rows} rows, workers`,
    `on ${sizes.rowsPerWorker} rows each; spread is the least and the greatest of the rounds. Others: the most that processes which are not the`,
    `bench's used of the machine in any of them. Every round's numbers are in [performance.json](performance.json).`,
  ].join('\n');
}

/** Lists of numbers on one line each, as the formatter wants them. */
export function jsonText(results: unknown): string {
  const text = JSON.stringify(results, null, 2);
  return `${text.replaceAll(/\[\s+([-\d.,e\s]+?)\s+\]/g, (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`)}\n`;
}

/** The page with every block between its marks made anew, by their names; an Error where a mark is missing. */
export function fillBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, content]) => {
    const [before, rest] = cut(text, `<!-- bench: ${name} -->\n`);
    const [, after] = cut(rest, `<!-- bench: end of ${name} -->`);
    return `${before}<!-- bench: ${name} -->\n\n${content}\n\n<!-- bench: end of ${name} -->${after}`;
  }, page);
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`the page has no line ${mark.trim()}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
