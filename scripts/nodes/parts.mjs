/**
 * What is tried on each platform. A part throws an Error where something is not as it should be.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import writeXlsxFile from 'write-excel-file/node';
import { openProgram, ROOT, until } from './program.mjs';

export const PARTS = { demo, kills, formats, report };

/** Bytes of the demo's output that are shown where it fails. */
const SHOWN = 3_000;
const JOB = `operation: subclient.create
key: externalId
fields: { details.name: Name, additionalInformation.crmId: externalId }
`;
const FINISHED = [0, 5];

/** Every operation's sample files. */
async function demo({ node, path, folder }) {
  const env = { PATH: path, HOME: folder };
  const args = [join(ROOT, 'scripts', 'demo.mjs'), join(folder, 'demo')];
  const child = spawn(node, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
  await once(child, 'close');
  equal(child.exitCode, 0, text.slice(-SHOWN));
}

/** A worker is killed and then the run, while rows are created, and both are started again. */
async function kills(platform) {
  const rows = 1_000;
  await withProgram(platform, ['--fault', 'latency=40ms'], async (program) => {
    const file = writeRows(program, numbered(rows));
    const command = ['run', '--job-file', writeJob(program), file, '--json'];
    const made = async () => (await program.stats()).made.subclients;
    const first = program.start(command);
    const worker = program.start(['work']);
    await until(async () => (await made()) > 0.2 * rows);
    worker.child.kill('SIGKILL');
    await worker.ended;
    const other = program.start(['work']);
    await until(async () => (await made()) > 0.4 * rows);
    first.child.kill('SIGKILL');
    await first.ended;
    const { outcomes, controlTotal, settled } = JSON.parse(await program.carryOut(command, FINISHED));
    const { made: all, duplicateKeys } = await program.stats();
    const inDoubt = outcomes['in-doubt'];
    equal(duplicateKeys, 0, 'keys were made twice');
    deepEqual([settled, controlTotal.holds, outcomes.created + inDoubt], [rows, true, rows]);
    ok(all.subclients >= outcomes.created && all.subclients <= outcomes.created + inDoubt, 'rows lost');
    other.child.kill('SIGTERM');
    equal((await other.ended).exitCode, 4);
  });
}

/** The same rows in every form that a file may have. */
async function formats(platform) {
  await withProgram(platform, [], async (program) => {
    const job = writeJob(program);
    for (const [name, bytesOf] of Object.entries(FORMS)) {
      const before = (await program.keys()).length;
      const rows = numbered(3, `${name}-`);
      const file = join(program.folder, name);
      writeFileSync(file, bytesOf(rows));
      await program.carryOut(['run', '--job-file', job, file], [0]);
      deepEqual(
        (await program.keys()).slice(before),
        rows.map(({ key }) => key),
        name,
      );
    }
    const book = join(program.folder, 'book.xlsx');
    const text = (value) => ({ value, type: String });
    const cells = [['externalId', 'details.name'].map(text), ['B1', 'Book Ltd'].map(text)];
    writeFileSync(book, await writeXlsxFile(cells).toBuffer());
    const { outcomes } = JSON.parse(
      await program.carryOut(['run', 'subclients-create', book, '--json'], [0]),
    );
    equal(outcomes.created, 1, 'the row of the workbook');
  });
}

/** What is said of a run afterwards. */
async function report(platform) {
  await withProgram(platform, ['--fault', '500-after-create=every:10'], async (program) => {
    const file = writeRows(program, numbered(50));
    const command = ['run', '--job-file', writeJob(program), file, '--json'];
    const { run, outcomes } = JSON.parse(await program.carryOut(command, [5]));
    deepEqual([outcomes.created, outcomes['in-doubt']], [45, 5]);
    const again = join(program.folder, 'again');
    await program.carryOut(['report', run, '--out', again], [0]);
    const [one, other] = [join(program.folder, 'home', 'reports', run), again].map((folder) =>
      readFileSync(join(folder, 'results.csv'), 'utf8'),
    );
    equal(one, other, 'results.csv');
    equal(JSON.parse(await program.carryOut(['runs', '--json'], [0])).run, run);
    const row =
      one
        .split('\n')
        .find((line) => line.includes(',in-doubt,'))
        ?.split(',')[0] ?? '';
    await program.carryOut(['resolve', run, row, '--not-created'], [0, 5]);
    const status = JSON.parse(await program.carryOut(['status', run, '--json'], [0]));
    equal(status.outcomes['in-doubt'], 4, 'rows in doubt after a decision on one');
  });
}

const FORMS = {
  'comma.csv': (rows) => separated(rows, ','),
  'semicolon.csv': (rows) => separated(rows, ';'),
  'wide.csv': (rows) => Buffer.from(`\uFEFF${separated(rows, ',')}`, 'utf16le'),
  'tab.tsv': (rows) => separated(rows, '\t'),
  'packed.csv.gz': (rows) => gzipSync(separated(rows, ',')),
  'list.json': (rows) => JSON.stringify(rows.map(recordOf)),
  'lines.ndjson': (rows) => rows.map((row) => `${JSON.stringify(recordOf(row))}\n`).join(''),
};

function separated(rows, delimiter) {
  const lines = [['externalId', 'Name'], ...rows.map(({ key, name }) => [key, name])];
  return lines.map((cells) => `${cells.join(delimiter)}\n`).join('');
}

function recordOf({ key, name }) {
  return { externalId: key, Name: name };
}

function numbered(count, prefix = 'K') {
  return Array.from({ length: count }, (_, i) => ({ key: `${prefix}${i + 1}`, name: `Café Peña ${i + 1}` }));
}

function writeRows({ folder }, rows) {
  const file = join(folder, 'rows.csv');
  writeFileSync(file, separated(rows, ','));
  return file;
}

function writeJob({ folder }) {
  const file = join(folder, 'job.yaml');
  writeFileSync(file, JOB);
  return file;
}

async function withProgram(platform, sandboxFlags, work) {
  const program = await openProgram(platform, sandboxFlags);
  try {
    await work(program);
  } finally {
    await program.end();
  }
}
