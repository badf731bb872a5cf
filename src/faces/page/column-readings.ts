/**
 * How the cells of a column are read: the ways that the page offers, and what it asks where the
 * program knows the answers. Pure.
 */
import { countOf } from '../../lib/terminal.ts';
import type { Issue } from '../../model/issue.ts';
import type { BuiltIn } from '../../operations/operations.ts';
import type { JobProposal } from '../../readers/mapping/proposal/propose-job.ts';
import { fieldLabel } from '../../readers/mapping/request-field.ts';
import { cellWords } from '../../runs/check/proposal.ts';

type Proposed = JobProposal['fields'][number];
type Notation = Proposed['notation'];

/** Offered for every column; the first is the field's own. */
const READINGS: readonly Notation[] = [
  {},
  { pattern: 'dd.MM.yyyy' },
  { pattern: 'dd/MM/yyyy' },
  { pattern: 'MM/dd/yyyy' },
  { pattern: 'yyyy-MM-dd' },
  { decimal: ',' },
  { decimal: '.' },
  { true: ['yes'], false: ['no'] },
  { true: ['ja'], false: ['nein'] },
  { true: ['oui'], false: ['non'] },
  { ref: 'subclient' },
  { numbers: 'right' },
];

/** A notation as the form names it. */
export function readingOf(notation: Notation): string {
  return Object.keys(notation).length === 0 ? '' : JSON.stringify(notation);
}

/** Those proposed for the column, and the usual ones. */
export function notationsFor(column: string, { fields }: JobProposal): ReadonlyMap<string, Notation> {
  const own = fields.filter((field) => field.column === column);
  const ways = own.flatMap(({ notation, ways: others = [] }) => [notation, ...others]);
  return new Map([...ways, ...READINGS].map((notation) => [readingOf(notation), notation]));
}

export function readingWords(notation: Notation): string {
  const { pattern, true: yes, false: no, decimal, separator, ref, numbers, as } = notation;
  if (yes !== undefined && no !== undefined) return `${yes.join(', ')} / ${no.join(', ')}`;
  if (pattern !== undefined) return [pattern].flat().join(' or ');
  if (decimal !== undefined) return decimal === ',' ? 'numbers as 1.234,56' : 'numbers as 1,234.56';
  if (separator !== undefined) return `a list, with “${separator}” between`;
  if (ref !== undefined) return `the key of a ${ref}`;
  if (numbers !== undefined) return 'numbers are right here';
  return as === undefined ? 'as it is' : `a ${as}`;
}

type ColumnAnswer = { readonly words: string; readonly field: string; readonly reading: string };
type ColumnQuestion = { readonly words: string; readonly answers: readonly ColumnAnswer[] };

type AskedColumn = {
  readonly operation: BuiltIn;
  readonly field: string;
  readonly reading: string;
  /** With something in them. */
  readonly cells: readonly string[];
  /** Of rows that can't be sent, and of those that look damaged. */
  readonly issues: readonly Issue[];
  readonly proposed: Proposed | undefined;
  readonly offered: ReadonlyMap<string, Notation>;
};

export function questionOf(column: AskedColumn): ColumnQuestion | null {
  return ofNumbers(column) ?? ofWays(column) ?? ofRefused(column);
}

function ofNumbers({ field, reading, issues }: AskedColumn): ColumnQuestion | null {
  const count = issues.filter(({ code }) => code === 'number_cell').length;
  if (count === 0 || field === '' || reading !== '') return null;
  const words = `${countOf(count, 'cell')} with a number: a zero before it, or its last digits, may be lost.`;
  const answer = { words: 'The numbers are right here', field, reading: readingOf({ numbers: 'right' }) };
  return { words, answers: [answer] };
}

/** Two ways read the cells equally well, and differently. */
function ofWays({ operation, proposed, cells, ...now }: AskedColumn): ColumnQuestion | null {
  const { field = '', ways = [] } = proposed ?? {};
  const isOther = now.field !== '' && now.field !== field;
  if (ways.length < 2 || isOther || ways.map(readingOf).includes(now.reading)) return null;
  const readAs = (cell: string) => ways.map((notation) => cellWords(operation, { field, notation }, cell));
  const example = cells.find((cell) => new Set(readAs(cell)).size > 1) ?? '';
  const results = readAs(example);
  const answers = ways.map((notation, i) => {
    return { words: `“${example}” is ${results[i]}`, field, reading: readingOf(notation) };
  });
  return { words: `${fieldLabel(field)}? Its cells can be read in ${ways.length} ways.`, answers };
}

const ANSWERS_SHOWN = 3;

/** What would read the cells that are refused, the commonest first. */
function ofRefused({ operation, field, issues, offered }: AskedColumn): ColumnQuestion | null {
  const found = new Map<string, { notation: Notation; cell: string; count: number }>();
  for (const { settings = [], value } of issues)
    for (const notation of settings.filter((one) => offered.has(readingOf(one)))) {
      const one = found.get(readingOf(notation)) ?? { notation, cell: value ?? '', count: 0 };
      one.count += 1;
      found.set(readingOf(notation), one);
    }
  if (found.size === 0) return null;
  const likeliest = [...found].toSorted(([, a], [, b]) => b.count - a.count).slice(0, ANSWERS_SHOWN);
  const answers = likeliest.map(([reading, { notation, cell }]) => {
    const read = cellWords(operation, { field, notation }, cell);
    return { words: `${readingWords(notation)}: “${cell}” is ${read}`, field, reading };
  });
  return { words: 'These cells could be read as', answers };
}

/** Forms of a column's dates, with their counts; `null`: it has one. */
export function datesOf({ operation, proposed, cells, ...now }: AskedColumn) {
  const { field = '', notation = {}, forms = [], isDecided = false } = proposed ?? {};
  const isSame = now.field === field && now.reading === readingOf(notation);
  if (forms.length === 0 || (now.field !== '' && !isSame)) return null;
  const exampleOf = (own: Notation) => {
    const read = (cell: string) => cellWords(operation, { field, notation: own }, cell);
    const cell = cells.find((one) => read(one) !== null) ?? '';
    return `“${cell}” is ${read(cell)}`;
  };
  return {
    forms: forms.map(({ words, count, notation: own }) => {
      const example = own === null ? '' : `: ${exampleOf(own)}`;
      return `${countOf(count, 'cell')} as ${words}${example}`;
    }),
    /** Somebody has to tick that they are read right. */
    asks: isSame && isDecided && forms.filter((form) => form.notation !== null).length > 1,
  };
}
