/**
 * What waits for somebody in a home: runs that don't go on by themselves, rows in doubt, rows to correct that nobody has
 * taken up again, and files that were refused. The newest first; nothing is changed by looking.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { insteadOf } from '../lib/errors.ts';
import { OUTCOMES, REMAINDER } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import type { Summary } from '../report/summary.ts';
import { goingOnWith, type ShownRun, summaryOf } from '../runs/status.ts';
import { listEntries, NOTE_ENDING } from './entry.ts';

/** A run that waits for somebody. */
export type NeedyRun = ShownRun & {
  readonly inDoubt: number;
  /** Rows to correct that no later run has taken up. */
  readonly toCorrect: number;
  /** As the report says it; without files where there is no true report of the run here. */
  readonly summary: Summary;
  /** The folder of its report. */
  readonly report: string;
};

/** A file that was refused, and the note that says why. */
type RefusedFile = { readonly file: string; readonly note: string; readonly why: string };

export type Needs = { readonly runs: readonly NeedyRun[]; readonly refused: readonly RefusedFile[] };

/** `newest`: the runs that are looked at. */
export async function findNeeds(newest: readonly ShownRun[], home: string): Promise<Needs> {
  const reports = join(home, 'reports');
  const runs = newest.map((shown) => needyRun(shown, newest, reports)).filter((run) => run !== null);
  return { runs: await Promise.all(runs), refused: await refusedFiles(join(home, 'failed')) };
}

function needyRun(shown: ShownRun, newest: readonly ShownRun[], reports: string): Promise<NeedyRun> | null {
  const { run, state } = shown;
  const report = join(reports, run.id);
  const inDoubt = run.outcomes['in-doubt'];
  const wrong = OUTCOMES.filter((outcome) => REMAINDER[outcome] !== 'none' && outcome !== 'in-doubt');
  const isTakenUp = newest.some(({ run: later }) => takesUp(later, run, report));
  const toCorrect =
    isTakenUp || !isOver(run) ? 0 : wrong.reduce((sum, outcome) => sum + run.outcomes[outcome], 0);
  const waits = state.owner !== 'alive' && goingOnWith(run, state) !== null;
  if (!waits && inDoubt === 0 && toCorrect === 0) return null;
  return summaryOf(run, report).then((summary) => ({ ...shown, inDoubt, toCorrect, summary, report }));
}

/** Whether a run is a rerun of the other, or has loaded a file of the other's report. */
function takesUp(later: Run, { id }: Run, report: string): boolean {
  return later.parent === id || resolve(later.file).startsWith(report + sep);
}

/** Files that came into `failed` since then (ms): they were refused, or not taken to their end. */
export async function refusedSince(home: string, time: number) {
  const folder = join(home, 'failed');
  const { entries } = await listEntries(folder).catch(insteadOf('ENOENT', { entries: [] }));
  const paths = new Set(entries.map(({ path }) => path));
  return entries
    .filter(({ path, changedMs }) => changedMs >= time && !path.endsWith(NOTE_ENDING))
    .map(({ path, changedMs }) => {
      const note = path + NOTE_ENDING;
      return { file: path, note: paths.has(note) ? join(folder, note) : null, at: changedMs };
    });
}

async function refusedFiles(folder: string): Promise<RefusedFile[]> {
  const { entries } = await listEntries(folder).catch(insteadOf('ENOENT', { entries: [] }));
  const notes = new Set(entries.filter(({ path }) => path.endsWith(NOTE_ENDING)).map(({ path }) => path));
  const files = entries
    .filter(({ path }) => !notes.has(path))
    .sort((a, b) => b.changedMs - a.changedMs)
    .map(({ path }) => path);
  return Promise.all(
    files.map(async (path) => {
      const note = notes.has(path + NOTE_ENDING) ? join(folder, path + NOTE_ENDING) : '';
      return { file: join(folder, path), note, why: await reasonIn(note) };
    }),
  );
}

/** Far more than a note has. */
const NOTE_CHARACTERS = 4_000;
const WHY = /\n\nWhy: ([\s\S]*?)(?:\n\n|\nWhy: |$)/;

/** The first reason that a note gives, on one line; empty where there is none. */
async function reasonIn(note: string): Promise<string> {
  if (note === '') return '';
  const text = (await readFile(note, 'utf8').catch(() => '')).slice(0, NOTE_CHARACTERS);
  return (WHY.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ').trim();
}
