/**
 * Applies each mutant of the list to a copy of the repository and runs the tests that should see it: `npm run test:mutants`.
 * A survivor, a text that is not found exactly once, and tests that fail without any change make the exit status 1.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './list.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Not copied: what is installed, or of no use to a test. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'coverage']);
/** A change may leave a test waiting for ever. */
const TEST_TIMEOUT_MS = 30_000;
const RUN_TIMEOUT_MS = 240_000;
/** All tests that are named, without any change. */
const SOUND_TIMEOUT_MS = 1_800_000;

const WORD = { passed: 'SURVIVED', failed: 'seen', broken: 'BROKEN' };

const HELP = `npm run test:mutants -- [options]
  --only TEXT  the mutants whose id, folder or file has the text, or one of several with commas between
  --lanes N    run so many at once (2)
  --list       only show them
`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

process.exitCode = await main();

async function main() {
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const located = await Promise.all(MUTANTS.map(locate));
  const wanted = options.only.split(',');
  const chosen = located.filter(({ id, in: folder, file = '' }) =>
    wanted.some((text) => [id, folder, file].some((name) => name.includes(text))),
  );
  const lost = chosen.filter(({ problem }) => problem !== null);
  for (const { id, problem } of lost) process.stdout.write(`${id}: ${problem}\n`);
  const mutants = chosen.filter(({ problem }) => problem === null);
  if (options.list) {
    for (const mutant of mutants) process.stdout.write(`${mutant.id}  ${mutant.file}  ${mutant.why}\n`);
    return lost.length > 0 ? 1 : 0;
  }
  if (mutants.length === 0) {
    process.stdout.write(`no mutant has "${options.only}" in its id, folder or file\n`);
    return 1;
  }
  const home = await mkdtemp(join(tmpdir(), 'onboard-mutants-'));
  try {
    return (await runAll(mutants, home)) && lost.length === 0 ? 0 : 1;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** True: no mutant survived. */
async function runAll(mutants, home) {
  const lanes = Array.from({ length: Math.max(1, Number(options.lanes)) }, (_, i) => join(home, `lane-${i}`));
  await Promise.all(lanes.map(copyTo));
  const files = [...new Set(mutants.flatMap((mutant) => mutant.files))];
  const sound = await runTests(lanes[0], files, { workers: lanes.length, timeoutMs: SOUND_TIMEOUT_MS });
  if (sound.kind !== 'passed') {
    process.stdout.write(
      `the tests fail without any change (${sound.by}): nothing can be said\n${sound.output}\n`,
    );
    return false;
  }
  const results = new Map();
  const left = mutants.values();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const mutant of left) {
        const result = await tryMutant(mutant, lane);
        results.set(mutant.id, result);
        process.stdout.write(`${lineOf(mutant, result)}\n`);
      }
    }),
  );
  return summarize(mutants, results);
}

/** Where the mutant's text stands, and the test files that are to see it. */
async function locate(mutant) {
  const found = [];
  for (const file of await filesIn(mutant.in)) {
    const times = (await readFile(join(ROOT, file), 'utf8')).split(mutant.find).length - 1;
    for (let n = 0; n < times; n += 1) found.push(file);
  }
  const files = await testFilesOf(mutant.tests);
  const times =
    found.length === 1 ? null : `its text is ${found.length} times in ${mutant.in}: ${found.join(', ')}`;
  const problem = times ?? (files.length === 0 ? `there are no tests ${mutant.tests.join(', ')}` : null);
  return { ...mutant, file: found[0], files, problem };
}

/** Test files that begin so; where none does any more, all of the folders. */
async function testFilesOf(beginnings) {
  const folders = [...new Set(beginnings.map((text) => text.slice(0, text.lastIndexOf('/'))))];
  const all = (await Promise.all(folders.map(filesIn))).flat().filter((file) => file.endsWith('.test.ts'));
  const named = all.filter((file) => beginnings.some((text) => file.startsWith(text)));
  return named.length > 0 ? named : all;
}

