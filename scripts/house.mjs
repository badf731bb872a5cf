#!/usr/bin/env node
// npm run house: whether the cut of src/ came out right, in numbers, and the limits that test/house holds. No number is an end in itself.
// --lower writes the limits down to today's numbers.
// --no-way leaves out the row's way, which needs a build and starts the program.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOnRowsWay } from './house/rows-way.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SMALL_LINES = 80;
const LONG_LINES = 400;
const FLAT_FILES = 30;

const IMPORT = /(?:^|[\n;])\s*(?:import|export)\b([^'";]*?)\bfrom\s*['"](\.[^'"]+)['"]/g;
const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm;

const sources = readSources('src');
const importers = importersOf(sources);
const users = usersOf(sources);
const way = process.argv.includes('--no-way') ? null : await filesOnRowsWay(ROOT);

print(
  ['folder', 'files', 'lines', 'small, one importer', 'exports', 'at most one user', "row's way", 'longest'],
  [...folders().map(rowOf), rowOf({ name: 'src', files: [...sources.keys()] })],
);
printLong();
printFlat();
const tests = readSources('test');
process.stdout.write(`\ntest/: ${tests.size} files, ${sum([...tests.values()].map(linesOf))} lines\n`);
process.exitCode = showLimits();

/** Measured where they are held, by the test. */
function showLimits() {
  const env = { ...process.env, HOUSE: process.argv.includes('--lower') ? 'lower' : 'show' };
  const args = ['vitest', 'run', 'test/house/limits.test.ts', '--reporter=dot'];
  return spawnSync('npx', args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
}

function readSources(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const paths = names.filter((name) => /\.m?tsx?$/.test(name)).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, folder, path), 'utf8')]));
}

/** By file: the files that import it. */
function importersOf(files) {
  const found = new Map([...files.keys()].map((file) => [file, new Set()]));
  for (const [file, text] of files) {
    for (const [, , name] of text.matchAll(IMPORT)) found.get(resolve(file, name))?.add(file);
  }
  return found;
}

/** By `file#name`: how many files import that name. */
function usersOf(files) {
  const found = new Map();
  for (const [file, text] of files) {
    for (const [, clause, name] of text.matchAll(IMPORT)) {
      const inner = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
      for (const part of inner.split(',')) {
        const key = `${resolve(file, name)}#${
          part
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]
        }`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
  }
  return found;
}

function resolve(file, name) {
  return posix.normalize(posix.join(posix.dirname(file), name));
}

function folders() {
  const byFolder = Map.groupBy
    ? Map.groupBy(sources.keys(), (file) => posix.dirname(file))
    : groupBy([...sources.keys()], (file) => posix.dirname(file));
  return [...byFolder].map(([name, files]) => ({ name, files })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function rowOf({ name, files }) {
  const exported = files.flatMap((file) =>
    [...textOf(file).matchAll(EXPORT)].map(([, one]) => `${file}#${one}`),
  );
  const longest = files.toSorted((a, b) => lines(b) - lines(a))[0];
  return [
    name,
    files.length,
    sum(files.map(lines)),
    files.filter((file) => lines(file) <= SMALL_LINES && importers.get(file)?.size === 1).length,
    exported.length,
    exported.filter((key) => (users.get(key) ?? 0) <= 1).length,
    way === null ? '' : files.filter((file) => way.has(file)).length,
    `${posix.basename(longest)} ${lines(longest)}`,
  ];
}

function printLong() {
  const long = [...sources.keys()].filter((file) => lines(file) > LONG_LINES);
  process.stdout.write(
    `\nover ${LONG_LINES} lines: ${long.map((file) => `${file} ${lines(file)}`).join(', ') || 'none'}\n`,
  );
}

function printFlat() {
  const flat = folders().filter(({ files }) => files.length > FLAT_FILES);
  const named = flat.map(({ name, files }) => `${name} ${files.length}`).join(', ') || 'none';
  process.stdout.write(`folders with more than ${FLAT_FILES} files: ${named}\n`);
}

function print(head, rows) {
  const table = [head, ...rows].map((cells) => cells.map(String));
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  for (const cells of table) {
    const line = cells.map((cell, i) =>
      i === 0 || i === cells.length - 1 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
    );
    process.stdout.write(`${line.join('  ').trimEnd()}\n`);
  }
}

function textOf(file) {
  return sources.get(file) ?? '';
}

function lines(file) {
  return linesOf(textOf(file));
}

function linesOf(text) {
  return text.split('\n').length - 1;
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}
