import { dirname, join } from 'node:path/posix';

/** A file under src/ and the files under src/ that it imports; paths relative to src/. */
export type SourceFile = { readonly file: string; readonly imports: readonly string[] };

/** What every station may use besides itself (DESIGN.md, section 3). */
const COMMON = ['model', 'config', 'lib'];
/** The folders below the stations stand on less. */
const FOUNDATIONS: Readonly<Record<string, readonly string[]>> = {
  model: ['model'],
  lib: ['lib'],
  config: ['config', 'model', 'lib'],
};
/** These introduce the stations to each other. */
const INTRODUCERS = ['delivery', 'session.ts', 'runs', 'check', 'inbox', 'cli', 'main.ts'];

const IMPORT = /(?:^|[\n;])\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/g;
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** Every module that a source text names, in the order of kind: static imports and re-exports, then dynamic imports. */
export function importsOf(text: string): readonly string[] {
  return [IMPORT, DYNAMIC_IMPORT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = '']) => name),
  );
}

/** The file under src/ that `name` means in `file`, or `null` for a package. */
export function resolveImport(file: string, name: string): string | null {
  return name.startsWith('.') ? join(dirname(file), name) : null;
}

/** One sentence for each import that the house doesn't allow. */
export function forbiddenImports(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ file, imports }) =>
    imports.filter((target) => !mayImport(file, target)).map((target) => `${file} imports ${target}`),
  );
}

function mayImport(file: string, target: string): boolean {
  const from = stationOf(file);
  if (target.startsWith('..')) return false;
  if (INTRODUCERS.includes(from)) return true;
  const allowed = FOUNDATIONS[from] ?? [from, ...COMMON];
  return allowed.includes(stationOf(target));
}

function stationOf(file: string): string {
  return file.split('/')[0] ?? file;
}

/** Each import cycle once, as the files along it. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(files.map(({ file, imports }) => [file, imports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(file: string, path: readonly string[]): void {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  }
  for (const { file } of files) visit(file, []);
  return cycles;
}
