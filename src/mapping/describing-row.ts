/**
 * Rows that say something of the columns instead of being records: types, duties, units, labels,
 * what to enter, their numbers, examples. Only the first rows can; words of that kind in most of
 * a row's cells tell it.
 */
import { operationOf } from '../config/job-definition.ts';
import { normalForm } from '../model/key-form.ts';
import { isOwn } from '../operations/own.ts';
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
    const cells = row > MOST_ROWS ? [] : values.flatMap(cellAt).filter(({ slot }) => !isLeft[slot]);
    if (cells.length === 0) return false;
    const least = cells.length === 1 && isLeft.length > 1 ? 1 : 2;
    const isMost = (is: IsSuch) => cells.filter(is).length >= Math.max(least, (cells.length + 1) / 2);
    const copied = cells.filter(({ text }) => invented('examples.tsv').has(text));
    const isMarked = cells.every(isMark) && cells.map(({ text }) => text).join('').length > 1;
    const isNumbered = cells.length > 2 && cells.every(isNumber);
    if (copied.length >= Math.min(2, cells.length) || isMarked || isNumbered) return true;
    if (cells.some(isNoRecord)) return true;
    return [isType, labels('once'), isExample].some(isMost);
  };
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
  return ({ text }) => [...described(kind)].some((phrase) => normalForm(text)[how](phrase));
};
const isExample = saying('example', 'startsWith');
const isNoRecord = saying('no record', 'includes');

/** `an..35`, `dd/MM/yyyy`, `max 35`. */
const NOTATION = /^(?:an?|[cnx])\.\.\d+$|^[dmyjta]{2,4}([-./])[dmyjta]{2}\1[dmyjta]{2,4}$|^max\.? ?\d+$/;

/** Beside numbers and signs only such words: `text(20)`, `varchar 35 not null`. */
const isType: IsSuch = ({ text }) => {
  const form = normalForm(text);
  const types = described('type');
  const words = form.match(/\p{L}+/gu) ?? [];
  const isKnown = words.every((word) => types.has(word) || described('beside type').has(word));
  return NOTATION.test(form) || types.has(form) || (isKnown && words.some((word) => types.has(word)));
};

/** A unit, or the letter of a duty (mandatory, optional, conditional; Pflicht, kann). */
const isMark: IsSuch = ({ slot, text }) => {
  if (isWordForNothing(text)) return false;
  const isUnit = wordsOf('currency').has(text) || described('unit').has(normalForm(text));
  return /^(?:\[[^[\]]*\]|\([^()]*\)|[CKMOPR])$/.test(text) || (slot > 0 && isUnit);
};

/** The position of its column, as numbers or as a spreadsheet has it. */
const isNumber: IsSuch = ({ slot, text }) =>
  text === String(slot + 1) || text === String.fromCharCode(65 + slot);

/** The cell names the very column that it stands in. */
function createIsLabel(compilation: Compilation, bindings: readonly Binding[]): IsSuch {
  const { definition, catalog, pathField } = compilation;
  const operation = operationOf(definition);
  if (isOwn(operation)) return () => false;
  const meaningOf = createFindMeaning(operation, catalog, pathField);
  const filled = bindings.map((one) => one.kind !== 'constant' && `${one.slot} ${formatFieldPath(one.path)}`);
  return ({ slot, text }) => filled.includes(`${slot} ${meaningOf(text)?.field}`);
}

const INVENTED = /example|sampl|^PARTNER-0001$/i;

/** Not what could be anybody's, such as `true` or `GBR`. */
const invented = remembered(
  (table: string) => new Set(readData(table).flatMap(([, cell = '']) => (INVENTED.test(cell) ? [cell] : []))),
);