async function filesIn(folder) {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** The repository as it lies there; packages are linked, so that what tools write beside them is the copy's own. */
async function copyTo(folder) {
  await cp(ROOT, folder, { recursive: true, filter: (source) => !LEFT_OUT.has(basename(source)) });
  const packages = join(ROOT, 'node_modules');
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(packages)) {
    if (!name.startsWith('.') || name === '.bin') {
      await symlink(join(packages, name), join(folder, 'node_modules', name));
    }
  }
}

async function tryMutant({ file, find, put, files, builds = false }, lane) {
  const path = join(lane, file);
  const text = await readFile(path, 'utf8');
  // Tests that start the program see what was built; where that fails, they would see the build before.
  const build = async () => {
    if (!builds) return null;
    const built = await start(join(lane, 'scripts/build.mjs'), [], { cwd: lane, timeoutMs: RUN_TIMEOUT_MS });
    return built.code === 0
      ? null
      : { kind: 'broken', by: 'it is not built', seconds: 0, output: built.output };
  };
  await writeFile(
    path,
    text.replace(find, () => put),
  );
  try {
    const unbuilt = await build();
    return unbuilt ?? (await runTests(lane, files, { workers: 1, timeoutMs: RUN_TIMEOUT_MS }));
  } finally {
    await writeFile(path, text);
    await build();
  }
}

/** `passed`, `failed` by a test, or `broken`: no test could be run. */
async function runTests(lane, files, { workers, timeoutMs }) {
  const report = join(lane, 'mutant-report.json');
  await rm(report, { force: true });
  const began = performance.now();
  const args = ['run', ...files, '--bail', '1', '--retry', '1', '--maxWorkers', String(workers)];
  const settings = ['--testTimeout', String(TEST_TIMEOUT_MS), '--reporter=json', `--outputFile=${report}`];
  const program = join(lane, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await start(program, [...args, ...settings], { cwd: lane, timeoutMs });
  const seconds = (performance.now() - began) / 1000;
  const tests = await readFile(report, 'utf8').then(assertionsIn, () => []);
  const failed = tests.find(({ status }) => status === 'failed');
  if (code === 0) return { kind: 'passed', by: '', seconds, output };
  if (failed !== undefined)
    return { kind: 'failed', by: failed.fullName, seconds, output: failed.failureMessages[0] };
  if (code === null) return { kind: 'failed', by: 'it never ends', seconds, output };
  return {
    kind: tests.length === 0 ? 'broken' : 'failed',
    by: 'an error outside of the tests',
    seconds,
    output,
  };
}

function assertionsIn(text) {
  return JSON.parse(text).testResults.flatMap(({ assertionResults }) => assertionResults);
}

/** `code` is `null` where it took too long. */
function start(program, args, { cwd, timeoutMs }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let isLate = false;
    const keep = (text) => {
      output = (output + text).slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setTimeout(() => {
      isLate = true;
      child.kill();
    }, timeoutMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: isLate ? null : code, output });
    });
  });
}

function lineOf({ id, file }, { kind, by, seconds }) {
  return `${WORD[kind].padEnd(8)}  ${seconds.toFixed(1).padStart(5)} s  ${id.padEnd(36)}  ${file}  ${by}`;
}

function summarize(mutants, results) {
  const unseen = mutants.filter(({ id }) => results.get(id).kind !== 'failed');
  for (const { id, file, why } of unseen) {
    const { kind, output } = results.get(id);
    process.stdout.write(
      `\n${id} (${file}) ${kind === 'passed' ? 'survived' : 'could not be run'}: ${why}\n`,
    );
    if (kind === 'broken') process.stdout.write(`${output}\n`);
  }
  process.stdout.write(`\n${mutants.length - unseen.length} of ${mutants.length} mutants are seen\n`);
  return unseen.length === 0;
}
