/**
 * The findings of a check in words, for a terminal and for the page: whatever one of them tells,
 * the other does, too.
 */
import { type JobDefinition, operationOf } from '../../config/job-definition.ts';
import { countOf, duration, numberShown } from '../../lib/terminal.ts';
import { sourceWords } from '../../model/source.ts';
import { callOfKnown, callOfNew, isUpsert, mayUpdate, spaceOf } from '../../operations/operations.ts';
import { warningAdvice } from '../report/advice.ts';
import { againstWords, checkWords, waitingWords } from '../report/words.ts';
import { ASSUMED_MS, type Checked, type Estimate, type FoundIssue, ISSUES_OF_CAUSE } from './findings.ts';
import { PLANNED, type Planned, type PlannedRecord } from './plan.ts';

export function checkLines(checked: Checked, definition: JobDefinition): string[] {
  const shown = shownIssues(checked.issues);
  const rest = checked.issuesTotal - shown.length;
  return [
    `${checked.file}: ${totalLine(checked)}`,
    ...[...unusualFacts(checked), ...planFacts(checked)].flatMap(factLines),
    ...causeLines(checked).map((line) => `  ${line}`),
    ...shown.map((issue) => `  ${issueWords(issue)}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
    ...checkFacts(checked, definition).flatMap(factLines),
    ...requestLines(checked),
  ];
}

export function unusualWords({ isHeld }: Exclude<Checked['unusual'], null>): string {
  return isHeld
    ? 'The file is unlike those before it: nothing of it would be sent before somebody lets it go.'
    : 'The file is unlike those before it: it would be sent all the same.';
}

function unusualFacts({ unusual }: Checked): Fact[] {
  if (unusual === null) return [];
  return [fact('unusual', unusualWords(unusual), ...unusual.sentences)];
}

/** What has a name, and is told in a sentence or more. */
type Fact = { readonly name: string; readonly texts: readonly string[] };

/** How the file was read, what is odd, what is known of its rows, what would be sent and when. */
export function checkFacts(checked: Checked, definition: JobDefinition): Fact[] {
  return [
    fact('read as', sourceWords(checked.source)),
    ...checked.notes.map((note) => fact('note', note)),
    ...warningFacts(checked),
    ...keyFacts(checked, definition),
    ...callFacts(checked, definition),
    ...referenceFacts(checked),
    ...timeFacts(checked.estimate, definition),
  ];
}

function fact(name: string, ...texts: readonly string[]): Fact {
  return { name, texts };
}

function factLines({ name, texts }: Fact): string[] {
  return texts.map((text, i) => entry(i === 0 ? name : '', text));
}

/** The first of each cause. */
function shownIssues(issues: readonly FoundIssue[]): readonly FoundIssue[] {
  const counts = new Map<string, number>();
  return issues.filter(({ code, column }) => {
    const count = (counts.get(`${code} ${column}`) ?? 0) + 1;
    counts.set(`${code} ${column}`, count);
    return count <= ISSUES_OF_CAUSE;
  });
}

function causeLines({ causes, issuesTotal }: Checked): string[] {
  if (issuesTotal === causes.length) return [];
  const shown = causes.slice(0, CAUSES_SHOWN);
  const rest = causes.length - shown.length;
  const lines = shown.map(causeWords);
  if (rest === 0) return lines;
  lines.push(`… and ${countOf(rest, 'cause')} more`);
  return lines;
}

export function causeWords({ count, code, column, row }: Checked['causes'][number]): string {
  const where = column === null ? '' : ` in "${column}"`;
  return `${count} × ${code}${where}, first in row ${row}`;
}

const CAUSES_SHOWN = 10;

export function totalLine(checked: Checked): string {
  const duplicates = checked.causes.find(({ code }) => code === 'duplicate_key')?.count ?? 0;
  return checkWords(checked, duplicates);
}

function issueWords(issue: Omit<FoundIssue, 'code'>): string {
  const { row, line, column, value, expected } = issue;
  const where = column === null ? '' : `, column "${column}"`;
  const came = value === null || value === '' ? '' : `, got ${JSON.stringify(value)}`;
  return `row ${row} (line ${line}${where}): expected ${expected}${came}`;
}

/** What the file brings, before all else. */
export function planFacts({ plan }: Checked): Fact[] {
  if (plan === null) return [];
  const { against, listed } = plan;
  // A first file of a job has nothing but new records, unless another job has sent them.
  const areKnown = plan.changed + plan.unchanged + plan.notSent + plan.notKnown > 0;
  if (against === null && !areKnown) return [];
  const counts = PLANNED.flatMap((kind) => {
    const count = plan[kind] ?? 0;
    return count === 0 ? [] : [`${numberShown(count)} ${PLAN_WORDS[kind]}`];
  });
  const since = against === null ? 'against what is known' : againstWords(against);
  const fields = Object.entries(plan.fields).map(([field, count]) => `${field} ${numberShown(count)}`);
  const rest = fields.length - FIELDS_SHOWN;
  const more = rest > 0 ? [`${rest} more`] : [];
  const texts = [
    `${since}: ${counts.length === 0 ? 'no record' : counts.join(', ')}`,
    ...(fields.length === 0 ? [] : [`in ${[...fields.slice(0, FIELDS_SHOWN), ...more].join(', ')}`]),
    ...(plan.repeated === 0 ? [] : [repeatedWords(plan.repeated)]),
    ...(against?.isSameDefinition === false ? [DEFINITION_CHANGED] : []),
    ...(listed === undefined ? [] : listedWords(listed)),
  ];
  return [fact('plan', ...texts)];
}

const FIELDS_SHOWN = 8;

const PLAN_WORDS: Readonly<Record<Planned, string>> = {
  new: 'new',
  changed: 'changed',
  unchanged: 'unchanged',
  notSent: 'changed and not to be sent',
  notKnown: 'of which it is not known what was sent',
  gone: 'gone',
};

const KNOWN_PAYEE = 'the account and the name of a payee under another key';

function repeatedWords(count: number): string {
  const isOne = count === 1;
  const have = isOne ? 'has' : 'have';
  const were = isOne ? 'was its key' : 'were their keys';
  const of = `${numberShown(count)} of the new`;
  return `${of} ${have} ${KNOWN_PAYEE}: ${were} renamed?`;
}

const DEFINITION_CHANGED = 'the job definition has changed since: what differs may be its doing';

function listedWords(listed: readonly PlannedRecord[]): readonly string[] {
  return listed.length === 0 ? ['none to list'] : listed.map(recordWords);
}

function recordWords({ row, key, fields }: PlannedRecord): string {
  const place = [...(row === null ? [] : [`row ${row}`]), ...(key === null ? [] : [JSON.stringify(key)])];
  return `${place.join(', ')}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

function warningFacts({ warnings }: Checked): Fact[] {
  return warnings.map(({ code, column, count, examples }) => {
    const where = column === null ? '' : ` in "${column}"`;
    const words = `${count} × ${code}${where}${sentWords(code)}; for example`;
    return fact('warning', words, ...examples.map(issueWords));
  });
}

/** Of a known record nothing is sent, whatever differs. */
function sentWords(code: string): string {
  return warningAdvice(code) === '' ? ', sent all the same' : '';
}

const BECOMES = {
  skip: 'rows with them are skipped',
  update: 'their records are updated',
  fail: 'rows with them are invalid',
} as const;

function keyFacts({ keys, earlierRun }: Checked, definition: JobDefinition): Fact[] {
  const policy = isUpsert(operationOf(definition)) ? 'update' : definition.onKnownKey;
  const run =
    earlierRun === null
      ? []
      : [fact('earlier', `run ${earlierRun.run} has this file already and is ${earlierRun.state}`)];
  // Keys of such an operation only have to be unique within the file.
  if (spaceOf(operationOf(definition)) === null) return run;
  if (keys.reason !== null) return [fact('known keys', `not looked up: ${keys.reason}`)];
  const counts = [
    `${numberShown(keys.known)} of this file's keys known to the ledger of ${keys.target}${keys.known === 0 ? '' : `: ${BECOMES[policy]}`}`,
    ...(keys.held === 0 ? [] : [`${keys.held} held by a row that is in doubt or not over`]),
  ];
  const examples = keys.examples.map(exampleWords);
  return [...run, fact('known keys', counts.join('; '), ...examples)];
}

type KeyExample = Checked['keys']['examples'][number];

function exampleWords({ row, key, kind, run, id }: KeyExample): string {
  const named = key === null ? '' : `, ${JSON.stringify(key)}`;
  return `row ${row}${named}: ${kind}, run ${run} ${id}`.trimEnd();
}

function callFacts({ calls, keys }: Checked, definition: JobDefinition): Fact[] {
  const operation = operationOf(definition);
  if (!isUpsert(operation) && definition.onKnownKey !== 'update') return [];
  if (!mayUpdate(operation)) return [];
  const creates = calls[callOfNew(operation)] ?? 0;
  const updates = calls[callOfKnown(operation)] ?? 0;
  if (creates + updates === 0) return [];
  const counts = [
    ...(creates > 0 ? [countOf(creates, 'create')] : []),
    ...(updates > 0 ? [countOf(updates, 'update')] : []),
  ];
  const unknown = keys.reason === null ? '' : ': without a ledger every key is taken for a new one';
  return [fact('sends', `${counts.join(', ')}${unknown}`)];
}

function referenceFacts({ references }: Checked): Fact[] {
  const { total, known, inFile, unresolved, unresolvedRows, examples } = references;
  if (total === 0) return [];
  const counts = `${total}: ${known} known, ${inFile} created by an earlier row, ${unresolved} open`;
  const then =
    unresolvedRows === 0
      ? []
      : [`${waitingWords(unresolvedRows)}, and would be invalid before that is loaded; for example`];
  const shown = examples.map((open) => issueWords({ ...open, value: null }));
  return [fact('references', counts, ...then, ...shown)];
}

function requestLines({ requests }: Checked): string[] {
  return requests.flatMap((request) => {
    const body = request.body === null ? [] : JSON.stringify(request.body, null, 2).split('\n');
    return factLines(fact('request', requestWords(request), ...body));
  });
}

export function requestWords({ row, method, path, waits }: Checked['requests'][number]): string {
  return `row ${row}: ${method} ${path}${waits ? ', once what it refers to is loaded' : ''}`;
}

function timeFacts(estimate: Estimate, { send, window }: JobDefinition): Fact[] {
  const { requests, seconds } = estimate;
  if (requests === 0) return [];
  const within = window === undefined ? '' : `, while the window ${window} is open`;
  const count = countOf(requests, 'request');
  const basis = basisWords(estimate, send);
  return [fact('time', `about ${duration(seconds)} for ${count}${within}: ${basis}`)];
}

function basisWords({ basis, perSecond, run }: Estimate, send: JobDefinition['send']): string {
  switch (basis) {
    case 'rate':
      return `the job sends ${send.rate} (send.rate)`;
    case 'last-run':
      return `as fast as run ${run}, ${perSecond} rows/s`;
    case 'assumption':
      return `not measured here yet; assumed ${ASSUMED_MS} ms for an answer, with ${send.concurrency} at once`;
    default:
      return basis satisfies never;
  }
}

function entry(name: string, text: string): string {
  return `  ${name.padEnd(11)} ${text}`.trimEnd();
}
