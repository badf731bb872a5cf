import { SANDBOX_TARGET } from '../delivery/target.ts';
import { countOf } from '../lib/count-of.ts';
import { printable } from '../lib/printable.ts';
import { shellWord } from '../lib/shell-word.ts';
import { OUTCOMES } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { renderNext } from '../report/render-next.ts';
import type { Summary } from '../report/summary.ts';
import { outcomesOf } from '../runs/progress.ts';
import { type Note, type Written, writtenWords } from './note.ts';
import { type Fault, REFUSAL_ADVICE } from './sender-words.ts';

/** A file as it came, for notes. */
export type Origin = { readonly path: string; readonly inbox: string; readonly written: Written | null };

/** Why a file is not taken, and what is at fault. */
export type Refusal = { readonly why: readonly string[]; readonly fault: Fault };

/** The note of a file that was not taken, and why. */
export function refusedNote(origin: Origin, { why, fault }: Refusal): Note {
  return {
    subject: origin.path,
    headline: 'was not taken: nothing of it was sent.',
    facts: originFacts(origin),
    lines: [...why.map((one) => `Why: ${one}`), '', REFUSAL_ADVICE[fault]],
  };
}

/** The note of a file whose run is over. */
export function doneNote(origin: Origin, summary: Summary, report: string): Note {
  return {
    subject: origin.path,
    headline:
      summary.rows === 0
        ? 'has no rows: nothing was sent.'
        : 'was taken to its end: every row has its outcome.',
    facts: [...originFacts(origin), ...runFacts(summary), ...outcomeFacts(summary), ['report', report]],
    lines: [...findings(summary), ...nextLines(summary, report)],
  };
}

/** Where things are when a note is read. */
type Places = { readonly report: string; readonly file: string };

/** The note of a file with content that another one had. */
export function knownNote(origin: Origin, run: Run, { report, file }: Places): Note {
  const sandbox = run.target === SANDBOX_TARGET ? ' --sandbox' : '';
  return {
    subject: origin.path,
    headline: 'has the same content as a file that was taken before: nothing was sent.',
    facts: [
      ...originFacts(origin),
      ['taken as', `run ${run.id}, job ${run.job}`],
      ['state', `${run.state}${run.finishedAt === null ? '' : ` ${run.finishedAt}`}`],
      ['target', run.target],
      ['rows', String(run.rows)],
      ...outcomeFacts(run),
      ['report', report],
    ],
    lines: [
      'To send it all the same, as a new run:',
      `  onboard run ${shellWord(run.job)}${sandbox} --again ${shellWord(file)}`,
    ],
  };
}

/** The note of a file that somebody wrote to after it was taken. */
export function changedNote(origin: Origin, run: Run, report: string): Note {
  const isOpen = run.state !== 'finished' && run.state !== 'cancelled';
  return {
    subject: origin.path,
    headline: 'was changed after it was taken: it was not whole then.',
    facts: [
      ...originFacts(origin),
      ['run', `${run.id}, job ${run.job}, ${run.state}`],
      ['target', run.target],
      ...outcomeFacts(run),
      ['report', report],
    ],
    lines: [
      'What was written to it since was not sent.',
      ...(isOpen ? ['To close that run:', `  onboard cancel ${run.id}`] : []),
      'Then put the whole file into the inbox again: rows whose keys are known are skipped. Where the job names no key, take out what the report names as sent, or it is sent twice.',
      'So that it does not happen again: write under a name ending in .part and rename it, or set --rest or a marker.',
    ],
  };
}

/** The line that a file's run begins with here; `startedAt` tells whether another process had begun it. */
export function takenWords(path: string, { id, job, rows, startedAt }: Run): string {
  return `${path}: ${startedAt === null ? 'taken as' : 'goes on with'} run ${id}, job ${job}, ${countOf(rows, 'row')}`;
}

/** One line of what became of a file's run: `partner-x/a.csv: run … finished: created 90, rejected 3. Report: …`. */
export function endedWords(
  path: string,
  summary: Pick<Run, 'state' | 'reason' | 'rows' | 'outcomes'> & { id: string },
  report: string,
): string {
  const state = summary.reason === null ? summary.state : `${summary.state} (${summary.reason})`;
  const became = summary.rows === 0 ? 'the file has no rows' : outcomesOf(summary);
  return `${path}: run ${summary.id} ${state}: ${became}. Report: ${report}`;
}

function originFacts({ path, inbox, written }: Origin): Array<readonly [string, string]> {
  return [
    ['file', `${path} in ${inbox}`],
    ...(written === null ? [] : [['size', writtenWords(written)] as const]),
  ];
}

function runFacts(summary: Summary): Array<readonly [string, string]> {
  return [
    ['run', `${summary.run}, job ${summary.job}, ${summary.state}`],
    ['target', summary.target],
    ['rows', String(summary.rows)],
  ];
}

function outcomeFacts({ outcomes }: Pick<Run, 'outcomes'>): Array<readonly [string, string]> {
  return OUTCOMES.flatMap((outcome) =>
    outcomes[outcome] > 0 ? [[outcome, String(outcomes[outcome])] as const] : [],
  );
}

/** What rows were sent with all the same, by code, and what the reader had to decide. */
function findings({ warnings, source }: Summary): string[] {
  const counts = Object.entries(warnings).map(([code, count]) => `${count} × ${code}`);
  const notes = (source?.notes ?? []).map((note) => `How it was read: ${printable(note)}`);
  const sent =
    counts.length === 0
      ? []
      : [
          `Warnings, in rows that were sent all the same (results.csv names the columns): ${counts.join(', ')}.`,
        ];
  const lines = [...sent, ...notes];
  return lines.length === 0 ? [] : [...lines, ''];
}

function nextLines(summary: Summary, report: string): string[] {
  const next = renderNext(summary, { directory: report });
  if (next !== '') return next.split('\n');
  return summary.rows === 0
    ? ['If there should be some, export the file again and put it into the inbox.']
    : ['Nothing is left to be done.'];
}
