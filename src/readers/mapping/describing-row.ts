/**
 * Rows that say something of the columns instead of being records: types, duties, units, labels,
 * what to enter, their numbers, examples. Only the first rows can; words of that kind in most of
 * a row's cells tell it.
 */
import { operationOf } from '../../config/job-definition.ts';
import { normalForm } from '../../model/key-form.ts';
import { isOwn } from '../../operations/own.ts';
import type { Binding } from './bind-fields.ts';
import { type Compilation, isLeftOut } from './compilation.ts';
import { createFindMeaning } from './proposal/meaning.ts';
import { readData, remembered, wordsOf } from './read-data.ts';
import { formatFieldPath } from './request-field.ts';
import type { RowContext } from './row-context.ts';
import { isWordForNothing } from './row-key.ts';

type Cell = { readonly slot: number; readonly text: string };
type IsSuch = (cell: Cell) => boolean;

/** Below the header: labels, duties, types and an example. */
const MOST_ROWS = 4;

export function compileDescribesColumns(compilation: Compilation, bindings: readonly Binding[]) {
  const isLeft = compilation.source.columns.map((column) => isLeftOut(column, compilation));
  // Most rows are mapped in processes that see no first ones.
  const labels = remembered((_: 'once') => createIsLabel(compilation, bindings));
  return ({ row, values }: RowContext): boolean => {
    if (row > MOST_ROWS) return false;
    const cells = values.flatMap(cellAt).filter(({ slot }) => !isLeft[slot]);
    if (cells.length === 0) return false;
    if (isCopied(cells) || isMarked(cells) || isNumbered(cells)) return true;
    if (cells.some(isNoRecord)) return true;

    const isOnly = cells.length === 1 && isLeft.length > 1;
    const most = Math.max(isOnly ? 1 : 2, (cells.length + 1) / 2);
    const kinds = [isType, labels('once'), isExample];
    return kinds.some((isSuch) => cells.filter(isSuch).length >= most);
  };
}

function isCopied(cells: readonly Cell[]): boolean {
  const examples = invented('examples.tsv');
  const copied = cells.filter(({ text }) => examples.has(text));
  return copied.length >= Math.min(2, cells.length);
}

function isMarked(cells: readonly Cell[]): boolean {
  const letters = cells.map(({ text }) => text).join('');
  return letters.length > 1 && cells.every(isMark);
}

function isNumbered(cells: readonly Cell[]): boolean {
  return cells.length > 2 && cells.every(isNumber);
}

function cellAt(value: unknown, slot: number): readonly Cell[] {
  const text = typeof value === 'string' ? value.trim() : '-'; // a number, a list or an object
  return text === '' || (value ?? null) === null ? [] : [{ slot, text }];
}

const described = remembered((kind: string): ReadonlySet<string> => {
  const words = readData('describing.tsv').flatMap(([of, ...words]) => (of === kind ? words : []));
  return new Set(words.map(normalForm));
});

const saying = (kind: string, how: 'startsWith' | 'includes'): IsSuch => {
  return ({ text }) => {
    const form = normalForm(text);
    return [...described(kind)].some((phrase) => form[how](phrase));
  };
};
const isExample = saying('example', 'startsWith');
const isNoRecord = saying('no record', 'includes');

/** `an..35`, `dd/MM/yyyy`, `max 35`. */
const NOTATION = /^(?:an?|[cnx])\.\.\d+$|^[dmyjta]{2,4}([-./])[dmyjta]{2}\1[dmyjta]{2,4}$|^max\.? ?\d+$/;

/** Beside numbers and signs only such words: `text(20)`, `varchar 35 not null`. */
const isType: IsSuch = ({ text }) => {
  const form = normalForm(text);
  const types = described('type');
  if (NOTATION.test(form) || types.has(form)) return true;
  const words = form.match(/\p{L}+/gu) ?? [];
  const beside = words.filter((word) => !types.has(word));
  const hasType = beside.length < words.length;
  return hasType && beside.every((word) => described('beside type').has(word));
};

/** A unit, or the letter of a duty (mandatory, optional, conditional; Pflicht, kann). */
const isMark: IsSuch = ({ slot, text }) => {
  if (isWordForNothing(text)) return false;
  if (BRACKETS_OR_DUTY.test(text)) return true;
  const isUnit = wordsOf('currency').has(text) || described('unit').has(normalForm(text));
  return slot > 0 && isUnit;
};

const BRACKETS_OR_DUTY = /^(?:\[[^[\]]*\]|\([^()]*\)|[CKMOPR])$/;

/** The position of its column, as numbers or as a spreadsheet has it. */
const isNumber: IsSuch = ({ slot, text }) => {
  const letter = String.fromCharCode(65 + slot);
  return text === String(slot + 1) || text === letter;
};

/** The cell names the very column that it stands in. */
function createIsLabel(compilation: Compilation, bindings: readonly Binding[]): IsSuch {
  const { definition, catalog, pathField } = compilation;
  const operation = operationOf(definition);
  if (isOwn(operation)) return () => false;
  const meaningOf = createFindMeaning(operation, catalog, pathField);
  const bound = bindings.filter((one) => one.kind !== 'constant');
  const filled = new Set(bound.map(({ slot, path }) => `${slot} ${formatFieldPath(path)}`));
  return ({ slot, text }) => filled.has(`${slot} ${meaningOf(text)?.field}`);
}

const INVENTED = /example|sampl|^PARTNER-0001$/i;

/** Not what could be anybody's, such as `true` or `GBR`. */
const invented = remembered((table: string) => {
  const cells = readData(table).map(([, cell = '']) => cell);
  return new Set(cells.filter((cell) => INVENTED.test(cell)));
});
