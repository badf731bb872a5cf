/**
 * The column that is most probably the rows' own key: its name says so and nearly every row has one
 * of its own, or, where no name does, every row has one of its own and it looks like a key. Of
 * counterparties a key that repeats stands for several accounts of one payee, where the rows say
 * the same of the payee; else it is somebody else's key.
 */
import type { BuiltIn } from '../../model/operation.ts';
import type { JsonValue } from '../../model/request.ts';
import { mostMistakes } from '../../model/written-as.ts';
import type { FindMeaning } from './meaning.ts';
import { keyNamesOf, looseName, referenceNamesOf } from './names.ts';

export type KeyGuess = {
  readonly column: string;
  /** Rows that lack the key, or have one that came before. */
  readonly flaws: number;
  readonly groups: Groups;
  /** What the reader of the proposal has to know; `null` where the name says it all. */
  readonly note: string | null;
};

/**
 * Rows with the same key: there are none; they could be one record; they are one record with
 * several accounts, and stand together or apart.
 */
type Groups = 'none' | 'perhaps' | 'together' | 'apart';

/** The cells of the rows looked at, empty ones as `''`. */
export type Table = readonly (readonly JsonValue[])[];

type Guessing = {
  readonly operation: BuiltIn;
  readonly columns: readonly string[];
  readonly table: Table;
  readonly findMeaning: FindMeaning;
};

export function guessKey(guessing: Guessing): KeyGuess | null {
  return keyByName(guessing) ?? keyByCells(guessing);
}

const PERHAPS_ANOTHERS =
  'perhaps not the payee’s own, but the key of the subclient that the payee belongs to: ' +
  'then it is "parent.id: { column: …, ref: subclient }" and no key';

function keyByName(guessing: Guessing): KeyGuess | null {
  const { operation, columns, table } = guessing;
  const names = columns.map(looseName);
  const references = operation === 'counterparty.draft' ? referenceNamesOf(operation) : new Set<string>();
  for (const wanted of keyNamesOf(operation)) {
    const slot = names.indexOf(wanted);
    const column = columns[slot];
    if (column === undefined || !isAlone(column, columns)) continue;
    const guess = judge({ column, slot }, guessing);
    const isBearable = guess.flaws <= mostMistakes(table.length) && guess.flaws <= table.length / 2;
    if (guess.groups !== 'none') return guess;
    const isAnothers = references.has(wanted);
    if (isBearable && !(isAnothers && guess.flaws > 0)) {
      return { ...guess, note: isAnothers ? PERHAPS_ANOTHERS : null };
    }
  }
  return null;
}

export function isAlone(column: string, columns: readonly string[]): boolean {
  return columns.indexOf(column) === columns.lastIndexOf(column);
}

type At = { readonly column: string; readonly slot: number };

function judge(at: At, guessing: Guessing): KeyGuess {
  const keys = cellsOf(at.slot, guessing.table);
  const filled = keys.filter((key) => key !== '');
  const flaws = keys.length - new Set(filled).size;
  const repeats = filled.length === keys.length && flaws > 0;
  const groups = repeats && guessing.operation === 'counterparty.draft' ? groupsOf(at, guessing) : 'none';
  return { column: at.column, flaws, groups, note: null };
}

function cellsOf(slot: number, table: Table): readonly JsonValue[] {
  return table.map((cells) => cells[slot] ?? '');
}

/** Fields that the rows of one payee have in common. */
const PAYEE: ReadonlySet<string> = new Set(['name', 'firstName', 'lastName', 'email', 'alias']);

