import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonText } from '../documents.ts';
import type { BenchOptions } from '../options.ts';
import { type BenchPlace, withBench } from '../session.ts';
import { measureScale } from './measure-scale.ts';
import { renderKeys, renderProjections, renderScale, renderTogether } from './scale-page.ts';
import type { ScaleResults } from './scale-results.ts';

/** Measures what rows and workers cost in Redis, prints and writes it; answers 130 after Ctrl-C. */
export function runScaleSession(options: BenchOptions, place: BenchPlace): Promise<number> {
  return withBench(options, place, async (bench, machine) => {
    const scale = await measureScale(bench);
    const command = `npm run bench -- ${process.argv.slice(2).join(' ')}`;
    const results: ScaleResults = { measuredAt: new Date().toISOString(), command, machine, ...scale };
    const tables = [renderTogether(results), renderProjections(results), renderKeys(results)];
    process.stdout.write(`\n${tables.join('\n\n')}\n\n`);
    const folder = options.out ?? place.own;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'scale.json'), shortText(results));
    if (options.writesDocs) {
      await writeFile(join(place.root, 'docs', 'scale.json'), shortText(results));
      await renderScale(join(place.root, 'docs'));
    }
    return 0;
  });
}

/** Four digits are more than any of it is exact to; whole numbers, which count something, stay as they are. */
function shortText(results: ScaleResults): string {
  const short = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return jsonText(JSON.parse(JSON.stringify(results, short)));
}
