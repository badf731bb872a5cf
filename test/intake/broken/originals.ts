/** A whole file before its damage: its records as they are read, and the line each starts on. */
export type Original = {
  readonly text: string;
  readonly delimiter: string;
  /** By line: a record's cells or JSON text, as `shown` gives a row. */
  readonly records: ReadonlyMap<number, string>;
};

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed * 2654435761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number from 0, less than `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function pick<T>(random: Random, items: readonly [T, ...T[]]): T {
  return items[below(random, items.length)] ?? items[0];
}

const NAMES = [
  'Acme Ltd',
  'Müller & Söhne',
  'Say "Cheese", Inc',
  '5" Pipes',
  'Łódź; Dom',
  '東京',
  'Two\nlines',
  'A\n\nB "c"\nd,e',
] as const;
const NOTES = ['', 'none', 'a,b;c|d', 'first\nfoo,bar,baz,x,y\nlast', "it's 3\t4", ' spaced '] as const;
const HEADER = ['Ref', 'Legal Name', 'Country', 'Note', 'Volume'];
const ROWS = 30;

function cellsOf(random: Random, n: number): string[] {
  const volume = `${below(random, 10_000)}${pick(random, ['', '.50', ',75'])}`;
  return [`C-${n}`, pick(random, NAMES), pick(random, ['GB', 'DE', 'FR']), pick(random, NOTES), volume];
}

/** A CSV file of five columns; some cells have line breaks, quotes and other delimiters. */
export function csvOriginal(random: Random): Original {
  const delimiter = pick(random, [',', ';', '\t', '|']);
  const isQuotedAll = random() < 0.3;
  const write = (cells: readonly string[]) =>
    cells
      .map((cell) => (isQuotedAll || needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(delimiter);
  const table = Array.from({ length: ROWS }, (_, i) => cellsOf(random, i + 1));
  let line = 2;
  const records = new Map<number, string>();
  for (const cells of table) {
    records.set(line, JSON.stringify(cells));
    line += write(cells).split('\n').length;
  }
  return { text: `${[HEADER, ...table].map(write).join('\n')}\n`, delimiter, records };
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]/.test(cell);
}

/** JSON objects one per line: NDJSON, a list, or a list in an object. */
export function jsonOriginal(random: Random, shape: 'ndjson' | 'list' | 'held'): Original {
  const texts = Array.from({ length: ROWS }, (_, i) => {
    const [ref, name, country, note, volume] = cellsOf(random, i + 1);
    return JSON.stringify({ ref, details: { name }, country, tags: [note, '{"a":[', null], volume });
  });
  const first = shape === 'ndjson' ? 1 : 2;
  const records = new Map(texts.map((text, i) => [first + i, text]));
  const [open, between, close] = {
    ndjson: ['', '\n', '\n'],
    list: ['[\n', ',\n', '\n]\n'],
    held: ['{"count":30,"data":{"items":[\n', ',\n', '\n]},"next":null}\n'],
  }[shape];
  return { text: `${open}${texts.join(between)}${close}`, delimiter: '', records };
}
