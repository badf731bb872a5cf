import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's root. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Paths of all files below a folder of the checkout, relative to it, with `/`. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, folder).length + 1))
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted();
}

/** The text of a file of the checkout. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
