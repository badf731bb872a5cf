import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Summary, summarySchema } from '../../src/runs/report/summary.ts';
import { type Flow, keysOf, startFlow } from '../support/flow.ts';
import { preloadEnv } from './support/killing.ts';
import { createDice, type Dice, SEED, shareOf } from './support/seed.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';
import { assertTruth } from './support/truth.ts';

const [ROWS, KILLS] = LONG ? [6000, shareOf(100)] : [300, 3];
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
};

// By turns an `onboard report`, over an earlier report and without one, and a run at its end. Only a file's rename shows it.
test(
  `the writer of a report killed ${KILLS} times between two files: nothing twice, nothing lost, every file whole (seed ${SEED})`,
  async () => {
    const flow = await startFlow();
    const file = await flow.file('rows.csv', draftsCsv('K', ROWS));
    const { summary } = await flow.run(['counterparty-drafts', file]);
    const dice = createDice(SEED);
    const calm = await filesIn(folderOf(flow, summary.run));
    const reported = { flow, file, summary, calm, dice };
    for (let n = 0; n < KILLS; n += 1) {
      if (n % 2 === 1) await killRun(flow, n, dice);
      else await killWriter(reported, n % 4 === 0);
    }
    expect((await flow.onboard(['report', summary.run])).exitCode).toBe(0);
    expect(await assertWholeFiles(folderOf(flow, summary.run), calm)).toEqual(FILES);
  },
  TIMEOUT_MS,
);

/** Kills an `onboard report`; `isFirst`: there is no earlier one. */
async function killWriter({ flow, file, summary, calm, dice }: Reported, isFirst: boolean): Promise<void> {
  const folder = folderOf(flow, summary.run);
  if (isFirst) await rm(folder, { recursive: true, force: true });
  const started = flow.start(['report', summary.run], crashEnv(dice, isFirst));
  await started.ended;
  expect(started.child.signalCode).toBe('SIGKILL');
  const found = await assertWholeFiles(folder, calm);
  if (!isFirst) expect(found).toEqual(FILES);
  await runAgain(flow, file);
  expect(await assertWholeFiles(folder, calm), 'after the same command').toEqual(FILES);
}

/** Kills a run while it writes its report; the same command writes all of it. */
async function killRun(flow: Flow, n: number, dice: Dice): Promise<void> {
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
