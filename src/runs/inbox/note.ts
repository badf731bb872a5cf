/**
 * What people learn about one file: the note beside it, and the watcher's line. Without cell
 * values, so that notes can be passed on.
 */
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import type { Written } from '../../lib/file-stamp.ts';
import { asCalled, countOf, type Io, printable, shellWord, wrap } from '../../lib/terminal.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { outcomesOf } from '../progress.ts';
import type { Summary } from '../report/summary.ts';
import { renderNext } from '../report/words.ts';
import type { Executed } from '../status.ts';

export type Note = {
  readonly subject: string;
  /** The rest of that sentence: what became of it. */
  readonly headline: string;
  readonly facts: ReadonlyArray<readonly [string, string]>;
  /** Why, and what to do next. A line that begins with a space is a command or a path. */
  readonly lines: readonly string[];
};

const WIDTH = 80;

/** Senders chose the names in it: none can add a line or act on a terminal. */
export function renderNote({ subject, headline, facts, lines }: Note, io: Pick<Io, 'command'> = {}): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const table = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`);
  const first = wrap([printable(subject), ...headline.split(' ')], { width: WIDTH, indent: '' });
  return [
    ...first,
    '',
    ...table,
    ...(lines.length === 0 ? [] : ['', ...lines.flatMap((line) => wrapped(asCalled(printable(line), io)))]),
    '',
  ].join('\n');
}

function wrapped(line: string): readonly string[] {
  return line.startsWith(' ') ? [line] : wrap(line.split(' '), { width: WIDTH, indent: '' });
}

export type Origin = { readonly path: string; readonly inbox: string; readonly written: Written | null };

export type Refusal = { readonly why: readonly string[]; readonly fault: Fault };

export function refusedNote(origin: Origin, { why, fault }: Refusal): Note {
  return {
    subject: origin.path,
    headline: 'was not taken: nothing of it was sent.',
    facts: originFacts(origin),
    lines: [...why.map((one) => `Why: ${one}`), '', REFUSAL_ADVICE[fault]],
  };
}

export function doneNote(origin: Origin, { run, summary }: Executed, report: string): Note {
  return {
    subject: origin.path,
    headline: run.rows === 0 ? 'has no rows: nothing was sent.' : 'was loaded: every row has its outcome.',
    facts: runFacts(origin, run, report),
    lines: [...findings(summary), ...nextLines(summary, report)],
  };
}

/** For a file with known content; `file`: where it is when the note is read. */
export function knownNote(
  origin: Origin,
  run: Run,
  { report, file }: { readonly report: string; readonly file: string },
): Note {
  const sandbox = run.target === SANDBOX_TARGET ? ' --sandbox' : '';
  return {
    subject: origin.path,
    headline: 'has the same content as a file that was taken before: nothing was sent.',
    facts: runFacts(origin, run, report),
    lines: [
      'To send it all the same, as a new run:',
      `  onboard run ${shellWord(run.job)}${sandbox} --again ${shellWord(file)}`,
    ],
  };
}

export function changedNote(origin: Origin, run: Run, report: string): Note {
  const isOpen = run.state !== 'finished' && run.state !== 'cancelled';
  return {
    subject: origin.path,
    headline: 'was changed after it was taken: it was not whole then.',
    facts: runFacts(origin, run, report),
    lines: [
      'What was written to it since was not sent.',
      ...(isOpen ? ['To close that run:', `  onboard cancel ${run.id}`] : []),
      'Then put the whole file into the inbox again: what was sent is skipped.',
      'Where the job names no key, that is so for rows that say the same.',
      'To prevent it, write under a name ending in .part and rename it, or set a marker.',
    ],
  };
}

/** `startedAt`: another process had begun it. */
export function takenWords(path: string, { id, job, rows, startedAt }: Run): string {
  const begins = startedAt === null ? 'taken as' : 'goes on with';
  return `${path}: ${begins} run ${id}, job ${job}, ${countOf(rows, 'row')}`;
}

export function endedWords(path: string, run: Run, report: string): string {
  const state = run.reason === null ? run.state : `${run.state} (${run.reason})`;
  const became = run.rows === 0 ? 'the file has no rows' : outcomesOf(run);
  return `${path}: run ${run.id} ${state}: ${became}. Report: ${report}`;
}

function originFacts({ path, inbox, written }: Origin): Array<readonly [string, string]> {
  return [['file', `${path} in ${inbox}`], ...(written === null ? [] : [sizeFact(written)])];
}

function sizeFact({ bytes, ms }: Written): readonly [string, string] {
  return ['size', `${bytes} bytes, last written ${new Date(ms).toISOString()}`];
}

function runFacts(origin: Origin, run: Run, report: string): Array<readonly [string, string]> {
  const { id, job, state, finishedAt, target, rows, outcomes } = run;
  return [
    ...originFacts(origin),
    ['run', `${id}, ${state}${finishedAt === null ? '' : ` ${finishedAt}`}`],
    ['job', job],
    ['target', target],
    ['rows', String(rows)],
    ...OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map(
      (outcome) => [outcome, String(outcomes[outcome])] as const,
    ),
    ['report', report],
  ];
}

function findings({ topWarnings, source }: Summary): string[] {
  const counts = topWarnings.map(({ code, column = '', count }) => `${count} × ${code} ${column}`.trimEnd());
  const notes = (source?.notes ?? []).map((note) => `How it was read: ${note}`);
  const sent =
    counts.length === 0
      ? []
      : [`Warnings, in rows that were sent (results.csv names the columns): ${counts.join(', ')}.`];
  const lines = [...sent, ...notes];
  return lines.length === 0 ? [] : [...lines, ''];
}

function nextLines(summary: Summary, report: string): string[] {
  const next = renderNext(summary, { directory: report });
  if (next.length > 0) return [...next];
  return summary.rows === 0
    ? ['If there should be some, export the file again and put it into the inbox.']
    : ['Nothing is left to be done.'];
}

export type Fault = 'content' | 'name' | 'no-load' | 'several-loads' | 'kind' | 'job';

/** What the sender of a refused file can do. */
const REFUSAL_ADVICE: Readonly<Record<Fault, string>> = {
  content: 'Correct that, and put the file into the inbox again under its first name.',
  name: 'Its content was not read. Put it into the inbox again under another name.',
  'no-load': 'Its content was not read. Put it where its name and folder belong to a kind of load.',
  'several-loads': 'Its content was not read. Put it where its name and folder belong to one of them.',
  kind: 'Put the file itself into the inbox: a plain file that has no other name.',
  job: 'Put it into the inbox again once there is such a job.',
};
