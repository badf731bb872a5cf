/**
 * XML as workbooks use it, read piece by piece. Refused, beside what is not well-formed: a document
 * type, an encoding other than Unicode, nesting too deep, and a text longer than any cell.
 */
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { damaged } from './error.ts';

export type Attributes = Readonly<Record<string, string>>;

export type XmlHandler = {
  open(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Yields after each block, once its parts went to the handler. */
export async function* readXml(
  blocks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<void, void, undefined> {
  const parser = createXmlParser(handler);
  for await (const text of readXmlText(blocks)) {
    parser.write(text);
    yield;
  }
  parser.close();
  yield;
}

export async function readXmlDocument(blocks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(blocks, handler)) {
    // The handler takes the parts.
  }
}

export async function* readXmlText(blocks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | null = null;
  for await (const block of blocks) {
    decoder ??= decoderFor(block);
    yield decode(decoder, block);
  }
  if (decoder !== null) yield decode(decoder, null);
}

/** UTF-8 unless its byte order mark says UTF-16 (XML 1.0, section 4.3.3). */
function decoderFor(block: Buffer): TextDecoder {
  const mark = block.subarray(0, 2).toString('hex');
  return new TextDecoder(BYTE_ORDERS[mark] ?? 'utf-8', { fatal: true });
}

const BYTE_ORDERS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

function decode(decoder: TextDecoder, block: Buffer | null): string {
  try {
    return block === null ? decoder.decode() : decoder.decode(block, { stream: true });
  } catch (error) {
    throw damaged('its XML is not encoded as it says', error);
  }
}

function createXmlParser(handler: XmlHandler): { write(text: string): void; close(): void } {
  const parser = new SaxesParser();
  let tags = 0;
  let depth = 0;
  let waiting = 0; // characters since the last tag: the parser may hold all of them
  parser.on('error', (error) => {
    throw damaged('its XML is not well-formed', error);
  });
  parser.on('doctype', () => {
    throw damaged('its XML defines entities of its own');
  });
  parser.on('xmldecl', ({ encoding }) => checkEncoding(encoding));
  parser.on('opentag', ({ name, attributes }) => {
    tags += 1;
    depth += 1;
    if (depth > MAX_XML_DEPTH) throw damaged('its XML is nested too deep');
    handler.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    tags += 1;
    depth -= 1;
    handler.close?.(localName(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  return {
    write(text) {
      const before = tags;
      parser.write(text);
      waiting = tags === before ? waiting + text.length : 0;
      if (waiting > MAX_TOKEN_CHARS) throw damaged('its XML holds a text that is longer than any cell');
    },
    close: () => parser.close(),
  };
}

/** Of a tag or text; a full cell whose every character is escaped takes half of it. */
const MAX_TOKEN_CHARS = 512 * 1024;

/** Sheets nest eight deep. */
const MAX_XML_DEPTH = 64;

function checkEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && !/^(?:utf-?8|utf-?16(?:le|be)?|us-ascii)$/i.test(encoding)) {
    throw damaged(`its XML is encoded as ${encoding.slice(0, 40)}, which no Excel writes`);
  }
}

export function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}
