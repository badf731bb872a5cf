import { join } from 'node:path';
import { REASON_ADVICE } from '../model/reason-advice.ts';
import { REMAINDERS, type RemainderKind } from './remainder-format.ts';
import type { Summary } from './summary.ts';
import { wrap } from './wrap.ts';

/** What to do with the rows of each file; `again`: the file may be loaded once it is mended. */
const NEXT: Readonly<Record<RemainderKind, { readonly todo: string; readonly again: boolean }>> = {
  rejected: { todo: 'mend what the service refused, then load it:', again: true },
  failed: { todo: 'mend the rows, then load it:', again: true },
  'in-doubt': {
    todo: 'look each row up at the service first;\n  one that is there must not be sent again.',
    again: false,
  },
};

type Naming = { readonly directory: string; readonly job?: string };

/** What to do next, with the exact commands; empty where nothing is left to do. */
export function renderNext(summary: Summary, naming: Naming): string {
  const steps = [
    ...continuing(summary, naming),
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
  return [
    ...why,
    '  To go on where it stopped, run it again:',
    `    ${command(summary, summary.file, naming)}`,
  ];
}

function mending(summary: Summary, kind: RemainderKind, naming: Naming): readonly string[] {
  const name = summary.files.find((file) => file === `${kind}.csv` || file === `${kind}.ndjson`);
  if (name === undefined) return [];
  const { todo, again } = NEXT[kind];
  const line = `  ${name}: ${todo}`;
  return again ? [line, `    ${command(summary, join(naming.directory, name), naming)}`] : [line];
}

function command(summary: Summary, file: string, { job }: Naming): string {
  const sandbox = summary.target === 'sandbox' ? ' --sandbox' : '';
  return `onboard run ${job ?? shellWord(summary.job)}${sandbox} ${shellWord(file)}`;
}

/** In single quotes where a shell would take the text apart. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
