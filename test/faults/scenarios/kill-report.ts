import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { z } from 'zod';
import { digestSchema } from '../../../src/report/digest.ts';
import { type Summary, summarySchema } from '../../../src/report/summary.ts';
import { type Flow, keysOf, startFlow } from '../../support/flow.ts';
import { preloadEnv } from '../support/killing.ts';
import { createDice, type Dice } from '../support/seed.ts';
import { momentLater, secondsSince } from '../support/times.ts';
import { assertTruth } from '../support/truth.ts';

export type KillReportOptions = { readonly rows: number; readonly kills: number; readonly seed: number };

const DEATHS = ['moment', 'rename', 'end-of-run'] as const;
type Death = (typeof DEATHS)[number];

const FILES = [
  'digest.json',
  'rejected.csv',
  'rejections.jsonl',
  'report.html',
  'results.csv',
  'summary.json',
] as const;
/** Rows of the runs that are killed at their end. */
const SHORT_ROWS = 60;
/** Every so many rows the service refuses one: its IBAN is none. */
const REJECTED_EVERY = 3;

type Reported = {
  readonly flow: Flow;
  readonly file: string;
  readonly summary: Summary;
  readonly dice: Dice;
  readonly ms: number;
};

/** The writer of a report dies at random moments, over an earlier report and without one: every file found is whole. */
export async function killReport(options: KillReportOptions) {
  const began = performance.now();
  const { rows, kills, seed } = options;
  const flow = await startFlow();
  const file = await flow.file('rows.csv', draftsCsv('K', rows));
  const { summary } = await flow.run(['counterparty-drafts', file]);
  const dice = createDice(seed);
  const reported = { flow, file, summary, dice, ms: await timeOfReport(flow, summary) };
  const done: Record<Death, number> = { moment: 0, rename: 0, 'end-of-run': 0 };
  let incomplete = 0;
  for (let n = 0; n < kills; n += 1) {
    const death = DEATHS[n % DEATHS.length] ?? 'moment';
    const names = death === 'end-of-run' ? await killRun(flow, n, dice) : await killWriter(death, reported);
    done[death] += 1;
    if (names.length > 0 && names.length < FILES.length) incomplete += 1;
  }
  expect((await flow.onboard(['report', summary.run])).exitCode).toBe(0);
  expect(await assertWholeFiles(folderOf(flow, summary.run), expectedOf(rows))).toEqual(FILES);
  const report = { kills: done, incomplete, rows, seconds: secondsSince(began) };
  process.stderr.write(`kill-report ${JSON.stringify({ ...options, ...report })}\n`);
  return report;
}

/** How long a whole `onboard report` takes as a process, ms. */
async function timeOfReport(flow: Flow, { run }: Summary): Promise<number> {
  const from = performance.now();
  await flow.start(['report', run]).ended;
  return performance.now() - from;
}

/** Kills an `onboard report`; every other time there is no earlier one. Answers the files found. */
async function killWriter(death: 'moment' | 'rename', { flow, file, summary, dice, ms }: Reported) {
  const folder = folderOf(flow, summary.run);
  const isFirst = dice.next() < 0.5;
  if (isFirst) await rm(folder, { recursive: true, force: true });
  const env = death === 'rename' ? crashEnv(dice, isFirst) : {};
  const started = flow.start(['report', summary.run], env);
  if (death === 'moment') {
    // Its first half only opens the ledger.
    await momentLater(
      dice.between(Math.round(ms / 2), Math.round(ms)),
      () => started.child.exitCode !== null,
    );
    started.child.kill('SIGKILL');
  }
  await started.ended;
  if (death === 'rename') expect(started.child.signalCode).toBe('SIGKILL');
  const found = await assertWholeFiles(folder, expectedOf(summary.rows));
  await runAgain(flow, file);
  expect(await assertWholeFiles(folder, expectedOf(summary.rows)), 'after the same command').toEqual(FILES);
  return found;
}

/** Kills a run while it writes its report; the same command writes all of it. */
async function killRun(flow: Flow, n: number, dice: Dice): Promise<string[]> {
  const file = await flow.file(`rows-${n}.csv`, draftsCsv(`R${n}-`, SHORT_ROWS));
  const madeBefore = flow.sandbox.stats().made.drafts;
  const killed = flow.start(['run', 'counterparty-drafts', file], crashEnv(dice, false));
  await killed.ended;
  expect(killed.child.signalCode).toBe('SIGKILL');
  const { summary } = await runAgain(flow, file);
  const names = await assertWholeFiles(folderOf(flow, summary.run), expectedOf(SHORT_ROWS));
  expect(names, 'the report of a run whose writer was killed').toEqual(FILES);
  const keys = keysOf(SHORT_ROWS, `R${n}-`);
  await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys, kind: 'draft', madeBefore });
  return names;
}

