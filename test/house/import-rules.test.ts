import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import DOORS from './doors.json' with { type: 'json' };
import type { SourceFile } from './import-rules.ts';
import { forbiddenImports, importsOf, importsPastDoors, loadedWith, resolveImport } from './import-rules.ts';
import { filesBelow, textOf } from './source-files.ts';

const SOURCES: readonly SourceFile[] = filesBelow('src')
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({
    file,
    imports: importsOf(textOf(`src/${file}`))
      .map((name) => resolveImport(file, name))
      .filter((target) => target !== null),
  }));

/** Whether the import comes from another folder. */
function leaves(file: string, target: string): boolean {
  return dirname(file) !== dirname(target);
}

/*
 * DOORS: the front door of each folder of src/, and what else of it others import. What is not named there is private to
 * its folder. `model/`, `config/` and `lib/` are open: they are the words that all others speak.
 */
describe('the sources', () => {
  test('a station imports only itself, model, config and lib; those who introduce them, each other downwards', () => {
    expect(forbiddenImports(SOURCES)).toEqual([]);
  });

  test('the inside of a folder is private to it: others come in by its doors', () => {
    expect(importsPastDoors(SOURCES, DOORS)).toEqual([]);
  });

  test('every door is one that others come in by', () => {
    const used = new Set(
      SOURCES.flatMap(({ file, imports }) => imports.filter((target) => leaves(file, target))),
    );
    const unused = Object.entries(DOORS).flatMap(([folder, names]) =>
      names.map((name) => `${folder}/${name}`).filter((door) => !used.has(door)),
    );
    expect(unused).toEqual([]);
  });

  test('a start loads no station before its command is known: every start, and `--version`, would wait for it', () => {
    const loaded = new Set(['faces/cli/process.ts']);
    for (const file of loaded)
      for (const name of loadedWith(textOf(`src/${file}`))) {
        const target = resolveImport(file, name);
        if (target !== null) loaded.add(target);
      }
    expect(loaded).toContain('faces/cli/program.ts');
    const folders = new Set([...loaded].map((file) => file.split('/')[0]));
    expect([...folders].toSorted()).toEqual(['faces', 'lib', 'model', 'runs']);
  });
});

describe('the rule itself', () => {
  test.each<[string, string, string, boolean]>([
    ['a station that imports itself passes', 'readers/intake/a.ts', 'readers/intake/b.ts', true],
    ['a station that imports the model passes', 'readers/intake/a.ts', 'model/row.ts', true],
    [
      'a station that imports another station is caught',
      'readers/intake/a.ts',
      'readers/mapping/b.ts',
      false,
    ],
    ['a station that imports the session is caught', 'engine/queue/a.ts', 'session.ts', false],
    ['the page may import the report', 'faces/web/a.ts', 'runs/report/b.ts', true],
    ['the page that imports another station is caught', 'faces/web/a.ts', 'engine/ledger/b.ts', false],
    ['delivery may introduce stations', 'delivery/a.ts', 'engine/ledger/b.ts', true],
    ['the model that imports a station is caught', 'model/a.ts', 'readers/intake/b.ts', false],
    ['operations that import the model pass', 'operations/a.ts', 'model/b.ts', true],
    ['operations that import config are caught', 'operations/a.ts', 'config/b.ts', false],
    ['the model that imports operations is caught', 'model/a.ts', 'operations/b.ts', false],
    ['config that imports a station is caught', 'config/a.ts', 'delivery/service/b.ts', false],
    ['lib that imports the model is caught', 'lib/a.ts', 'model/b.ts', false],
    ['an import from outside src is caught', 'faces/cli/a.ts', '../test/b.ts', false],
    ['the runs that import a command are caught', 'runs/a.ts', 'faces/cli/b.ts', false],
    ['delivery that imports the session is caught', 'delivery/a.ts', 'session.ts', false],
  ])('%s', (_, file, target, passes) => {
    expect(forbiddenImports([{ file, imports: [target] }])).toEqual(
      passes ? [] : [`${file} imports ${target}`],
    );
  });

  test.each([
    ['a door passes', 'faces/cli/a.ts', 'readers/intake/open.ts', true],
    ['what is private is caught', 'faces/cli/a.ts', 'readers/intake/inner.ts', false],
    ['the folder itself goes where it likes', 'readers/intake/a.ts', 'readers/intake/inner.ts', true],
    [
      'a folder within a folder has doors of its own',
      'readers/intake/a.ts',
      'readers/intake/csv/inner.ts',
      false,
    ],
    ['its door is none of the outer folder', 'faces/cli/a.ts', 'readers/intake/csv/csv.ts', false],
    ['from within both all is open', 'readers/intake/csv/a.ts', 'readers/intake/inner.ts', true],
    ['a folder without an entry is open', 'faces/cli/a.ts', 'model/row.ts', true],
  ])('%s', (_, file, target, passes) => {
    const doors = { 'readers/intake': ['open.ts'], 'readers/intake/csv': ['csv.ts'] };
    expect(importsPastDoors([{ file, imports: [target] }], doors)).toEqual(
      passes ? [] : [`${file} imports ${target}`],
    );
  });
});
