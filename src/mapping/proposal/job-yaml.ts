/** A proposal as a job definition with comments, so that whoever reads it can decide what is still open. */
import type { Format } from '../../config/job-definition.ts';
import { printable } from '../../lib/terminal.ts';
import type { ProposedField } from './propose-fields.ts';
import type { JobProposal } from './propose-job.ts';

/** Where a proposal comes from, for the comment above it. */
type ProposalOrigin = {
  /** The file's name, without its folders. */
  readonly file: string;
  /** How the file was understood, in a few words. */
  readonly understood: string;
  /** How many rows were looked at. */
  readonly rows: number;
  /** Settings without which the file would be read otherwise. */
  readonly format: Partial<Format>;
};

/** A proposal as a commented job definition; no cell values but words that mean yes and no. */
export function jobYaml(proposal: JobProposal, origin: ProposalOrigin): string {
  const sections = [
    heading(proposal, origin),
    keyLines(proposal, origin),
    formatLines(origin.format),
    fieldLines(proposal),
    openLines(proposal),
    proposal.required.length === 0 ? [] : [`required: ${flow(proposal.required)}`],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ operation }: JobProposal, { file, understood, rows }: ProposalOrigin): readonly string[] {
  return [
    `# Proposed from the header of ${quoted(file)} (${understood})${rowsLookedAt(rows)}`,
    '# Read it through before anything is sent; `onboard check --job-file` on the file says what does not fit yet.',
    `operation: ${operation}`,
    '# Patterns of the inbox files that this job takes:',
    '# files: "partner/*"',
  ];
}

function rowsLookedAt(rows: number): string {
  if (rows === 0) return '; it has no rows, so how its cells are written is not known.';
  return ` and its first ${rows === 1 ? 'row' : `${rows} rows`}.`;
}

function keyLines({ key }: JobProposal, { rows }: ProposalOrigin): readonly string[] {
  if (key === null) {
    return [
      "# No column looks like the rows' own key. Without one, a row's place in the file is its identity, and the same",
      '# record in another file is created again. Name the column where there is one:',
      '# key: …',
    ];
  }
  const { column, groups, note } = key;
  return [
    `# The rows' own key: the ledger knows them by it. ${rows > 0 && (groups === 'none' || groups === 'perhaps') ? seenOf(key.flaws) : ''}`.trimEnd(),
    ...(note === null ? [] : [`# It is ${note}.`]),
    `key: ${scalar(column)}`,
    ...GROUPS[groups],
  ];
}

function seenOf(flaws: number): string {
  if (flaws === 0) return 'Each of the rows looked at has one of its own.';
  return `Of the rows looked at, ${flaws} ${flaws === 1 ? 'has' : 'have'} none of ${flaws === 1 ? 'its' : 'their'} own.`;
}

const GROUPED = [
  '# Rows with the same key say the same of the payee and have different accounts: they become one payee.',
];

const GROUPS: Readonly<Record<NonNullable<JobProposal['key']>['groups'], readonly string[]>> = {
  none: [],
  perhaps: [
    '# Rows with the same key stand together. Where they are accounts of one counterparty, take out the # before this line:',
    '# group: accounts',
  ],
  together: [...GROUPED, 'group: accounts'],
  apart: [
    ...GROUPED,
    '# They have to stand together, and some do not: sort the file by the key first.',
    'group: accounts',
  ],
};

function formatLines(format: Partial<Format>): readonly string[] {
  const settings = Object.entries(format).map(
    ([name, value]) => `${name}: ${typeof value === 'number' ? value : scalar(String(value))}`,
  );
  return settings.length === 0 ? [] : [`format: { ${settings.join(', ')} }`];
}

function fieldLines({ fields, itself, missingId }: JobProposal): readonly string[] {
  const own = itself.map((column) => `#   ${quoted(column)}`);
  const lines = fields.flatMap(fieldLine);
  const isEmpty = fields.every(({ isDecided }) => !isDecided);
  return [
    ...(own.length === 0 ? [] : ['# These headers are field paths and need no line:', ...own]),
    ...(lines.length === 0 && missingId === null
      ? []
      : ['# Request field ← column', isEmpty ? '# fields:' : 'fields:']),
    ...lines,
    ...(missingId === null
      ? []
      : [
          `  # The request's path needs the identifier that the service gave, and no column was found for it:`,
          `  # ${missingId}: …`,
        ]),
  ];
}

function fieldLine({ field, column, notation, notes, isDecided }: ProposedField): readonly string[] {
  const settings = Object.entries(notation).map(
    ([name, value]) => `${settingName(name)}: ${settingValue(value)}`,
  );
  const source =
    settings.length === 0 ? scalar(column) : `{ ${[`column: ${scalar(column)}`, ...settings].join(', ')} }`;
  const line = `${scalar(field)}: ${source}`;
  return [...notes.map((note) => `  # ${note}`), isDecided ? `  ${line}` : `  # ${line}`];
}

function openLines({ open }: JobProposal): readonly string[] {
  if (open.length === 0) return [];
  return [
    '# Columns that are not sent. Decide for each: give it a line under "fields", or leave it here.',
    'ignore:',
    ...open.map(({ column, reason }) => `  - ${scalar(column)} # ${reason}`),
  ];
}

/** A setting's name, in quotes where YAML would take it for a boolean. */
function settingName(name: string): string {
  return name === 'true' || name === 'false' ? `"${name}"` : name;
}

/** A setting's value on one line. */
function settingValue(value: unknown): string {
  return Array.isArray(value) ? flow(value.map(String)) : scalar(String(value));
}

/** A list on one line. */
function flow(values: readonly string[]): string {
  return `[${values.map(scalar).join(', ')}]`;
}

const PLAIN = /^[A-Za-z][\w./]*(?: [\w./]+)*$/;
/** Words that some version of YAML takes for something else than text. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Text as a YAML scalar on one line: JSON's strings are YAML's, too. */
function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.has(text.toLowerCase()) ? text : quoted(text);
}

/** Text in quotes on one line, whatever characters it holds. */
function quoted(text: string): string {
  return printable(JSON.stringify(text));
}
