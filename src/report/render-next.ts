import { join } from 'node:path';
import { shellWord, wrap } from '../lib/terminal.ts';
import { REASON_ADVICE } from '../model/advice.ts';
import type { Reason } from '../model/run.ts';
import { type FailedStep, failedStep } from './failed-step.ts';
import { REMAINDERS, type RemainderKind } from './remainder-format.ts';
import type { Summary } from './summary.ts';

/** What to do with the rows of each file before the command that follows. */
const NEXT: Readonly<Record<Exclude<RemainderKind, 'failed'>, string>> = {
  rejected: 'mend what the service refused, then load it:',
  'in-doubt':
    'look each row up at the service, and write created:<id> or\n  not-created as its resolution, so that none is created twice; then:',
};

const FAILED: Readonly<Record<FailedStep, string>> = {
  mend: 'mend the rows, then load it:',
  'mend-some': 'mend the rows that need it, then load it:',
  load: 'these rows were not created: load it as it is, or have them sent again:',
  settle:
    'nothing is to be mended in it. Its rows are in doubt in the run that sent them: settle them there, with onboard resolve.',
  'settle-load': 'settle the rows in doubt that have the keys of these rows, then load it:',
  'settle-mend': 'settle the rows in doubt with onboard resolve, mend the others, then load it:',
};

type Naming = {
  readonly directory: string;
  readonly job?: string;
  /** The command that carried the run on, as it was typed: it may name more than the run. */
  readonly typed?: string;
};

/** What to do next, with the exact commands; empty where nothing is left to do. */
export function renderNext(summary: Summary, naming: Naming): string {
  const steps = [
    ...continuing(summary, naming),
    ...takingUp(summary),
    ...referring(summary),
    ...REMAINDERS.flatMap((kind) => mending(summary, kind, naming)),
  ];
  return steps.length === 0 ? '' : `Next:\n${steps.join('\n')}`;
}

function continuing(summary: Summary, naming: Naming): readonly string[] {
  if (summary.state !== 'paused' && summary.state !== 'stopped') return [];
  const why = summary.reason === null ? [] : [`  ${reasonWords(summary.reason, summary)}`];
  const resume = `onboard resume ${summary.run}`;
  const again = naming.typed ?? (summary.parent === null ? command(summary, summary.file, naming) : resume);
  const other = again.startsWith(resume) ? [] : ['  or:', `    ${resume}`];
  return [...why, '  To go on where it stopped:', `    ${again}`, ...other];
}

/** Names the files that there are. */
function reasonWords(reason: Reason, { files }: Summary): string {
  const remainders = files.filter((file) => REMAINDERS.some((kind) => file.startsWith(`${kind}.`)));
  const advice = REASON_ADVICE[reason];
  const named = remainders.length === 0 ? advice : advice.replace('results.csv', remainders.join(', '));
  return wrap(named.split(' '), { width: 78, indent: '  ' });
}

function takingUp({ run, state, outcomes }: Summary): readonly string[] {
  if (state !== 'cancelled' || outcomes.cancelled === 0) return [];
  return ['  To take up the rows that were not sent:', `    onboard rerun ${run} --only cancelled`];
}

const REFERENCE_CODES: ReadonlySet<string> = new Set(['reference_unknown', 'reference_in_doubt']);

function referring({ run, topErrors }: Summary): readonly string[] {
  if (!topErrors.some(({ code }) => REFERENCE_CODES.has(code))) return [];
  return [
    '  To take up the rows that refer to a record which was not known, once it is:',
    `    onboard rerun ${run} --only invalid`,
  ];
}

function mending(summary: Summary, kind: RemainderKind, naming: Naming): readonly string[] {
  const name = summary.files.find((file) => file === `${kind}.csv` || file === `${kind}.ndjson`);
  if (name === undefined) return [];
  const file = join(naming.directory, name);
  if (kind === 'failed') return loadingFailed(summary, name, command(summary, file, naming));
  const then =
    kind === 'in-doubt'
      ? `onboard resolve ${summary.run} --file ${shellWord(file)}`
      : command(summary, file, naming);
  return [`  ${name}: ${NEXT[kind]}`, `    ${then}`];
}

function loadingFailed(summary: Summary, name: string, load: string): readonly string[] {
  const step = failedStep(summary);
  const rerun = step === 'load' ? ['  or:', `    onboard rerun ${summary.run} --only failed`] : [];
  const what = wrap(`${name}: ${FAILED[step]}`.split(' '), { width: 78, indent: '  ' });
  return [`  ${what}`, ...(step === 'settle' ? [] : [`    ${load}`, ...rerun])];
}

function command(summary: Summary, file: string, { job }: Naming): string {
  const sandbox = summary.target === 'sandbox' ? ' --sandbox' : '';
  return `onboard run ${job ?? shellWord(summary.job)}${sandbox} ${shellWord(file)}`;
}
