/**
 * Monthly deliveries of a partner as they come: a portfolio that grows, loses and changes records, with columns of the usual kinds.
 * Of each history there is one more delivery as it should be, and that one damaged in the ways that people tell of. Nothing here is
 * taken from the program: limits are judged by it.
 */

export type Delivery = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

export type History = {
  /** `full`: all records each time; `changes`: what is new or changed. */
  readonly kind: 'full' | 'changes';
  /** Column of the row's own key. */
  readonly key: string;
  /** Oldest first. */
  readonly earlier: readonly Delivery[];
  readonly next: Delivery;
};

/** What can be wrong with a delivery. */
export const DAMAGES = ['swapped', 'emptied', 'renamed', 'halved', 'repeated', 'redated'] as const;
export type Damage = (typeof DAMAGES)[number];

type Dice = ReturnType<typeof createDice>;

/** mulberry32. */
function createDice(seed: number) {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => items[between(0, items.length - 1)] as T,
    digits: (count: number) => Array.from({ length: count }, () => between(0, 9)).join(''),
    letters: (count: number) =>
      Array.from({ length: count }, () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[between(0, 25)]).join(''),
  };
}

const SYLLABLES = [
  'ba',
  'co',
  'den',
  'fir',
  'gol',
  'hen',
  'jor',
  'kel',
  'lum',
  'mar',
  'nor',
  'pol',
  'rin',
  'sal',
  'tor',
  'vex',
  'wil',
  'zan',
];
const FORMS = ['Ltd', 'GmbH', 'S.L.', 'SAS', 'BV', 'Inc', 'plc', 'AG', ''];
const COUNTRIES = ['GB', 'DE', 'ES', 'FR', 'NL', 'US', 'IT', 'PL', 'PT', 'SE'];
const CURRENCIES = ['EUR', 'GBP', 'USD', 'PLN'];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const word = (dice: Dice) =>
  capital(Array.from({ length: dice.between(2, 4) }, () => dice.pick(SYLLABLES)).join(''));
const two = (n: number) => String(n).padStart(2, '0');

/** How a country writes. */
const POSTCODES: ReadonlyMap<string, (dice: Dice) => string> = new Map([
  ['GB', (dice) => `${dice.letters(2)}${dice.between(1, 9)} ${dice.between(1, 9)}${dice.letters(2)}`],
  ['NL', (dice) => `${dice.digits(4)} ${dice.letters(2)}`],
  ['PL', (dice) => `${dice.digits(2)}-${dice.digits(3)}`],
  ['PT', (dice) => `${dice.digits(4)}-${dice.digits(3)}`],
  ['SE', (dice) => `${dice.digits(3)} ${dice.digits(2)}`],
]);
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['GB', 22],
  ['DE', 22],
  ['ES', 24],
  ['FR', 27],
  ['NL', 18],
  ['US', 20],
  ['IT', 27],
  ['PL', 28],
  ['PT', 25],
  ['SE', 24],
]);

function ibanOf(dice: Dice, country: string): string {
  const letters = country === 'GB' || country === 'NL' ? dice.letters(4) : '';
  const start = `${country}${dice.digits(2)}${letters}`;
  return start + dice.digits((IBAN_LENGTHS.get(country) ?? 22) - start.length);
}

function localDateOf(dice: Dice, country: string): string {
  const [y, m, d] = [String(dice.between(1960, 2024)), two(dice.between(1, 12)), two(dice.between(1, 28))];
  if (['DE', 'PL'].includes(country)) return `${d}.${m}.${y}`;
  return ['NL', 'SE'].includes(country) ? `${y}-${m}-${d}` : `${d}/${m}/${y}`;
}

