import { tooLarge } from './workbook-error.ts';
import type { XmlHandler } from './workbook-sax.ts';
import { decodeEscapes, gather, MAX_CELL_CHARS } from './workbook-text.ts';
import { readXmlDocument } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';

/** The texts that cells share; `undefined` where there is none of that number, or it can't be a cell's text. */
export type SharedStrings = (index: number) => string | undefined;

const MAX_STRINGS_BYTES = 256 * 1024 ** 2;
const MAX_STRINGS = 8_000_000;

/** UTF-16 takes two bytes where UTF-8 takes up to three. */
const GROWTH = 1.5;

/**
 * Reads the table of shared strings. They lie in one buffer, encoded, and are made into strings when a cell asks:
 * as strings of their own, a million of them would take several times as much.
 */
export async function readSharedStrings(zip: Zip, part: string | null): Promise<SharedStrings> {
  if (part === null || !zip.has(part)) return () => undefined;
  const size = zip.sizeOf(part);
  if (size > MAX_STRINGS_BYTES) throw tooLarge(`its texts have ${size} bytes`);
  const table = createTable(Buffer.allocUnsafeSlow(Math.ceil(size * GROWTH)));
  await readXmlDocument(zip.read(part), stringsHandler(table.add));
  return table.get;
}

function createTable(buffer: Buffer): { add(text: string): void; get: SharedStrings } {
  const ends: number[] = [];
  const unusable = new Set<number>();
  let end = 0;
  return {
    add(text) {
      if (text.length > MAX_CELL_CHARS || !text.isWellFormed()) unusable.add(ends.length);
      else end += buffer.write(text, end);
      if (ends.push(end) > MAX_STRINGS) throw tooLarge(`it holds more than ${MAX_STRINGS} different texts`);
    },
    get(index) {
      const to = ends[index];
      if (to === undefined || unusable.has(index)) return undefined;
      return buffer.toString('utf8', ends[index - 1] ?? 0, to);
    },
  };
}

/** Rich text is the text of its runs; phonetic runs say how the text is pronounced and are no part of it. */
function stringsHandler(add: (text: string) => void): XmlHandler {
  let text: string | null = null;
  let inText = false;
  let inPhonetic = false;
  return {
    open(name) {
      if (name === 'si') text = '';
      if (name === 'rPh') inPhonetic = true;
      if (name === 't') inText = true;
    },
    text(piece) {
      if (text !== null && inText && !inPhonetic) text = gather(text, piece);
    },
    close(name) {
      if (name === 't') inText = false;
      if (name === 'rPh') inPhonetic = false;
      if (name === 'si' && text !== null) {
        add(decodeEscapes(text));
        text = null;
      }
    },
  };
}
