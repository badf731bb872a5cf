import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Stands in every value of a row that is personal data; nothing else has it. */
export const MARKER = 'Zyxomma';

/** A text that may be searched, and what it is. */
export type Said = { readonly where: string; readonly text: string };

/** Where the marker is said, with the words around it. */
export function markersIn(said: readonly Said[]): string[] {
  return said.flatMap(({ where, text }) =>
    [...text.matchAll(new RegExp(`.{0,60}${MARKER}.{0,40}`, 'gi'))].map(([words]) => `${where}: ${words}`),
  );
}

/** The files below a folder whose name fits, as text; compressed ones unpacked. */
export async function textsIn(folder: string, fits: (path: string) => boolean): Promise<Said[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths
      .filter((path) => fits(relative(folder, path)))
      .map(async (path) => {
        const bytes = await readFile(path);
        return {
          where: relative(folder, path),
          text: (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString(),
        };
      }),
  );
}
