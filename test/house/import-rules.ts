import { dirname, join } from 'node:path/posix';

/** A file under src/ and the files under src/ that it imports; paths relative to src/. */
export type SourceFile = { readonly file: string; readonly imports: readonly string[] };

/** What every station may use besides itself. */
const COMMON = ['model', 'operations', 'config', 'lib'];
/** The folders below the stations stand on less; the page shows what a report has by the same parts. */
const FOUNDATIONS: Readonly<Record<string, readonly string[]>> = {
  'faces/web': ['faces/web', 'runs/report', ...COMMON],
  model: ['model'],
  lib: ['lib'],
  operations: ['operations', 'model', 'lib'],
  config: ['config', 'operations', 'model', 'lib'],
};
/** These introduce the stations to each other. Each may import those before it, so that there is one way down. */
const INTRODUCERS = [
  'engine/recovery',
  'delivery',
  'session.ts',
  'runs',
  'runs/check',
  'runs/inbox',
  'faces/page',
  'faces/cli',
  'main.ts',
];
/** Of the five rooms at the top, the stations and introducers that have a folder of their own in one. */
const WITHIN =
  /^(?:engine\/\w+|delivery\/service|readers\/\w+|runs\/(?:check|inbox|report)|faces\/\w+)(?=\/)/;

const IMPORT = /(?:^|[\n;])\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/g;
const LOADING_IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\b(?!\s+type\b)(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/g;
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** Every module that a source text names, in the order of kind: static imports and re-exports, then dynamic imports. */
export function importsOf(text: string): readonly string[] {
  return [IMPORT, DYNAMIC_IMPORT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = '']) => name),
  );
}

/** Every module that is loaded before the first line of a source text: no types, and nothing that is imported when it is needed. */
export function loadedWith(text: string): readonly string[] {
  return [...text.matchAll(LOADING_IMPORT)].map(([, name = '']) => name);
}

/** The file under src/ that `name` means in `file`, or `null` for a package. */
export function resolveImport(file: string, name: string): string | null {
  return name.startsWith('.') ? join(dirname(file), name) : null;
}

/** One sentence for each import that the house doesn't allow. */
export function forbiddenImports(files: readonly SourceFile[]): readonly string[] {
  return importsThat((file, target) => !mayImport(file, target), files);
}

function mayImport(file: string, target: string): boolean {
  const [from, to] = [stationOf(file), stationOf(target)];
  if (target.startsWith('..')) return false;
  if (!INTRODUCERS.includes(from)) return (FOUNDATIONS[from] ?? [from, ...COMMON]).includes(to);
  return INTRODUCERS.indexOf(to) <= INTRODUCERS.indexOf(from);
}

/** The files of a folder that others may import, the one to read first at their head. */
export type Doors = Readonly<Record<string, readonly string[]>>;

/** One sentence for each import from outside of a folder that goes past its doors. A folder without an entry is open. */
export function importsPastDoors(files: readonly SourceFile[], doors: Doors): readonly string[] {
  return importsThat((file, target) => !foldersEntered(file, target).every(isDoor), files);

  function isDoor({ folder, name }: { readonly folder: string; readonly name: string }): boolean {
    return doors[folder]?.includes(name) ?? true;
  }
}

/**
 * The folders that an import comes into from outside, each with the name of the file, or of the folder, within it. A station's door is
 * its own, not that of the room around it.
 */
function foldersEntered(file: string, target: string) {
  const parts = target.split('/');
  const station = stationOf(target);
  return parts.slice(0, -1).flatMap((_, i) => {
    const folder = parts.slice(0, i + 1).join('/');
    const isAround = station.startsWith(`${folder}/`);
    return isAround || file.startsWith(`${folder}/`) ? [] : [{ folder, name: parts.slice(i + 1).join('/') }];
  });
}

function importsThat(
  isWrong: (file: string, target: string) => boolean,
  files: readonly SourceFile[],
): readonly string[] {
  return files.flatMap(({ file, imports }) =>
    imports.filter((target) => isWrong(file, target)).map((target) => `${file} imports ${target}`),
  );
}

function stationOf(file: string): string {
  return WITHIN.exec(file)?.[0] ?? file.split('/')[0] ?? file;
}
