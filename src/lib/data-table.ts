/** Tables of a `data/` folder: a tab between cells; a line with # first says what one holds. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from './version.ts';

/**
 * `beside`: the module's own address; `room`: its folder below the sources. The bundle lies
 * elsewhere, and the data where the build has put them.
 */
export function readTable(beside: string, room: string, name: string): readonly (readonly string[])[] {
  const folder = beside.endsWith('.ts')
    ? fileURLToPath(new URL('./data/', beside))
    : join(dirname(programFile()), ...room.split('/'), 'data');
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
}