/** A column's kind: two of the same look alike in a cell. */
const KINDS = {
  name: (dice: Dice) =>
    [word(dice), ...(dice.chance(0.5) ? [word(dice)] : []), dice.pick(FORMS)].join(' ').trim(),
  person: (dice: Dice) => `${word(dice)} ${word(dice)}`,
  city: (dice: Dice) => word(dice) + (dice.chance(0.15) ? ` ${word(dice)}` : ''),
  street: (dice: Dice) =>
    `${word(dice)} ${dice.pick(['Street', 'Road', 'Weg', 'Calle'])} ${dice.between(1, 240)}`,
  postcode: (dice: Dice, country: string) => POSTCODES.get(country)?.(dice) ?? dice.digits(5),
  country: (_: Dice, country: string) => country,
  currency: (dice: Dice) => dice.pick(CURRENCIES),
  iban: ibanOf,
  bic: (dice: Dice, country: string) =>
    `${dice.letters(4)}${country}${dice.letters(2)}${dice.chance(0.3) ? 'XXX' : ''}`,
  email: (dice: Dice) => `${word(dice).toLowerCase()}@${word(dice).toLowerCase()}.example`,
  phone: (dice: Dice) => `+${dice.between(30, 49)} ${dice.digits(3)} ${dice.digits(dice.between(5, 7))}`,
  date: (dice: Dice) => `${dice.between(1960, 2024)}-${two(dice.between(1, 12))}-${two(dice.between(1, 28))}`,
  amount: (dice: Dice) => (dice.next() ** 3 * 100_000).toFixed(2),
  number: (dice: Dice) => dice.digits(8),
  /** Each branch by its country's habit. */
  localDate: localDateOf,
  flag: (dice: Dice) => dice.pick(['Y', 'N']),
  note: (dice: Dice) => Array.from({ length: dice.between(3, 9) }, () => word(dice).toLowerCase()).join(' '),
} as const satisfies Readonly<Record<string, (dice: Dice, country: string) => string>>;
type Kind = keyof typeof KINDS;
const OPTIONAL: readonly Kind[] = Object.keys(KINDS).filter(
  (kind): kind is Kind => kind !== 'name' && kind !== 'localDate' && kind in KINDS,
);

type Column = { readonly name: string; readonly kind: Kind; readonly share: number };
type Shape = {
  readonly columns: readonly Column[];
  readonly key: (n: number) => string;
  readonly kind: History['kind'];
  /** Most records are of the first. */
  readonly countries: readonly string[];
};
type Entity = { readonly key: string; readonly country: string; readonly cells: readonly string[] };

const KEY = 'Ref';

/** `isLocal`: dates are written as in each record's country. */
function shapeOf(dice: Dice, isLocal: boolean): Shape {
  const chosen = OPTIONAL.filter(() => dice.chance(0.55));
  const kinds = chosen.map((kind) => (isLocal && kind === 'date' ? 'localDate' : kind));
  const twice = dice.chance(0.4) ? [dice.pick(kinds.length > 0 ? kinds : OPTIONAL)] : [];
  const columns = (['name', ...kinds, ...twice] as const).map((kind, i) => ({
    name: `${capital(kind)} ${i}`,
    kind,
    // Most columns are full, some half, a few nearly empty.
    share: kind === 'name' ? 1 : dice.pick([1, 1, 1, 0.97, 0.9, 0.6, 0.3, 0.05]),
  }));
  const prefix = dice.pick(['', 'K-', 'PX', '00']);
  return {
    columns,
    key: (n) => `${prefix}${10_000 + n}`,
    kind: dice.chance(0.6) ? 'full' : 'changes',
    countries: Array.from({ length: dice.between(1, 5) }, () => dice.pick(COUNTRIES)),
  };
}

/** What is harmless and moves all the same: shares drift, a branch with its own habits comes along. */
function cellOf({ kind, share }: Column, dice: Dice, drift: number, country: string): string {
  return dice.chance(Math.min(1, Math.max(0, share + drift))) ? KINDS[kind](dice, country) : '';
}

/** Of one seed always the same. */
export function historyOf(seed: number): History {
  const dice = createDice(seed * 7_919 + 17);
  const shape = shapeOf(dice, seed % 3 === 0);
  const size = Math.round(60 * 10 ** (dice.next() * 1.7));
  const drifts = shape.columns.map(() => 0);
  let made = 0;
  /** Of a branch of one country where one is given. */
  const record = (branch: string | null): Entity => {
    const [main = 'GB'] = shape.countries;
    const country = branch ?? (dice.chance(0.6) ? main : dice.pick(shape.countries));
    const cells = shape.columns.map((column, i) => cellOf(column, dice, drifts[i] ?? 0, country));
    return { key: shape.key(made++), country, cells };
  };
  let all: Entity[] = Array.from({ length: size }, () => record(null));
  const deliveries: Delivery[] = [deliveryOf(all, shape)];
  const count = dice.between(3, 7);
  for (let month = 1; month < count; month += 1) {
    for (const i of drifts.keys())
      if (dice.chance(0.1)) drifts[i] = (drifts[i] ?? 0) + (dice.next() - 0.5) * 0.16;
    const gone = 0.04 * dice.next();
    const changed = 0.02 + 0.1 * dice.next();
    // Now and then a branch, an acquisition.
    const grown = dice.chance(0.06) ? 0.3 * dice.next() : 0.08 * dice.next();
    const kept = all.filter(() => !dice.chance(gone));
    const touched = new Set<Entity>();
    const now = kept.map((one) => {
      if (!dice.chance(changed)) return one;
      const at = dice.between(0, shape.columns.length - 1);
      const column = shape.columns[at];
      if (column === undefined) return one;
      const other = { ...one, cells: one.cells.with(at, cellOf(column, dice, drifts[at] ?? 0, one.country)) };
      touched.add(other);
      return other;
    });
    // Now and then all that is new comes from one country, perhaps for the first time.
    const branch = dice.chance(0.12) ? dice.pick(COUNTRIES) : null;
    const fresh = Array.from({ length: Math.round(size * grown) }, () => record(branch));
    all = [...now, ...fresh];
    const sent = shape.kind === 'full' ? all : [...touched, ...fresh];
    deliveries.push(deliveryOf(sent, shape));
  }
  const next = deliveries.at(-1);
  if (next === undefined) throw new Error('a history without deliveries');
  return { kind: shape.kind, key: KEY, earlier: deliveries.slice(0, -1), next };
}

