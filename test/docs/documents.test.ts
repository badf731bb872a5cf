import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadCommands } from '../../src/faces/cli/program.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';
import { ROOT, textOf } from '../house/source-files.ts';

const PAGES = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...PAGES.map((name) => `docs/${name}`)];
const packageJson = z
  .object({
    scripts: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(textOf('package.json')));

test.each(DOCUMENTS)('every link of %s leads to a file that is there, and to a heading in it', (name) => {
  const links = [...textOf(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const lost = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? name : join(dirname(name), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(textOf(target)).has(anchor);
  });
  expect(lost.map(([link]) => link)).toEqual([]);
});

/** A path of this repository as the documents write it: from the root, or as docs/architecture.md does, from `src`. */
const NAMED = /`((?:src|test|docs|samples|bench|scripts)\/[\w./*-]+)`/g;

test.each(DOCUMENTS)('every file that %s names is there', (name) => {
  const named = [...textOf(name).matchAll(NAMED)].map(([, file = '']) => file);
  expect(named.filter((file) => !file.includes('*') && !existsSync(join(ROOT, file)))).toEqual([]);
});

test('every stop of a row’s way in docs/architecture.md is a module', () => {
  const [, way = ''] = textOf('docs/architecture.md').split("## A row's way");
  const stops = [...way.matchAll(/`([a-z]+(?:\/[\w-]+)*\.tsx?)`/g)].map(([, file = '']) => file);
  expect(stops.length).toBeGreaterThan(30);
  expect(stops.filter((file) => !existsSync(join(ROOT, 'src', file)))).toEqual([]);
});

test.each(DOCUMENTS)('every npm script that %s names is there', (name) => {
  const named = [...textOf(name).matchAll(/\bnpm run (?:-s )?([a-z][a-z:]*)/g)].map(
    ([, script = '']) => script,
  );
  expect(named.filter((script) => !(script in packageJson.scripts))).toEqual([]);
});

test('every command that a document names is there, with its options', async () => {
  const program = new Command();
  for (const add of await loadCommands([])) add(program, memoryIo(), () => undefined);
  const options = new Map(
    program.commands.map((command) => [command.name(), command.options.map(({ long }) => long)]),
  );
  const calls = DOCUMENTS.filter((name) => name !== 'CHANGELOG.md').flatMap((name) => callsIn(textOf(name)));
  expect(calls.length).toBeGreaterThan(80);
  const wrong = calls.filter(({ command, flags }) =>
    flags.some((flag) => flag !== '--help' && options.get(command)?.includes(flag) !== true),
  );
  expect(wrong).toEqual([]);
  expect(calls.filter(({ command }) => !options.has(command))).toEqual([]);
});

test('the index names every page', () => {
  const index = textOf('docs/README.md');
  expect(PAGES.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
});

test('docs/dependencies.md gives a reason for every package, and for no other', () => {
  const rows = textOf('docs/dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, at]) => at),
  );
  const { dependencies, devDependencies } = packageJson;
  expect(named.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted());
});

type Call = { readonly command: string; readonly flags: readonly string[] };

/** Calls of the program in code: `onboard <command> …`, to the end of the line or of the code. */
function callsIn(text: string): Call[] {
  const code = [...text.matchAll(/^```[^\n]*\n(.*?)^```|`([^`\n]+)`/gms)].flatMap(
    ([, block = '', span = '']) => `${block}\n${span}`.split('\n'),
  );
  return code.flatMap((line) =>
    [...line.matchAll(/(?:^|(?<!SETUSER)[\s/])onboard ([a-z]+(?:-[a-z]+)*)\b([^#|&]*)/g)].map(
      ([, command = '', rest = '']) => ({
        command,
        flags: [...rest.matchAll(/(?:^|\s)(--[a-z][a-z-]*)/g)].map(([, flag = '']) => flag),
      }),
    ),
  );
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}
