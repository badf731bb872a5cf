/** The summary for a terminal: at most 80 columns, but paths and commands are never broken. */

import { join } from 'node:path';
import { SETTING_OF } from '../../config/job-definition.ts';
import { countOf, numberColumn, numberShown, printable, shownTime, wrap } from '../../lib/terminal.ts';
import { type Account, toCorrect } from '../../model/account.ts';
import { CHECK_CODES } from '../../model/issue.ts';
import { acceptedRows, kindsOf, OUTCOMES, outcomeSign, wasAccepted } from '../../model/outcome.ts';
import { awaitsPerson, type CheckCounts, type Purged, type Run, type StateRequest } from '../../model/run.ts';
import { issueWords } from '../../model/sentence.ts';
import { sourceWords } from '../../model/source.ts';
import { ADOPTIONS } from '../../operations/operations.ts';
import { warningAdvice } from './advice.ts';
import { type NextOptions, nextSteps, type Step } from './next.ts';
import { remainderOf } from './remainder.ts';
import type { Summary } from './summary.ts';

type RenderOptions = NextOptions & {
  readonly signs?: boolean;
};

export function renderSummary(summary: Summary, options: RenderOptions): readonly string[] {
  const state = summary.reason === null ? summary.state : `${summary.state} (${summary.reason})`;
  const sections = [
    [`Run ${summary.run}: ${state}`, ...factLines(summary)],
    countLines(summary, options.signs),
    summary.topErrors.flatMap((error, i, all) => topErrorLines(error, summary.causes, all.slice(0, i))),
    warningLines(summary.topWarnings),
    accountLines(summary),
    [...pagesOf(summary, options.directory).map((path) => `Report: ${path}`), ...keptLines(summary)],
    renderNext(summary, options),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, i) => (i === 0 ? section : ['', ...section]));
}

/** The account's sum, as the control total has one. */
export function accountLine(account: Account): string {
  const { rows, atService, writtenOff, takenBack, open, inDoubt, pending, notSent, purgedRows, holds } =
    account;
  const parts = [
    `${numberShown(atService)} at the service`,
    `${numberShown(writtenOff)} written off`,
    ...(takenBack === 0 ? [] : [`${numberShown(takenBack)} taken back`]),
    `${numberShown(open)} open`,
  ];
  const sum = `${countOf(rows, 'row')} = ${parts.join(' + ')}`;
  const of: string[] = [];
  if (inDoubt !== 0) of.push(`${numberShown(inDoubt)} in doubt`);
  if (pending !== 0) of.push(`${numberShown(pending)} without an outcome yet`);
  if (notSent !== 0)
    of.push(`${numberShown(notSent)} not sent, ${numberShown(toCorrect(account))} to correct`);
  if (purgedRows > 0) of.push(`${numberShown(purgedRows)} purged: their cells are gone`);
  const told = of.length === 0 ? sum : `${sum} (${of.join(', ')})`;
  return holds ? told : `${told}: THIS SUM DOES NOT HOLD`;
}

/** Where it says more than the run's own numbers: rows of several runs are in it. */
function accountLines({ account, run }: Summary): readonly string[] {
  if (account === null || account.runs.length === 1) return [];
  const of = account.delivery === run ? 'the file' : `the file of run ${account.delivery}`;
  return paragraph('', `Account of ${of}: ${accountLine(account)}`, '  ');
}

/** What a terminal opens: its page; before there is one, the folder. */
export function pagesOf({ files }: Pick<Summary, 'files'>, directory: string): readonly string[] {
  const pages = files.filter((name) => name.endsWith('.html'));
  return pages.length === 0 ? [directory] : pages.map((name) => join(directory, name));
}

const WIDTH = 80;

/** In lines, with `before` on the first and `indent` on the others. */
function paragraph(before: string, text: string, indent: string): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  return wrap([before + first, ...words], { width: WIDTH, indent });
}

/** But for the state. */
export function factLines(summary: Summary): readonly string[] {
  const { job, file, source, parent, target, request, purged, rowsPerSecond } = summary;
  const lines = [`  job     ${job}`, `  file    ${file}`, ...readAsLines(source)];
  if (parent !== null) lines.push(`  parent  ${parent}, of which these are rows without success`);
  lines.push(`  target  ${target}`);
  for (const [name, words] of [...approvalFacts(summary), ...unusualFacts(summary)])
    lines.push(...fact(name, words));
  if (request !== null) lines.push(...fact('by', requestWords(request)));
  if (purged !== null) lines.push(...fact('rows', purgedWords(purged)));
  return [...lines, `  rate    ${rowsPerSecond} rows/s`];
}

function fact(name: string, words: string): readonly string[] {
  return paragraph(`  ${name.padEnd(7)} `, words, ' '.repeat(10));
}