function groupsOf({ slot }: At, { columns, table, findMeaning }: Guessing): Groups {
  const keys = cellsOf(slot, table);
  const changes = keys.filter((key, i) => i === 0 || key !== keys[i - 1]).length;
  const isTogether = changes === new Set(keys).size;
  const fields = columns.map((column, i) => (i === slot ? null : (findMeaning(column)?.field ?? null)));
  const agreeing = (isMeant: (field: string) => boolean) =>
    columns.flatMap((_, i) => (isMeant(fields[i] ?? '') ? [agrees(keys, cellsOf(i, table))] : []));
  const payee = agreeing((field) => PAYEE.has(field));
  if (payee.includes(false)) return 'none';
  const others = agreeing((field) => field !== '' && !field.startsWith(ACCOUNT));
  const accounts = agreeing((field) => field.startsWith(ACCOUNT));
  const isOneEach = !fields.some((field) => field?.startsWith('accounts.1.') === true);
  const isSure = payee.length > 0 && isOneEach && !others.includes(false) && accounts.includes(false);
  if (isSure) return isTogether ? 'together' : 'apart';
  return isTogether ? 'perhaps' : 'none';
}

const ACCOUNT = 'accounts.0.';

function agrees(keys: readonly JsonValue[], cells: readonly JsonValue[]): boolean {
  const first = new Map<JsonValue, JsonValue>();
  return keys.every((key, i) => {
    const cell = cells[i] ?? '';
    if (cell === '') return true;
    const known = first.get(key) ?? cell;
    first.set(key, known);
    return known === cell;
  });
}

const BY_CELLS =
  'guessed, since each row looked at has one of its own: make sure that it names the record in every file';
/** Fewer rows have cells of their own by chance. */
const FEWEST_ROWS = 3;

function keyByCells(guessing: Guessing): KeyGuess | null {
  const { operation, columns, table, findMeaning } = guessing;
  const isOwnKey = operation !== 'subclient.update' && operation !== 'payment.documents';
  if (!isOwnKey || table.length < FEWEST_ROWS) return null;
  const candidates = columns
    .map((column, slot) => ({ column, cells: cellsOf(slot, table) }))
    .filter(({ column, cells }) => isAlone(column, columns) && findMeaning(column) === null && areKeys(cells))
    .filter(({ column }) => !OTHER_NUMBERS.test(looseName(column)));
  const found =
    candidates.find(({ column }) => KEY_WORDS.test(looseName(column))) ??
    candidates.find(({ cells }) => areOfOneShape(cells));
  return found === undefined ? null : { column: found.column, flaws: 0, groups: 'none', note: BY_CELLS };
}

/** Words for a key that begin or end a name, and what numbers people and files have besides. */
const KEY_WORDS =
  /^(?:id|nr|cod|code|codigo|codice|kod|ref|key)|(?:id|nr|cod|code|codigo|codice|kod|ref|referenz|reference|referencia|riferimento|referentie|key|schlussel|schluessel|kennung|kennzeichen|clave|chiave|sleutel|klucz|symbol|uid|guid|uuid)$/;
const OTHER_NUMBERS =
  /tel|phone|fax|mobil|handy|cell|iban|bic|swift|konto|account|compte|cuenta|conto|rekening|rachun|plz|zip|post|vat|ust|tax|steuer|fiscal|fiskal|dat[eua]|fecha|lfd|onboard/;

/** A word with a digit in it: no date, no amount, no sentence. */
const KEY = /^(?=.*\d)[\p{L}\d](?:[\p{L}\d_/:-]|\.(?=\p{L})){0,39}$/u;
const DATE = /^\d{1,4}[/-]\d{1,2}[/-]\d{1,4}/;

function areKeys(cells: readonly JsonValue[]): boolean {
  const keys = cells.map(String);
  const isRunning = keys.every((key, i) => Number(key) === Number(keys[0]) + i);
  return (
    !isRunning && new Set(keys).size === keys.length && keys.every((key) => KEY.test(key) && !DATE.test(key))
  );
}

/** Letters and digits in the same places in every cell, as `CU-00017`: what a system gives out. */
function areOfOneShape(cells: readonly JsonValue[]): boolean {
  const shapes = new Set(cells.map((cell) => String(cell).replaceAll(/\d+/g, '9')));
  return shapes.size === 1 && [...shapes].every((shape) => /\p{L}/u.test(shape));
}
