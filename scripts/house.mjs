#!/usr/bin/env node
// npm run house: the files of src/ by folder, how many of them are on a row's way, and the numbers
// that test/house holds. --lower writes the limits down to today's numbers. --no-way leaves out the
// row's way, which needs a build and starts the program.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOnRowsWay } from './house/rows-way.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SMALL_LINES = 80;

const IMPORT = /(?:^|[\n;])\s*(?:import|export)\b[^'";]*?\bfrom\s*['"](\.[^'"]+)['"]/g;

const sources = readSources();
const importers = importersOf();
const way = process.argv.includes('--no-way') ? null : await filesOnRowsWay(ROOT);

print(
  ['folder', 'files', 'lines', 'small, one importer', "row's way", 'its lines', 'longest'],
  [...folders().map(rowOf), rowOf(['src', [...sources.keys()]])],
);
process.stdout.write('\n');
process.exitCode = showLimits();

/** Measured where they are held, by the test. */
function showLimits() {
  const env = { ...process.env, HOUSE: process.argv.includes('--lower') ? 'lower' : 'show' };
  const args = ['vitest', 'run', 'test/house/limits.test.ts', '--reporter=dot'];
  return spawnSync('npx', args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
}

function readSources() {
  const folder = join(ROOT, 'src');
  const paths = readdirSync(folder, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** By file: the files that import it. */
function importersOf() {
  const found = new Map([...sources.keys()].map((file) => [file, new Set()]));
  for (const [file, text] of sources) {
    for (const [, name] of text.matchAll(IMPORT)) found.get(posix.join(posix.dirname(file), name))?.add(file);
  }
  return found;
}

function folders() {
  const names = new Set([...sources.keys()].map((file) => posix.dirname(file)));
  return [...names]
    .sort()
    .map((name) => [name, [...sources.keys()].filter((file) => posix.dirname(file) === name)]);
}

function rowOf([name, files]) {
  const onWay = files.filter((file) => way?.has(file));
  const longest = files.reduce((most, file) => (lines(file) > lines(most) ? file : most));
  return [
    name,
    files.length,
    sum(files.map(lines)),
    files.filter((file) => lines(file) <= SMALL_LINES && importers.get(file)?.size === 1).length,
    onWay.length,
    sum(onWay.map(lines)),
    `${posix.basename(longest)} ${lines(longest)}`,
  ];
}

function print(head, rows) {
  const table = [head, ...rows].map((cells) => cells.map(String));
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  for (const cells of table)
    process.stdout.write(
      `${cells
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd()}\n`,
    );
}

function lines(file) {
  return (sources.get(file) ?? '').split('\n').length - 1;
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}