function deliveryOf(records: readonly Entity[], { columns }: Shape): Delivery {
  return {
    columns: [KEY, ...columns.map(({ name }) => name)],
    rows: records.map(({ key, cells }) => [key, ...cells]),
  };
}

/** The last delivery of the history so damaged; `null`: it can't be, since it has nothing to damage. */
export function damaged({ kind, next }: History, damage: Damage, seed: number): Delivery | null {
  const dice = createDice(seed * 104_729 + DAMAGES.indexOf(damage));
  const { columns, rows } = next;
  const filled = (at: number) => rows.filter((row) => row[at] !== '').length / Math.max(1, rows.length);
  const kindOf = (at: number) => (columns[at] ?? '').replace(/ \d+$/, '');
  const places = columns.map((_, at) => at).slice(1);
  const mostlyFilled = places.filter((at) => filled(at) >= 0.5);
  switch (damage) {
    case 'swapped': {
      // Who swaps what looks alike (two cities) is found by nobody who doesn't know the values.
      const pairs = mostlyFilled.flatMap((a) =>
        mostlyFilled.filter((b) => a < b && !lookAlike(kindOf(a), kindOf(b))).map((b) => [a, b] as const),
      );
      if (pairs.length === 0) return null;
      const [a, b] = dice.pick(pairs);
      return { columns, rows: rows.map((row) => row.with(a, row[b] ?? '').with(b, row[a] ?? '')) };
    }
    case 'emptied': {
      if (mostlyFilled.length === 0) return null;
      const at = dice.pick(mostlyFilled);
      return { columns, rows: rows.map((row) => row.with(at, '')) };
    }
    case 'renamed': {
      const how = dice.pick([
        (key: string) => `X${key}`,
        (key: string) => `${key}-1`,
        (key: string) => `N${Number(key.replaceAll(/\D/g, '')) * 7}`,
      ]);
      return { columns, rows: rows.map((row) => row.with(0, how(row[0] ?? ''))) };
    }
    case 'halved': {
      if (kind === 'changes') return null;
      const share = 0.05 + 0.45 * dice.next();
      const left = dice.chance(0.5)
        ? rows.slice(0, Math.floor(rows.length * share))
        : rows.filter(() => dice.chance(share));
      return { columns, rows: left };
    }
    case 'repeated': {
      const varied = mostlyFilled.filter((at) => new Set(rows.map((row) => row[at])).size > rows.length / 2);
      if (varied.length === 0) return null;
      const at = dice.pick(varied);
      const one = rows.find((row) => row[at] !== '')?.[at] ?? '';
      return { columns, rows: rows.map((row) => row.with(at, one)) };
    }
    case 'redated': {
      const dates = mostlyFilled.filter((at) => kindOf(at) === 'Date');
      if (dates.length === 0) return null;
      const at = dice.pick(dates);
      const write = dice.pick([
        ([y = '', m = '', d = '']: readonly string[]) => `${d}.${m}.${y}`,
        ([y = '', m = '', d = '']: readonly string[]) => `${m}/${d}/${y}`,
      ]);
      const redated = (cell = '') => (cell === '' ? '' : write(cell.split('-')));
      return { columns, rows: rows.map((row) => row.with(at, redated(row[at]))) };
    }
    default:
      return damage satisfies never;
  }
}

const ALIKE: ReadonlyMap<string, string> = new Map([
  ['Name', 'words'],
  ['Person', 'words'],
  ['City', 'words'],
  ['Note', 'words'],
  ['Country', 'short'],
  ['Currency', 'short'],
  ['Flag', 'short'],
]);

function lookAlike(a: string, b: string): boolean {
  return a === b || (ALIKE.get(a) ?? a) === (ALIKE.get(b) ?? b);
}
