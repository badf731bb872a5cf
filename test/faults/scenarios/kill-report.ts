import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
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
  /** Its report as a writer left it that nobody killed. */
  readonly calm: ReadonlyMap<string, string>;
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
  const calm = await filesIn(folderOf(flow, summary.run));
  const reported = { flow, file, summary, calm, dice, ms: await timeOfReport(flow, summary) };
  const done: Record<Death, number> = { moment: 0, rename: 0, 'end-of-run': 0 };
  let incomplete = 0;
  for (let n = 0; n < kills; n += 1) {
    const death = DEATHS[n % DEATHS.length] ?? 'moment';
    const names = death === 'end-of-run' ? await killRun(flow, n, dice) : await killWriter(death, reported);
    done[death] += 1;
    if (names.length > 0 && names.length < FILES.length) incomplete += 1;
  }
  expect((await flow.onboard(['report', summary.run])).exitCode).toBe(0);
  expect(await assertWholeFiles(folderOf(flow, summary.run), calm)).toEqual(FILES);
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
async function killWriter(death: 'moment' | 'rename', { flow, file, summary, calm, dice, ms }: Reported) {
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
  const found = await assertWholeFiles(folder, calm);
  await runAgain(flow, file);
  expect(await assertWholeFiles(folder, calm), 'after the same command').toEqual(FILES);
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
  const names = [...(await filesIn(folderOf(flow, summary.run))).keys()];
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

function draftsCsv(prefix: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const email = (i + 1) % REJECTED_EVERY === 0 ? 'nobody' : 'a@example.com';
    return `${prefix}${i + 1},${prefix}${i + 1},${email}`;
  });
  return ['externalId,name,email', ...lines, ''].join('\n');
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  const files = new Map<string, string>();
  for (const name of names) files.set(name, await readFile(join(folder, name), 'utf8'));
  return files;
}

/**
 * Each file of a report that has its name is whole, whichever of them are there; answers the names. But for when it was written, it
 * has what the calm one has.
 */
async function assertWholeFiles(folder: string, calm: ReadonlyMap<string, string>): Promise<string[]> {
  const files = await filesIn(folder);
  for (const [name, text] of files) {
    if (name === 'summary.json') summarySchema.parse(JSON.parse(text));
    else if (name === 'report.html') expect(text, name).toMatch(/^<!doctype html>.*<\/html>\n$/s);
    else expect(text === calm.get(name), `${name} is whole`).toBe(true);
  }
  return [...files.keys()];
}
