import { gzipSync } from 'node:zlib';
import { below, type Original, pick, type Random } from './originals.ts';

/** What a damage makes of a file. */
export type Broken = {
  readonly bytes: Buffer;
  /** Lines of records that the damage may have turned into other readable ones. */
  readonly touched: readonly number[];
  /** The damage can't be told from what the file might say, or takes it all: rows aren't compared. */
  readonly isOther?: boolean;
  /** The file has to be refused as a whole. */
  readonly isRefused?: boolean;
};

export type Damage = (original: Original, random: Random) => Broken;

/** The line that the character at an index of the text is on, and the record that starts there or above it. */
export function recordAt({ text, records }: Original, index: number): number {
  const line = text.slice(0, index).split('\n').length;
  return Math.max(0, ...[...records.keys()].filter((start) => start <= line));
}

/** An index below the header. */
export function anywhere({ text }: Original, random: Random): number {
  const first = text.indexOf('\n') + 1;
  return first + below(random, text.length - first - 1);
}

/** Puts something in the place of so many characters; the record there is touched. */
export function splice(original: Original, at: number, put: string, drop = 0): Broken {
  const { text } = original;
  return {
    bytes: Buffer.from(text.slice(0, at) + put + text.slice(at + drop)),
    touched: [recordAt(original, at)],
  };
}

/** One of the places where the text has that sign, below the header. */
export function placeOf(original: Original, random: Random, sign: string): number {
  const from = anywhere(original, random);
  const at = original.text.indexOf(sign, from);
  return at === -1 ? original.text.lastIndexOf(sign) : at;
}

const OTHER_TABLE = 'ref,amount,currency\nR-1,5,GBP\nR-2,6,EUR\n';

/** The index after some record, below the header. */
function afterRecord({ text, records }: Original, random: Random): number {
  const starts = [...records.keys()];
  const line = starts[1 + below(random, starts.length - 1)] ?? 3;
  return (
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + 1
  );
}

function bytesInto(original: Original, at: number, put: readonly number[]): Broken {
  const { text } = original;
  const bytes = Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from(put),
    Buffer.from(text.slice(at)),
  ]);
  return { bytes, touched: [recordAt(original, at)] };
}

function otherSign(delimiter: string): string {
  return delimiter === ';' ? ',' : ';';
}

/** Damages of CSV files, by name. */
export const CSV_DAMAGES: Readonly<Record<string, Damage>> = {
  'cut off at a byte': (original, random) => {
    const at = anywhere(original, random);
    return {
      bytes: Buffer.from(original.text).subarray(0, Buffer.byteLength(original.text.slice(0, at)) + 1),
      touched: [recordAt(original, at)],
    };
  },
  'a quote too many': (original, random) => splice(original, anywhere(original, random), '"'),
  'two quotes too many': (original, random) => {
    const { text } = original;
    const [a, b] = [anywhere(original, random), anywhere(original, random)].sort((x, y) => x - y);
    const bytes = Buffer.from(`${text.slice(0, a)}"${text.slice(a, b)}"${text.slice(b)}`);
    // Whatever stands between the two may well have become one cell.
    return { bytes, touched: [recordAt(original, a ?? 0), recordAt(original, b ?? 0)] };
  },
  'a quote missing': (original, random) => splice(original, placeOf(original, random, '"'), '', 1),
  'single quotes for double ones': ({ text }) => ({
    bytes: Buffer.from(text.replaceAll('"', "'")),
    touched: [],
    isOther: true,
  }),
  'quotes escaped by a backslash': (original, random) => {
    const at = original.text.indexOf('""', anywhere(original, random));
    return at === -1
      ? splice(original, placeOf(original, random, '"'), '\\"', 1)
      : splice(original, at, '\\"', 2);
  },
  'a separator too many': (original, random) =>
    splice(original, anywhere(original, random), original.delimiter),
  'a separator missing': (original, random) =>
    splice(original, placeOf(original, random, original.delimiter), '', 1),
  'another delimiter from some row on': (original, random) => {
    const { text, delimiter } = original;
    const at = afterRecord(original, random);
    const after = text.slice(at).replaceAll(delimiter, otherSign(delimiter));
    return { bytes: Buffer.from(text.slice(0, at) + after), touched: [] };
  },
  'a line end missing': (original, random) => splice(original, placeOf(original, random, '\n'), '', 1),
  'a line end too many': (original, random) => splice(original, anywhere(original, random), '\n'),
  'a line end that is a CR': (original, random) => splice(original, placeOf(original, random, '\n'), '\r', 1),
  'a NUL byte': (original, random) => ({
    ...splice(original, anywhere(original, random), '\0'),
    isRefused: true,
  }),
  'bytes that are no UTF-8': (original, random) =>
    bytesInto(
      original,
      anywhere(original, random),
      pick(random, [[0xff], [0xc3], [0xe2, 0x82], [0xc0, 0x80]]),
    ),
  'half a surrogate': (original, random) =>
    bytesInto(original, anywhere(original, random), [0xed, 0xa0, 0x80]),
  'half of it in another encoding': (original, random) => {
    const at = afterRecord(original, random);
    const from = recordAt(original, at);
    const bytes = Buffer.concat([
      Buffer.from(original.text.slice(0, at)),
      Buffer.from(original.text.slice(at), 'latin1'),
    ]);
    return { bytes, touched: [...original.records.keys()].filter((line) => line >= from) };
  },
  'a second table': (original, random) => {
    const at = afterRecord(original, random);
    const table = OTHER_TABLE.replaceAll(',', original.delimiter);
    const bytes = Buffer.from(
      `${original.text.slice(0, at)}${pick(random, ['', '\n'])}${table}${original.text.slice(at)}`,
    );
    return { bytes, touched: [] };
  },
  'title lines': ({ text }, random) => ({
    bytes: Buffer.from(`Portfolio\n${pick(random, ['', '\n', '2026-01-01\n'])}${text}`),
    touched: [],
    isRefused: true,
  }),
  'a column twice': ({ text }) => ({
    bytes: Buffer.from(text.replace('Country', 'Ref')),
    touched: [],
  }),
  'a prototype for a column': ({ text }) => ({
    bytes: Buffer.from(text.replace('Country', '__proto__')),
    touched: [],
    isRefused: true,
  }),
  'a huge line': (original, random) => splice(original, anywhere(original, random), 'x'.repeat(1_100_000)),
  'a huge cell without end': (original, random) => ({
    bytes: Buffer.from(`${original.text.slice(0, afterRecord(original, random))}"${'x\n'.repeat(600_000)}`),
    touched: [],
    isRefused: true,
  }),
  'a shuffled block': (original, random) => {
    const { text } = original;
    const at = anywhere(original, random);
    return {
      bytes: Buffer.from(
        text.slice(0, at) + [...text.slice(at, at + 60)].reverse().join('') + text.slice(at + 60),
      ),
      touched: [],
      isOther: true,
    };
  },
  'nothing but bytes': (_, random) => ({
    bytes: Buffer.from(Array.from({ length: 3000 }, () => below(random, 256))),
    touched: [],
    isOther: true,
  }),
  'a compressed file cut off': ({ text }, random) => {
    const whole = gzipSync(text);
    return { bytes: whole.subarray(0, 10 + below(random, whole.length - 12)), touched: [], isRefused: true };
  },
  'a compressed file with a byte changed': ({ text }, random) => {
    const bytes = gzipSync(text);
    const at = 20 + below(random, bytes.length - 30);
    bytes[at] = (bytes[at] ?? 0) ^ 0x55;
    return { bytes, touched: [], isRefused: true };
  },
};
