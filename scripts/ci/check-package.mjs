#!/usr/bin/env node
// What `npm pack` would publish: all that is needed, and nothing else.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ALLOWED = [
  /^(package\.json|npm-shrinkwrap\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/.+\.(js|json|lua|html|css|tsv)$/,
  /^docs\/[\w.-]+\.(md|json|yaml|png|svg)$/,
  /^docs\/json\/[\w-]+\.schema\.json$/,
  /^jobs\/[\w-]+\.yaml$/,
  /^samples\/[\w.-]+$/,
];
const NEEDED = [
  'package.json',
  // Its overrides and versions are those that were tested: a package's own lock file does not travel.
  'npm-shrinkwrap.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'dist/main.js',
  'jobs/subclients-create.yaml',
  'samples/README.md',
];

const EXECUTABLE = 0o111;
/** Linked to for those who have the source. */
const OF_THE_SOURCE = ['CONTRIBUTING.md', 'Dockerfile'];

const packed = packedFiles();
const problems = [
  ...linkedFiles()
    .filter((path) => !OF_THE_SOURCE.includes(path) && !packed.some((file) => file.path === path))
    .map((path) => `README.md links to ${path}, which is missing`),
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

/** Built as it would be published, and printing nothing but the list. */
function packedFiles() {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['pack', '--dry-run', '--json', '--foreground-scripts=false'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  if (status !== 0) throw new Error(`npm pack did not succeed: ${stderr}`);
  // npm 12 names each package in an object; before, it was a list.
  const answer = JSON.parse(stdout);
  return Object.values(answer).flatMap(({ files }) => files);
}

/** The files that the README links to, without their anchors. */
function linkedFiles() {
  const links = readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g);
  return [...new Set([...links].map(([, path]) => path))];
}
