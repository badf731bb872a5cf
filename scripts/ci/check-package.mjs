#!/usr/bin/env node
// What `npm pack` would publish: all that is needed, and nothing else.
import { spawnSync } from 'node:child_process';

const ALLOWED = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/.+\.(js|json|lua|html|css)$/,
  /^jobs\/[\w-]+\.yaml$/,
  /^samples\/[\w.-]+$/,
];
const NEEDED = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'dist/main.js',
  'jobs/subclients-create.yaml',
  'samples/README.md',
];

const EXECUTABLE = 0o111;

const packed = packedFiles();
const problems = [
  ...packed
    .map(({ path }) => path)
    .filter((path) => !ALLOWED.some((form) => form.test(path)))
    .map((path) => `${path} does not belong into the package`),
  ...NEEDED.filter((path) => !packed.some((file) => file.path === path)).map((path) => `${path} is missing`),
  ...packed
    .filter(({ path, mode }) => path === 'dist/main.js' && (mode & EXECUTABLE) === 0)
    .map(({ path }) => `${path} is not executable`),
];

for (const problem of problems) process.stderr.write(`check-package: ${problem}\n`);
process.stdout.write(`${packed.length} files\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** The build is there already: without its scripts npm prints nothing but the list. */
function packedFiles() {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`npm pack did not succeed: ${stderr}`);
  // npm 12 names each package in an object; before, it was a list.
  const answer = JSON.parse(stdout);
  return Object.values(answer).flatMap(({ files }) => files);
}
