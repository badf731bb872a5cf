import { countOf, wrap } from '../lib/terminal.ts';
import { acceptedRows, OUTCOMES, wasAccepted } from '../model/outcome.ts';
import { renderNext } from './render-next.ts';
import { renderWarnings } from './render-warnings.ts';
import type { Summary, TopError } from './summary.ts';

const WIDTH = 80;
/** A name with a terminal's control characters in it must not act on the terminal. */
const CONTROL = /\p{Cc}/gu;

export type RenderOptions = {
  /** Where the report lies. */
  readonly directory: string;
  /** How a command names the job, for example `--job-file x.yaml`; by default its name. */
  readonly job?: string;
  /** The command that carried the run on, as it was typed. */
  readonly typed?: string;
};

/** The closing text on a terminal: plain, at most 80 columns but for paths and commands, which are never broken. */
export function renderSummary(given: Summary, options: RenderOptions): string {
  const summary = { ...given, job: printable(given.job), file: printable(given.file) };
  const sections = [
    heading(summary),
    counts(summary),
    summary.topErrors.map(topErrorLines).join('\n'),
    renderWarnings(summary.topWarnings, WIDTH),
    `Report: ${printable(options.directory)}`,
    renderNext(summary, { ...options, ...typedOf(options) }),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function printable(text: string): string {
  return text.replaceAll(CONTROL, '?');
}

function typedOf({ typed }: RenderOptions): Pick<RenderOptions, 'typed'> {
  return typed === undefined ? {} : { typed: printable(typed) };
}

function heading(summary: Summary): string {
  const state = summary.reason === null ? summary.state : `${summary.state} (${summary.reason})`;
  return [
    `Run ${summary.run}: ${state}`,
    `  job     ${summary.job}`,
    `  file    ${summary.file}`,
    ...readAsLines(summary.source),
    ...(summary.parent === null
      ? []
      : [`  parent  ${summary.parent}, of which these are rows without success`]),
    `  target  ${summary.target}`,
    `  rate    ${summary.rowsPerSecond} rows/s`,
  ].join('\n');
}

/** Only what isn't the plain case, and what the reader had to decide. */
function readAsLines(source: Summary['source']): string[] {
  if (source === null) return [];
  const { encoding, compression, sheet, notes } = source;
  const facts = [
    ...(encoding === 'utf-8' ? [] : [encoding]),
    ...(compression === 'none' ? [] : [compression]),
    ...(sheet === null ? [] : [`sheet "${printable(sheet)}"`]),
  ];
  const lines = notes.map((note) => {
    const words = ['note   ', ...printable(note).split(' ')];
    return `  ${wrap(words, { width: WIDTH - 2, indent: '          ' })}`;
  });
  return facts.length === 0 ? lines : [`  read as ${facts.join(', ')}`, ...lines];
}

function counts(summary: Summary): string {
  const found = OUTCOMES.filter((outcome) => summary.outcomes[outcome] > 0).map(
    (outcome) => [outcome, summary.outcomes[outcome]] as const,
  );
  const all = summary.open === 0 ? found : [...found, ['open', summary.open] as const];
  const width = Math.max(0, ...all.map(([, n]) => String(n).length));
  const lines = all.map(([name, n]) => `  ${name.padEnd(10)} ${String(n).padStart(width)}`);
  const sum = all.length === 0 ? '0' : all.map(([name, n]) => `${n} ${name}`).join(' + ');
  const none = summary.rows === 0 ? ['  There are no rows: nothing was sent.'] : [];
  return [...lines, controlTotal(summary, sum), ...none, ...recordsLine(summary)].join('\n');
}

/** Only where rows were one request together. */
function recordsLine({ outcomes, records }: Summary): string[] {
  const accepted = acceptedRows(outcomes);
  if (records === null || records === accepted) return [];
  const names = OUTCOMES.filter((outcome) => wasAccepted(outcome) && outcomes[outcome] > 0);
  return [`  ${names.join(' and ')}: ${countOf(accepted, 'row')} in ${countOf(records, 'record')}`];
}

function controlTotal(summary: Summary, sum: string): string {
  const words = `rows ${summary.rows} = ${sum}`.split(' ');
  const line = `  ${wrap(words, { width: WIDTH - 2, indent: '    ' })}`;
  if (summary.controlTotal.holds) return line;
  const defect =
    'THIS SUM DOES NOT HOLD: rows were lost or counted twice. That is a defect of this program: keep the report and the ledger, and report it.';
  return `${line}\n  ${wrap(defect.split(' '), { width: WIDTH - 2, indent: '  ' })}`;
}

function topErrorLines({ outcome, code, count, exampleRow, advice }: TopError): string {
  const what = `  ${count} × ${outcome} ${code}, for example row ${exampleRow}`;
  if (advice === '') return what;
  return `${what}\n    ${wrap(advice.split(' '), { width: WIDTH - 4, indent: '    ' })}`;
}
