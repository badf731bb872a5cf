import { join } from 'node:path';
import { REASON_ADVICE } from '../model/reason-advice.ts';
import { REMAINDERS, type RemainderKind } from './remainder-format.ts';
import type { Summary } from './summary.ts';
import { wrap } from './wrap.ts';

/** What to do with the rows of each file before the command that follows. */
const NEXT: Readonly<Record<RemainderKind, string>> = {
  rejected: 'mend what the service refused, then load it:',
  failed: 'mend the rows, then load it:',
  'in-doubt':
    'look each row up at the service, and write created:<id> or\n  not-created as its resolution, so that none is created twice; then:',
};

type Naming = { readonly directory: string; readonly job?: string };

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
  const why =
    summary.reason === null
      ? []
      : [`  ${wrap(REASON_ADVICE[summary.reason].split(' '), { width: 78, indent: '  ' })}`];
  const again = summary.parent === null ? [`    ${command(summary, summary.file, naming)}`, '  or:'] : [];
  return [...why, '  To go on where it stopped:', ...again, `    onboard resume ${summary.run}`];
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
  const then =
    kind === 'in-doubt'
      ? `onboard resolve ${summary.run} --file ${shellWord(file)}`
      : command(summary, file, naming);
  return [`  ${name}: ${NEXT[kind]}`, `    ${then}`];
}

function command(summary: Summary, file: string, { job }: Naming): string {
  const sandbox = summary.target === 'sandbox' ? ' --sandbox' : '';
  return `onboard run ${job ?? shellWord(summary.job)}${sandbox} ${shellWord(file)}`;
}

/** In single quotes where a shell would take the text apart. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
