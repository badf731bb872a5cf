import type { Note } from '../intake/inbox/note.ts';
import { type Written, writtenWords } from '../intake/inbox/note.ts';
import { OUTCOMES } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { renderNext } from '../report/render-next.ts';
import type { Summary } from '../report/summary.ts';
import { outcomesOf } from './progress.ts';

/** A file as it came, for notes. */
export type Origin = { readonly path: string; readonly inbox: string; readonly written: Written | null };

const PUT_AGAIN = 'Mend that, and put the file into the inbox again under its first name.';

/** The note of a file that was not taken, and why. */
export function refusedNote(origin: Origin, why: readonly string[]): Note {
  return {
    headline: `${origin.path} was not taken: nothing of it was sent.`,
    facts: originFacts(origin),
    lines: [...why.map((one) => `Why: ${one}`), PUT_AGAIN],
  };
}

/** The note of a file whose run is over. */
export function doneNote(origin: Origin, summary: Summary, report: string): Note {
  return {
    headline: `${origin.path} was taken to its end: every row has its outcome.`,
    facts: [...originFacts(origin), ...runFacts(summary), ...outcomeFacts(summary), ['report', report]],
    lines: nextLines(summary, report),
  };
}

/** The note of a file with content that another one had. */
export function knownNote(origin: Origin, run: Run, report: string): Note {
  return {
    headline: `${origin.path} has the same content as a file that was taken before: nothing was sent.`,
    facts: [
      ...originFacts(origin),
      [
        'taken as',
        `run ${run.id}, job ${run.job}, ${run.state}${run.finishedAt === null ? '' : ` ${run.finishedAt}`}`,
      ],
      ...outcomeFacts(run),
      ['report', report],
    ],
    lines: [`To send it all the same, as a new run: onboard run ${run.job} <this file> --again`],
  };
}

/** The note of a file that somebody wrote to after it was taken. */
export function changedNote(origin: Origin, run: Run, report: string): Note {
  const isOpen = run.state !== 'finished' && run.state !== 'cancelled';
  return {
    headline: `${origin.path} was changed after it was taken: it was not whole then.`,
    facts: [
      ...originFacts(origin),
      ['run', `${run.id}, job ${run.job}, ${run.state}`],
      ...outcomeFacts(run),
      ['report', report],
    ],
    lines: [
      'What was written to it since was not sent.',
      ...(isOpen ? [`To close that run: onboard cancel ${run.id}`] : []),
      'Then put the whole file into the inbox again: rows whose keys are known are skipped. Where the job names no key,',
      'take out what the report names as sent, or it is sent twice.',
      'So that it does not happen again: write under a name ending in .part and rename it, or set --rest or a marker.',
    ],
  };
}

/** One line of what became of a file's run: `partner-x/a.csv: run … finished: created 90, rejected 3. Report: …`. */
export function endedWords(
  path: string,
  summary: Pick<Run, 'state' | 'reason' | 'outcomes'> & { id: string },
  report: string,
): string {
  const state = summary.reason === null ? summary.state : `${summary.state} (${summary.reason})`;
  return `${path}: run ${summary.id} ${state}: ${outcomesOf(summary)}. Report: ${report}`;
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

function nextLines(summary: Summary, report: string): string[] {
  const next = renderNext(summary, { directory: report });
  return next === '' ? ['Nothing is left to be done.'] : next.split('\n');
}