/** Of a run that needs approval: what the check found, who loaded it and who approved it. */
export function approvalFacts(run: Run | Summary) {
  const { rows, registeredBy, registeredVia, checked, plan = null, approval, operation } = run;
  if (checked === null) return [];
  const isAdopting = ADOPTIONS.some((one) => one === operation);
  const approved = approval === null ? 'not approved' : `approved by ${letGoWords(approval)}`;
  return [
    ['checked', isAdopting ? adoptionWords(checked) : checkWords({ rows, ...checked })],
    ...(plan === null ? [] : [['plan', plan] as const]),
    ['loaded', `by ${printable(known(registeredBy ?? 'nobody', registeredVia))}, ${approved}`],
  ] as const;
}

function adoptionWords({ skipped = 0 }: CheckCounts): string {
  return `${countOf(skipped, 'key')} with an id, of which nothing is sent`;
}

/** Of a file that is unlike those before it; while it waits, that is told as the reason. */
export function unusualFacts({ state, reason, unusual }: Summary) {
  if (unusual === null || awaitsPerson({ state, reason })) return [];
  const { isHeld, letGo, sentences } = unusual;
  const told = isHeld ? 'Never let go.' : 'That was told, and held nothing back.';
  const end = letGo === null ? told : `Let go by ${letGoWords(letGo)}.`;
  return [['unusual', [...sentences, end].join(' ')]] as const;
}

function letGoWords(letGo: Exclude<Run['letGo'], undefined>): string {
  return requestWords({ ...letGo, by: known(letGo.by, letGo.via) });
}

/** As the audit names people. */
function known(by: string, via = ''): string {
  return via === '' ? by : `${by} (${via})`;
}

/** What becomes of so many rows; `duplicates`: of those invalid, for their key. */
export function checkWords(of: CheckCounts & Pick<Run, 'rows'>, duplicates = 0): string {
  const { rows, invalid, skipped, waiting, sendable } = of;
  const all = countOf(rows, 'row');
  if (rows === 0) return `${all}, nothing to send`;
  if (sendable === rows) return `${all}, ${rows === 1 ? 'can be sent' : 'all can be sent'}`;
  const known = duplicates === 0 ? '' : ` (${duplicates} for a key that came before)`;
  const words = [all];
  if (invalid !== 0) words.push(`${numberShown(invalid)} would be invalid${known}`);
  if (waiting !== 0) words.push(waitingWords(waiting));
  if (skipped !== 0) words.push(`${numberShown(skipped)} would be skipped`);
  words.push(`${numberShown(sendable)} can be sent`);
  return words.join(', ');
}

export function waitingWords(waiting: number): string {
  return waiting === 1 ? '1 waits for what it refers to' : `${waiting} wait for what they refer to`;
}

/** Of rows that nobody has taken up. */
export function openWords(
  of: { readonly toCorrect: number; readonly notSent: number },
  { purged }: Pick<Run, 'purged'>,
): string[] {
  const open = purged === undefined ? 'to correct' : 'open, their cells purged';
  return [
    ...(of.notSent === 0 ? [] : [`${countOf(of.notSent, 'row')} not sent`]),
    ...(of.toCorrect === 0 ? [] : [`${countOf(of.toCorrect, 'row')} ${open}`]),
  ];
}

export function purgedWords({ isDone, ...who }: Purged): string {
  return `${isDone ? 'purged' : 'being purged'} by ${requestWords({ ...who, why: '' })}`;
}

export function requestWords({ by, at, why }: StateRequest): string {
  const when = shownTime(new Date(at), 'UTC', { seconds: true });
  const what = `${printable(by)}, ${when}`;
  return why === '' ? what : `${what}: ${printable(why)}`;
}

function readAsLines(source: Summary['source']): string[] {
  const { encoding, compression, sheet, notes } = source;
  const isPlain = encoding === 'utf-8' && compression === 'none' && sheet === null;
  const lines = notes.flatMap((note) => fact('note', note));
  return isPlain ? lines : [`  read as ${sourceWords(source)}`, ...lines];
}

export function countLines(summary: Summary, signs = false): readonly string[] {
  const kinds = kindsOf(summary);
  const numbers = numberColumn(kinds.map(([, n]) => n));
  const lines = kinds.map(([kind], i) => {
    const sign = signs ? `${outcomeSign(kind)} ` : '';
    return `  ${sign}${kind.padEnd(10)} ${numbers[i]}`;
  });
  const sum = kinds.map(([kind, n]) => `${numberShown(n)} ${kind}`).join(' + ') || '0';
  const none = summary.rows === 0 ? ['  There are no rows: nothing was sent.'] : [];
  const against = summary.against === null ? [] : [`  ${againstWords(summary.against)}`];
  return [...lines, ...controlTotal(summary, sum), ...none, ...recordsLine(summary), ...against];
}

/** What a file's numbers are to be seen beside. */
export function againstWords({ run, at }: NonNullable<Run['against']>): string {
  return `against the delivery of ${at.slice(0, 10)} (run ${run})`;
}

/** Where several rows were one request. */
function recordsLine({ outcomes, records }: Summary): string[] {
  const accepted = acceptedRows(outcomes);
  if (records === null || records === accepted) return [];
  const names = OUTCOMES.filter((outcome) => wasAccepted(outcome) && outcomes[outcome] > 0);
  return [`  ${names.join(' and ')}: ${countOf(accepted, 'row')} in ${countOf(records, 'record')}`];
}

