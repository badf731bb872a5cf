/** The findings of a check in words: an entry per line, the facts first, then the requests. */
import { type JobDefinition, operationOf } from '../../config/job-definition.ts';
import { countOf, duration, numberShown } from '../../lib/terminal.ts';
import { sourceWords } from '../../model/source.ts';
import { callOfKnown, callOfNew, isUpsert, mayUpdate, spaceOf } from '../../operations/operations.ts';
import { warningAdvice } from '../report/advice.ts';
import { checkWords, waitingWords } from '../report/words.ts';
import { ASSUMED_MS, type Checked, type Estimate, type FoundIssue, ISSUES_OF_CAUSE } from './findings.ts';
import { PLANNED, type Planned, type PlannedRecord } from './plan.ts';

export function checkLines(checked: Checked, definition: JobDefinition): string[] {
  const shown = shownIssues(checked.issues);
  const rest = checked.issuesTotal - shown.length;
  return [
    `${checked.file}: ${totalLine(checked)}`,
    ...unusualLines(checked),
    ...planLines(checked),
    ...causeLines(checked).map((line) => `  ${line}`),
    ...shown.map((issue) => `  ${issueWords(issue)}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
    entry('read as', sourceWords(checked.source)),
    ...checked.notes.map((note) => entry('note', note)),
    ...warningLines(checked),
    ...keyLines(checked, definition),
    ...callLines(checked, definition),
    ...referenceLines(checked),
    ...timeLines(checked.estimate, definition),
    ...requestLines(checked),
  ];
}

export function unusualWords({ isHeld }: Exclude<Checked['unusual'], null>): string {
  return isHeld
    ? 'The file is unlike those before it: nothing of it would be sent before somebody lets it go.'
    : 'The file is unlike those before it: it would be sent all the same.';
}

function unusualLines({ unusual }: Checked): string[] {
  if (unusual === null) return [];
  const sentences = unusual.sentences.map((sentence) => entry('', sentence));
  return [entry('unusual', unusualWords(unusual)), ...sentences];
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

export function causeLines({ causes, issuesTotal }: Checked): string[] {
  if (issuesTotal === causes.length) return [];
  const shown = causes.slice(0, CAUSES_SHOWN);
  const rest = causes.length - shown.length;
  return [
    ...shown.map(({ count, code, column, row }) => {
      const where = column === null ? '' : ` in "${column}"`;
      return `${count} × ${code}${where}, first in row ${row}`;
    }),
    ...(rest > 0 ? [`… and ${countOf(rest, 'cause')} more`] : []),
  ];
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
function planLines({ plan }: Checked): string[] {
  if (plan === null || plan.against === null) return [];
  const { against, listed = [] } = plan;
  const counts = PLANNED.flatMap((kind) => {
    const count = plan[kind] ?? 0;
    return count === 0 ? [] : [`${numberShown(count)} ${PLAN_WORDS[kind]}`];
  });
  const since = `against run ${against.run} of ${against.at.slice(0, 10)}`;
  const fields = Object.entries(plan.fields).map(([field, count]) => `${field} ${numberShown(count)}`);
  const rest = fields.length - FIELDS_SHOWN;
  const more = rest > 0 ? [`${rest} more`] : [];
  return [
    entry('plan', `${since}: ${counts.length === 0 ? 'no record' : counts.join(', ')}`),
    ...(fields.length === 0
      ? []
      : [entry('', `in ${[...fields.slice(0, FIELDS_SHOWN), ...more].join(', ')}`)]),
    ...(against.isSameDefinition ? [] : [entry('', DEFINITION_CHANGED)]),
    ...listed.map((record) => entry('', recordWords(record))),
  ];
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

const DEFINITION_CHANGED = 'the job definition has changed since: what differs may be its doing';

function recordWords({ row, key, fields }: PlannedRecord): string {
  const place = [...(row === null ? [] : [`row ${row}`]), ...(key === null ? [] : [JSON.stringify(key)])];
  return `${place.join(', ')}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

function warningLines({ warnings }: Checked): string[] {
  return warnings.flatMap(({ code, column, count, examples }) => [
    entry(
      'warning',
      `${count} × ${code}${column === null ? '' : ` in "${column}"`}, ${sentWords(code)}; for example`,
    ),
    ...examples.map((example) => entry('', issueWords(example))),
  ]);
}

/** Of a known record nothing is sent, whatever differs. */
function sentWords(code: string): string {
  return warningAdvice(code) === '' ? 'sent all the same' : 'and not sent';
}

const BECOMES = {
  skip: 'rows with them are skipped',
  update: 'their records are updated',
  fail: 'rows with them are invalid',
} as const;

function keyLines({ keys, earlierRun }: Checked, definition: JobDefinition): string[] {
  const policy = isUpsert(operationOf(definition)) ? 'update' : definition.onKnownKey;
  const run =
    earlierRun === null
      ? []
      : [entry('earlier', `run ${earlierRun.run} has this file already and is ${earlierRun.state}`)];
  // Keys of such an operation only have to be unique within the file.
  if (spaceOf(operationOf(definition)) === null) return run;
  if (keys.reason !== null) return [entry('known keys', `not looked up: ${keys.reason}`)];
  const counts = [
    `${keys.known} known to the ledger of ${keys.target}${keys.known === 0 ? '' : `: ${BECOMES[policy]}`}`,
    ...(keys.held === 0 ? [] : [`${keys.held} held by a run that is not over`]),
  ];
  return [
    ...run,
    entry('known keys', counts.join('; ')),
    ...keys.examples.map(({ row, key, kind, run: by, id }) =>
      entry(
        '',
        `row ${row}${key === null ? '' : `, ${JSON.stringify(key)}`}: ${kind}, run ${by} ${id}`.trimEnd(),
      ),
    ),
  ];
}

function callLines({ calls, keys }: Checked, definition: JobDefinition): string[] {
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
  return [entry('sends', `${counts.join(', ')}${unknown}`)];
}

function referenceLines({ references }: Checked): string[] {
  const { total, known, inFile, unresolved, unresolvedRows, examples } = references;
  if (total === 0) return [];
  const counts = `${total}: ${known} known, ${inFile} created by an earlier row, ${unresolved} open`;
  const then =
    unresolvedRows === 0
      ? []
      : [
          entry(
            '',
            `${waitingWords(unresolvedRows)}, and would be invalid before that is loaded; for example`,
          ),
        ];
  return [
    entry('references', counts),
    ...then,
    ...examples.map((open) => entry('', issueWords({ ...open, value: null }))),
  ];
}

function requestLines({ requests }: Checked): string[] {
  return requests.flatMap(({ row, method, path, body, waits }) => [
    entry('request', `row ${row}: ${method} ${path}${waits ? ', once what it refers to is loaded' : ''}`),
    ...(body === null
      ? []
      : JSON.stringify(body, null, 2)
          .split('\n')
          .map((line) => entry('', line))),
  ]);
}

function timeLines(estimate: Estimate, { send, window }: JobDefinition): string[] {
  const { requests, seconds } = estimate;
  if (requests === 0) return [];
  const within = window === undefined ? '' : `, while the window ${window} is open`;
  return [
    entry(
      'time',
      `about ${duration(seconds)} for ${countOf(requests, 'request')}${within}: ${basisWords(estimate, send)}`,
    ),
  ];
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