/** A process that is gone and had nothing left to do is not waited for. */
async function runAgain(flow: Flow, file: string) {
  const ended = await flow.run(['counterparty-drafts', file]);
  expect(ended.stderr).not.toContain('Waiting up to');
  return ended;
}

/** The first report of a directory has one file more: a summary that says whose it is, before all others. */
function crashEnv(dice: Dice, isFirst: boolean): Record<string, string> {
  const nth = dice.between(1, FILES.length + (isFirst ? 1 : 0));
  return { ...preloadEnv('crash-at-rename'), ONBOARD_TEST_CRASH_AT_RENAME: String(nth) };
}

function folderOf({ home }: Flow, run: string): string {
  return join(home, 'reports', run);
}

function expectedOf(rows: number): ExpectedReport {
  const rejected = Array.from(
    { length: Math.floor(rows / REJECTED_EVERY) },
    (_, i) => (i + 1) * REJECTED_EVERY,
  );
  return { rows, rejected };
}

function draftsCsv(prefix: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const email = (i + 1) % REJECTED_EVERY === 0 ? 'nobody' : 'a@example.com';
    return `${prefix}${i + 1},${prefix}${i + 1},${email}`;
  });
  return ['externalId,name,email', ...lines, ''].join('\n');
}

/** What a report must say once it is written. */
export type ExpectedReport = {
  readonly rows: number;
  /** The rows that the service refused. */
  readonly rejected: readonly number[];
};

const rejectionSchema = z.object({ row: z.number() });

/** Reads a file and answers the row numbers in it. */
const ROWS_IN: Readonly<Record<string, (text: string) => number[]>> = {
  'results.csv': (text) => columnOf(text, 'row'),
  'rejected.csv': (text) => columnOf(text, 'onboard_row'),
  'rejections.jsonl': (text) => linesOf(text).map((line) => rejectionSchema.parse(JSON.parse(line)).row),
};

/**
 * Reads every file of a report that has its name: each is whole, with every row it is about exactly once, in order.
 * Throws an Error that names the file where one is not; answers the names. Files that are not there yet are none of its business.
 */
export async function assertWholeFiles(directory: string, expected: ExpectedReport): Promise<string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    // One that a later writing has removed since was whole when it went.
    const text = await readFile(join(directory, name), 'utf8').catch(() => null);
    if (text === null) continue;
    try {
      assertWhole(name, text, expected);
    } catch (error) {
      throw new Error(`${name} is not whole: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return names;
}

function assertWhole(name: string, text: string, expected: ExpectedReport): void {
  if (name === 'summary.json') {
    summarySchema.parse(JSON.parse(text));
    return;
  }
  if (name === 'digest.json') {
    const { outcomes, read } = digestSchema.parse(JSON.parse(text));
    if (read !== expected.rows || outcomes.rejected !== expected.rejected.length)
      throw new Error(`${read} rows, ${outcomes.rejected} of them rejected`);
    return;
  }
  if (name === 'report.html') {
    if (!/^<!doctype html>.*<\/html>\n$/s.test(text)) throw new Error('it begins or ends as no page does');
    return;
  }
  const rowsIn = ROWS_IN[name];
  if (rowsIn === undefined) throw new Error('no report has such a file here');
  const rows = rowsIn(text);
  const wanted =
    name === 'results.csv' ? Array.from({ length: expected.rows }, (_, i) => i + 1) : expected.rejected;
  if (rows.length !== wanted.length) throw new Error(`${rows.length} rows, expected ${wanted.length}`);
  const wrong = rows.findIndex((row, i) => row !== wanted[i]);
  if (wrong >= 0) throw new Error(`row ${rows[wrong]}, expected ${wanted[wrong]}`);
}

function columnOf(text: string, column: string): number[] {
  const lines: Array<Record<string, string>> = parse(text, { columns: true, bom: true });
  return lines.map((line) => Number(line[column]));
}

function linesOf(text: string): string[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is torn');
  return text.split('\n').slice(0, -1);
}
