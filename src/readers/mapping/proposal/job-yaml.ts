/**
 * A proposal as a job definition with comments. The YAML library writes it, from a value that the
 * definition's schema has accepted: no name or text of a file or form can become a setting.
 */

import { Document, isNode, Pair, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { type Format, jobDefinitionSchema } from '../../../config/job-definition.ts';
import { jobProblems } from '../../../config/job-problems.ts';
import { printable, printableLines } from '../../../lib/terminal.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import type { Operation } from '../../../model/operation.ts';
import { mayCreate, spaceOf, specOf } from '../../../operations/operations.ts';
import { formNotes } from './notations.ts';
import type { ProposedField } from './propose-fields.ts';
import type { JobProposal, KeyGuess } from './propose-job.ts';

type ProposalOrigin = {
  readonly file: string;
  readonly understood: string;
  readonly rows: number;
  readonly format: Partial<Format>;
};

/** Lines of comment, and the setting that they are about; without a name they are about none. */
type Line = { readonly notes: readonly string[]; readonly name?: string; readonly value?: unknown };

/** No cell values but words for yes and no. Throws a UsageError where it can be no definition. */
export function jobYaml(proposal: JobProposal, origin: ProposalOrigin): string {
  const document = documentOf([
    ...heading(proposal, origin),
    ...keyLines(proposal, origin),
    ...(Object.keys(origin.format).length > 0 ? [{ notes: [''], name: 'format', value: origin.format }] : []),
    ...fieldLines(proposal),
    ...openLines(proposal),
    ...(proposal.required.length > 0 ? [{ notes: [''], name: 'required', value: proposal.required }] : []),
    ...guardLines(proposal),
  ]);
  const value: unknown = document.toJS();
  const { error } = jobDefinitionSchema.safeParse(value);
  if (error === undefined) return textOf(document);
  const problems = jobProblems(error.issues, value);
  throw new UsageError(problems.map(({ path, words }) => `${path.map(String).join('.')}: ${words()}`));
}

function heading(proposal: JobProposal, { file, understood, rows }: ProposalOrigin): readonly Line[] {
  const notes = [
    ...lacking(proposal),
    `Proposed from the header of ${JSON.stringify(file)} (${understood})${rowsLookedAt(rows)}`,
    'Read it through before anything is sent; `onboard check ' +
      '--job-file` on the file says what does not fit yet.',
  ];
  return [
    { notes, name: 'operation', value: proposal.operation },
    { notes: ['Patterns of the inbox files that this job takes:', 'files: "partner/*"', ''] },
  ];
}

const NAMED = /^(?:details\.name|name|firstName|lastName)$/;

function lacking({ operation, key, isKeyless, fields, itself }: JobProposal): readonly string[] {
  const filled = [...fields.map(({ field }) => field), ...itself];
  if (!mayCreate(operation)) return [];
  const { group } = specOf(operation).proposal;
  const missing = [
    ...(filled.some((field) => NAMED.test(field)) ? [] : ['name']),
    ...(key === null && !isKeyless ? ['key'] : []),
    ...(group === null || filled.some((field) => field.startsWith(group)) ? [] : ['account']),
  ];
  return missing.length === 0
    ? []
    : [`Incomplete: no column was found for the ${missing.join(', the ')}.`, ''];
}

function rowsLookedAt(rows: number): string {
  if (rows === 0) return '; it has no rows, so how its cells are written is not known.';
  return ` and its first ${rows === 1 ? 'row' : `${rows} rows`}.`;
}

function keyLines(proposal: JobProposal, { rows }: ProposalOrigin): readonly Line[] {
  const { key, isKeyless, candidates, operation } = proposal;
  if (isKeyless) return [{ notes: ['No key, as somebody has decided.', ...keylessWords(operation)] }];
  if (key === null) {
    const offers = candidates.map(({ column }) => `key: ${JSON.stringify(column)}${OFFERED}`);
    return [{ notes: [NO_KEY, ...keylessWords(operation), 'Name one:', ...offers, 'key: …'] }];
  }
  const { column, flaws, isExact } = key;
  const others = candidates.filter((one) => one.column !== column).map((one) => JSON.stringify(one.column));
  const notes = [
    "The rows' own key: the ledger knows them by it.",
    ...seenWords(key, rows),
    ...(others.length === 0 ? [] : [`It could also be ${others.join(' or ')}: make sure that it is not.`]),
  ];
  const isGroup = specOf(operation).proposal.group !== null && flaws > 0;
  return [
    { notes, name: 'key', value: column },
    ...(isExact ? [{ notes: EXACT, name: 'keyForm', value: 'exact' }] : []),
    { notes: isGroup ? GROUP : [] },
  ];
}

/** Money goes to these accounts; without a key nobody knows whose they were. */
function guardLines({ operation, key, fields, itself }: JobProposal): readonly Line[] {
  const { group } = specOf(operation).proposal;
  const filled = [...fields.map(({ field }) => field), ...itself];
  if (key === null || group === null || !filled.some((field) => field.startsWith(group))) return [];
  return [{ notes: GUARD, name: 'guard', value: { accounts: 'hold' } }];
}

const GUARD = ['', 'A known payee with another account is held until somebody has asked the payee:'];

const OFFERED = ' # filled and unique in the rows looked at';
const EXACT = ['Keys that differ in capitals alone are not one:'];

const NO_KEY = "No column looks like the rows' own key.";

/** What it means that a job has no key, in sentences. */
export function keylessWords(operation: Operation): readonly string[] {
  const isOnce = spaceOf(operation) !== null;
  if (!isOnce) return ['Without a key, two rows of one record are both sent.'];
  return [
    'Without a key, a row is known by all that is sent of it.',
    'Where one value changes, it is created again; of two equal rows of a file one is sent.',
  ];
}

/** What speaks for a key and against it, in sentences. */
export function seenWords({ flaws, note }: KeyGuess, rows: number): readonly string[] {
  return [...(rows > 0 ? [seenOf(flaws)] : []), ...(note === null ? [] : [`It is ${note}.`])];
}

function seenOf(flaws: number): string {
  if (flaws === 0) return 'Each of the rows looked at has one of its own.';
  return (
    `Of the rows looked at, ${flaws} ${flaws === 1 ? 'has' : 'have'} ` +
    `none of ${flaws === 1 ? 'its' : 'their'} own.`
  );
}

const GROUP = [
  'Where rows with the same key stand together and are ' +
    'accounts of one payee, take out the # before this line:',
  'group: accounts',
];

function fieldLines({ fields, itself, missingId }: JobProposal): readonly Line[] {
  const own = itself.map((column) => `  ${JSON.stringify(column)}`);
  const lines = fields.map(fieldLine);
  if (missingId !== null)
    lines.push({
      notes: [
        "The request's path needs the identifier that the " + 'service gave, and no column was found for it:',
        `${missingId}: …`,
      ],
    });
  const notes = [
    '',
    ...(own.length === 0 ? [] : ['These headers are field paths and need no line:', ...own]),
    ...(lines.length === 0 ? [] : ['Request field ← column']),
  ];
  if (lines.some(({ name }) => name !== undefined)) return [{ notes, name: 'fields', value: mapOf(lines) }];
  return [{ notes }, ...(lines.length === 0 ? [] : [{ notes: ['fields:'] }, ...lines])];
}

function fieldLine({ field, column, notation, isDecided, ...proposed }: ProposedField): Line {
  const notes = [...proposed.notes, ...(proposed.remedy ?? []), ...formNotes(proposed)];
  const value = Object.keys(notation).length === 0 ? column : { column, ...notation };
  const line = { notes, name: field, value };
  return isDecided ? line : { notes: [...notes, textOf(documentOf([{ ...line, notes: [] }])).trimEnd()] };
}

function openLines({ open }: JobProposal): readonly Line[] {
  if (open.length === 0) return [];
  const value = new YAMLSeq();
  for (const { column, reason } of open) {
    const item = new Scalar(column);
    item.comment = ` ${printable(reason)}`;
    value.add(item);
  }
  const notes = [
    '',
    'Columns that are not sent. Decide for each: give it a line under "fields", or leave it here.',
  ];
  return [{ notes, name: 'ignore', value }];
}

/** Words that an older YAML takes for something else than text stand in quotes. */
const NODES = new Document(null, { compat: 'yaml-1.1' });

function documentOf(lines: readonly Line[]): Document {
  const document = NODES.clone();
  document.contents = mapOf(lines);
  return document;
}

function mapOf(lines: readonly Line[]): YAMLMap {
  const map = new YAMLMap();
  let waiting: string[] = [];
  for (const { notes, name, value } of lines) {
    waiting.push(...notes);
    if (name === undefined) continue;
    const key = new Scalar(name);
    key.spaceBefore = waiting[0] === '';
    key.commentBefore = commentOf(waiting);
    map.add(new Pair(key, isNode(value) ? value : NODES.createNode(value, { flow: true })), true);
    waiting = [];
  }
  map.comment = commentOf(waiting);
  return map;
}

function commentOf(notes: readonly string[]): string | null {
  const lines = notes.map((note) => (note === '' ? '' : ` ${printable(note)}`));
  return lines.join('\n').replace(/^\n/, '') || null;
}

/** Signs that nobody sees are spelled out, within the quotes that they need. */
function textOf(document: Document): string {
  visit(document, {
    Scalar: (_, node) => {
      if (printable(String(node.value)) !== node.value && typeof node.value === 'string')
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return printableLines(document.toString({ lineWidth: 0 }));
}
