#!/usr/bin/env node
// The samples of every operation, taken through the program against its built-in sandbox, in a home
// of their own: the folder that is named, or a new one. A German partner's file goes all the way:
// mapped, loaded, corrected and loaded again.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { findProgram } from './setup/find-program.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const HOME =
  process.argv[2] ?? join('.onboard', `demo-${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}`);
/**
 * What the German partner's file becomes: the definition that `map` writes, and its rows corrected
 * by hand.
 */
const KUNDEN = {
  file: 'samples/partner-de-subclients.csv',
  job: join(HOME, 'jobs', 'kunden.yaml'),
  corrected: join(HOME, 'kunden-corrected.csv'),
};
const CORRECTIONS = [
  { row: 4, column: 'Firma', value: 'Tarnhollow Timber GmbH' },
  { row: 9, column: 'Gründungsdatum', value: '28.02.2019' },
  { row: 18, column: 'Land', value: 'COD' },
];

/**
 * `exit`: what the step is expected to end with (1: some rows did not succeed, and the report says
 * which).
 */
const STEPS = [
  {
    title: 'What would happen: read, map and check a file without calling the service',
    command: ['check', 'subclients-create', 'samples/subclients-create.csv'],
    exit: 1,
  },
  {
    title: 'New subclients from a CSV file, with the mistakes that partners make',
    command: ['run', 'subclients-create', 'samples/subclients-create.csv', '--sandbox'],
    exit: 1,
  },
  {
    title: 'The second delivery: what was created before is skipped, what was corrected is created',
    command: ['run', 'subclients-create', 'samples/subclients-create-second-delivery.csv', '--sandbox'],
    exit: 0,
  },
  {
    title: "A German partner's own headers: `map` proposes the job definition",
    command: ['map', KUNDEN.file, '--operation', 'subclient.create', '--out', KUNDEN.job],
    exit: 0,
  },
  {
    title: 'That file, loaded by it: three rows have a mistake, and failed.csv has them with the reason',
    command: ['run', '--job-file', KUNDEN.job, KUNDEN.file, '--sandbox'],
    exit: 1,
  },
  {
    title: 'The same three rows, corrected: only they are sent',
    prepare: correctKunden,
    command: ['run', '--job-file', KUNDEN.job, KUNDEN.corrected, '--sandbox'],
    exit: 0,
  },
  {
    title: 'Changes to subclients that exist',
    command: ['run', 'subclients-update', 'samples/subclients-update.csv', '--sandbox'],
    exit: 1,
  },
  {
    title: 'Subclients, new or known: update the known ones, create the others',
    command: ['run', 'subclients-upsert', 'samples/subclients-upsert.csv', '--sandbox'],
    exit: 1,
  },
  {
    title: 'Payees as drafts; the service refuses some of them (418)',
    command: ['run', 'counterparty-drafts', 'samples/counterparty-drafts.csv', '--sandbox'],
    exit: 1,
  },
  {
    title: 'What documents are attached to payments, from a JSON file',
    command: ['run', 'payment-documents', 'samples/payment-documents.json', '--sandbox'],
    exit: 1,
  },
  { title: 'All runs of this demo', command: ['runs'], exit: 0 },
];

process.exitCode = main();

function main() {
  mkdirSync(resolve(ROOT, HOME, 'jobs'), { recursive: true, mode: 0o700 });
  say(`The demo keeps everything in ${HOME}.`);
  const unexpected = STEPS.filter((step, index) => !endsAsExpected(step, index + 1));
  if (unexpected.length === 0) {
    say(
      '\nEvery step ended as expected. Rows that did not succeed are in the files beside each summary.json.',
    );
    return 0;
  }
  say(`\n${unexpected.length} of ${STEPS.length} steps did not end as expected:`);
  for (const { command } of unexpected) say(`  npx onboard ${command.join(' ')}`);
  return 1;
}

/**
 * What a person does in a spreadsheet. Without a failed.csv nothing is written, and the step that
 * loads it says so.
 */
function correctKunden() {
  const kept = correctRows(resolve(ROOT, HOME, 'reports'), 'kunden', CORRECTIONS);
  if (kept === null) return;
  writeFileSync(resolve(ROOT, KUNDEN.corrected), kept, { mode: 0o600 });
  for (const { row, column, value } of CORRECTIONS) say(`row ${row}, column "${column}": ${value}`);
  say('');
}

/**
 * The failed.csv of that job's newest run, with its cells corrected as a person would; null where
 * there is none.
 */
function correctRows(reports, job, corrections) {
  const failed = failedFile(reports, job);
  if (failed === null) return null;
  const rows = parse(readFileSync(failed), { bom: true, columns: true, delimiter: ';' });
  for (const { row, column, value } of corrections) {
    const found = rows.find((cells) => cells.onboard_row === String(row));
    if (found === undefined || !(column in found))
      throw new Error(`${failed}: no row ${row} with "${column}"`);
    found[column] = value;
  }
  return stringify(rows, { header: true, delimiter: ';' });
}

function failedFile(reports, job) {
  if (!existsSync(reports)) return null;
  const newest = readdirSync(reports)
    .toSorted()
    .findLast((name) => jobOf(join(reports, name)) === job);
  const path = join(reports, newest ?? '', 'failed.csv');
  return existsSync(path) ? path : null;
}

function jobOf(folder) {
  const path = join(folder, 'summary.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).job : null;
}

function endsAsExpected({ title, prepare, command, exit }, number) {
  say(`\n── ${number}/${STEPS.length}  ${title}\n`);
  prepare?.();
  say(`$ ONBOARD_HOME=${HOME} npx onboard ${command.join(' ')}\n`);
  const { status, error } = spawnSync(process.execPath, [join('dist', 'main.js'), ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment(),
  });
  if (error !== undefined) say(`could not be started: ${error.message}`);
  if (status !== exit) say(`\nExit status ${status}, expected ${exit}.`);
  return status === exit;
}

/**
 * The embedded server where there is a program for it: a demo leaves nothing in a Redis that is
 * used for more.
 */
function environment() {
  const own = { ...process.env, ONBOARD_HOME: HOME, ONBOARD_JOBS: 'jobs' };
  if (findProgram('redis-server', 'valkey-server') !== null) delete own.REDIS_URL;
  return own;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
