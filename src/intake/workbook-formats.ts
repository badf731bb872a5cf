import type { XmlHandler } from './workbook-sax.ts';
import { readXmlDocument } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';

/** What a number is shown as: itself, a date with or without a time, a time of day, or hours counted beyond 24. */
export type NumberKind = 'number' | 'date' | 'time' | 'duration';

/** What the cells of a style are shown as, by the style's number; `undefined` where there is no such style. */
export type StyleKinds = (style: number) => NumberKind | undefined;

/** Formats that every program knows by their number (ECMA-376 part 1, 18.8.30); 27 to 36 and 50 to 58 are dates of East Asian editions. */
const BUILT_IN: ReadonlyMap<number, NumberKind> = new Map([
  ...numbers(14, 17, 'date'),
  ...numbers(18, 21, 'time'),
  ...numbers(22, 22, 'date'),
  ...numbers(27, 31, 'date'),
  ...numbers(32, 35, 'time'),
  ...numbers(36, 36, 'date'),
  ...numbers(45, 45, 'time'),
  ...numbers(46, 46, 'duration'),
  ...numbers(47, 47, 'time'),
  ...numbers(50, 58, 'date'),
]);

function numbers(from: number, to: number, kind: NumberKind): readonly (readonly [number, NumberKind])[] {
  return Array.from({ length: to - from + 1 }, (_, i) => [from + i, kind]);
}

/** Reads which styles show a number as a date; without a part of styles every number is one. */
export async function readStyleKinds(zip: Zip, part: string | null): Promise<StyleKinds> {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  if (part === null || !zip.has(part)) return () => 'number';
  await readXmlDocument(zip.read(part), stylesHandler(codes, styles));
  const kinds = styles.map((format) => {
    const code = codes.get(format);
    return code === undefined ? (BUILT_IN.get(format) ?? 'number') : kindOfCode(code);
  });
  return (style) => (style === 0 && kinds.length === 0 ? 'number' : kinds[style]);
}

function stylesHandler(codes: Map<number, string>, styles: number[]): XmlHandler {
  let inCellStyles = false;
  return {
    open(name, attributes) {
      const format = Number(attributes.get('numFmtId') ?? 0);
      if (name === 'cellXfs') inCellStyles = true;
      if (name === 'numFmt') codes.set(format, attributes.get('formatCode') ?? '');
      if (name === 'xf' && inCellStyles) styles.push(format);
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  };
}

const QUOTED = /"[^"]*"|\\.|[_*]./gs;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const BRACKETS = /\[[^\]]*\]/g;

/** What a format code shows a number as, by the letters that are left of its first section without quotes, colours and conditions. */
export function kindOfCode(code: string): NumberKind {
  const [section = ''] = code.replaceAll(QUOTED, '').split(';');
  if (ELAPSED.test(section)) return 'duration';
  const letters = section.replaceAll(BRACKETS, '').replaceAll(/general|am\/pm|a\/p/gi, '');
  if (/[yd]/i.test(letters)) return 'date';
  if (/[hs]/i.test(letters)) return 'time';
  return /m/i.test(letters) ? 'date' : 'number';
}