function controlTotal(summary: Summary, sum: string): readonly string[] {
  const lines = paragraph('  ', `rows ${numberShown(summary.rows)} = ${sum}`, '    ');
  if (summary.controlTotal.holds) return lines;
  return [...lines, ...paragraph('  ', SUM_DEFECT, '  ')];
}

export const SUM_DEFECT =
  'THIS SUM DOES NOT HOLD: rows were lost or counted twice. That is a ' +
  'defect of this program: keep the report and the ledger, and report it.';

type TopError = Summary['topErrors'][number];
type Cause = Summary['causes'][number];

/** Advice that one of `before` gave is not repeated. */
function topErrorLines(
  error: TopError,
  causes: readonly Cause[],
  before: readonly TopError[],
): readonly string[] {
  const { outcome, code, count, exampleRow, advice } = error;
  const where = `${columnWords(error)}, for example row ${exampleRow}`;
  const what = `  ${numberShown(count)} × ${outcome} ${code}${where}`;
  const isGiven = advice === '' || before.some((other) => other.advice === advice);
  return [
    what,
    ...causesOf(error, causes).slice(0, CAUSES_SHOWN).flatMap(causeLines),
    ...(isGiven ? [] : paragraph('    ', advice, '    ')),
  ];
}

const CAUSES_SHOWN = 5;

/** Those that say more than the error's line does. */
function causesOf({ outcome, code, column }: TopError, causes: readonly Cause[]): readonly Cause[] {
  const saysMore = (cause: Cause) =>
    column === undefined ? cause.quoted || code === 'unreadable_row' : cause.issues[0]?.column === column;
  return causes.filter((cause) => cause.outcome === outcome && cause.code === code && saysMore(cause));
}

function causeLines({ text, issues, count, rows }: Cause): readonly string[] {
  // The line above names the column of the first one.
  const wrong = issues.map((issue, i) => issueWords(i === 0 ? { ...issue, column: null } : issue)).join('; ');
  const words = `${printable(wrong === '' ? text : wrong)} ${rowsWords({ count, rows })}`;
  return paragraph(`    ${numberShown(count)} × `, words, '      ');
}

function columnWords({ column }: { readonly column?: string | undefined }): string {
  return column === undefined ? '' : ` in "${column}"`;
}

/** `(rows 1, 2, 3, …)`. */
function rowsWords({ count, rows }: Pick<Cause, 'count' | 'rows'>): string {
  const noun = rows.length === 1 ? 'row' : 'rows';
  const numbers = rows.map(numberShown).join(', ');
  const more = count > rows.length ? ', …' : '';
  return `(${noun} ${numbers}${more})`;
}

/** And how to keep such rows back. */
function warningLines(warnings: Summary['topWarnings']): readonly string[] {
  if (warnings.length === 0) return [];
  const sent = warnings.filter(({ code }) => warningAdvice(code) === '');
  const others = warnings.filter(({ code }) => warningAdvice(code) !== '');
  return [
    ...sent.map(warningLine),
    ...(sent.length === 0 ? [] : sentLines(sent)),
    ...others.flatMap((one) => [warningLine(one), ...paragraph('    ', warningAdvice(one.code), '    ')]),
  ];
}

function warningLine(warning: Summary['topWarnings'][number]): string {
  const { code, count, exampleRow } = warning;
  return `  ${numberShown(count)} × warning ${code}${columnWords(warning)}, for example row ${exampleRow}`;
}

/** And the settings that keep such rows back. */
function sentLines(warnings: Summary['topWarnings']): readonly string[] {
  const found = new Set(warnings.map(({ code }) => code));
  const settings = new Set(CHECK_CODES.filter((code) => found.has(code)).map((code) => SETTING_OF[code]));
  const advice = 'Sent as they stand; results.csv names the columns.';
  if (settings.size === 0) return paragraph('    ', advice, '    ');
  const checks = [...settings].map((setting) => `${setting}: error`).join(', ');
  return [
    ...paragraph('    ', `${advice} The job definition can keep such rows back:`, '    '),
    `      checks: { ${checks} }`,
  ];
}

export function keptLines({ kept, files }: Summary): readonly string[] {
  return kept.flatMap((name) => {
    const now = files.find((file) => !kept.includes(file) && remainderOf(file) === remainderOf(name));
    const isGone = now === undefined;
    const rows = isGone ? 'no row belongs there any more' : `its rows as they stand now are in ${now}`;
    const words = `${name} was changed since it was written, so it is left as it is; ${rows}.`;
    return paragraph('  ', words, '  ');
  });
}

export function renderNext(summary: Summary, options: RenderOptions): readonly string[] {
  const steps = nextSteps(summary, options).flatMap(stepLines);
  return steps.length === 0 ? [] : ['Next:', ...steps];
}

export function stepLines({ words, commands }: Step): readonly string[] {
  const told = words.flatMap((text) => paragraph('  ', text, '  '));
  const ways = commands.flatMap((command) => ['  or:', `    ${command}`]).slice(1);
  return [...told, ...ways];
}
