/**
 * XML as workbooks use it, read piece by piece: elements without their prefixes, text with its entities decoded. A
 * document that isn't well-formed, has a DTD, nests too deep or holds a text longer than any cell is refused.
 */
import { TextDecoder } from 'node:util';
import { Parser } from 'saxen';
import { damaged } from './error.ts';

/** Hands an XML document's parts to the handler, pausing after each block; WorkbookError where it is not well-formed or has a DTD. */
export async function* readXml(
  blocks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<void, void, undefined> {
  const parser = createXmlParser(handler);
  for await (const text of readXmlText(blocks)) {
    parser.write(text);
    yield;
  }
  parser.end();
  yield;
}

export async function* readXmlText(blocks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | null = null;
  for await (const block of blocks) {
    decoder ??= decoderFor(block);
    yield decode(decoder, block);
  }
  if (decoder !== null) yield decode(decoder, null);
}

export async function readXmlDocument(blocks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(blocks, handler)) {
    // The handler takes the parts.
  }
}

/** XML is UTF-8 unless its byte order mark says UTF-16 (XML 1.0, section 4.3.3). */
function decoderFor(block: Buffer): TextDecoder {
  const mark = block.subarray(0, 2).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

function decode(decoder: TextDecoder, block: Buffer | null): string {
  try {
    return block === null ? decoder.decode() : decoder.decode(block, { stream: true });
  } catch (error) {
    throw damaged('its XML is not encoded as it says', error);
  }
}

export type XmlHandler = {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
};

export type Attributes = {
  get(name: string): string | undefined;
  /** The attribute with a namespace, whatever prefix the document gives that. */
  getPrefixed(localName: string): string | undefined;
};

/** An XML parser that takes a document piece by piece and keeps no more of it than one tag or text. */
export function createXmlParser(handler: XmlHandler): { write(text: string): void; end(): void } {
  const parser = new Parser();
  refuseUnsafe(parser);
  let waiting = 0; // characters since the last event: saxen holds them and goes through them again
  const seen =
    (then: (text: string) => void = () => {}) =>
    (text: string) => {
      waiting = 0;
      then(text);
    };
  bindHandler(parser, handler, seen);
  return {
    write(text) {
      waiting += text.length;
      parser.write(text);
      if (waiting > MAX_TOKEN_CHARS) throw damaged('its XML holds a text that is longer than any cell');
    },
    end: () => parser.end(),
  };
}

/** The longest tag or text: a full cell whose every character is escaped takes half of it. */
const MAX_TOKEN_CHARS = 512 * 1024;

/** The deepest nesting that is read; sheets nest eight deep. */
const MAX_XML_DEPTH = 64;

function refuseUnsafe(parser: Parser): void {
  const fail = (error: Error) => {
    throw damaged('its XML is not well-formed', error);
  };
  parser.on('error', fail).on('warn', fail);
  parser.on('attention', () => {
    throw damaged('its XML defines entities of its own');
  });
}

type Seen = (then?: (text: string) => void) => (text: string) => void;

function bindHandler(parser: Parser, handler: XmlHandler, seen: Seen): void {
  let depth = 0;
  const noteSeen = seen();
  parser.on('openTag', (name, attributes) => {
    noteSeen('');
    depth += 1;
    if (depth > MAX_XML_DEPTH) throw damaged('its XML is nested too deep');
    handler.open(localName(name), attributesOf(attributes));
  });
  const close = (name: string) => {
    depth -= 1;
    handler.close(localName(name));
  };
  parser.on('closeTag', seen(close));
  parser.on(
    'text',
    seen((text) => handler.text(xmlText(text))),
  );
  parser.on(
    'cdata',
    seen((text) => handler.text(xmlLines(text))),
  );
  parser.on('comment', noteSeen);
  parser.on('question', seen(checkEncoding));
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

function attributesOf(read: () => Readonly<Record<string, string>>): Attributes {
  const decoded = (value: string | undefined) => (value === undefined ? undefined : decodeEntities(value));
  return {
    get: (name) => decoded(read()[name]),
    getPrefixed: (local) => decoded(Object.entries(read()).find(([name]) => localName(name) === local)?.[1]),
  };
}

function checkEncoding(declaration: string): void {
  const encoding = /^<\?xml\s[^>]*?encoding=["']([^"']*)["']/.exec(declaration)?.[1];
  if (encoding !== undefined && !/^(?:utf-?8|utf-?16(?:le|be)?|us-ascii)$/i.test(encoding)) {
    throw damaged(`its XML is encoded as ${encoding.slice(0, 40)}, which no Excel writes`);
  }
}

function xmlText(raw: string): string {
  return decodeEntities(xmlLines(raw));
}

/** CR LF and CR are LF unless written as entities (XML 1.0, section 2.11). */
function xmlLines(raw: string): string {
  return raw.includes('\r') ? raw.replaceAll(/\r\n?/g, '\n') : raw;
}

/** Decodes what XML itself defines; saxen's own decoder cuts characters beyond U+FFFF and lets others stand. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([\dA-Fa-f]{1,6})|#(\d{1,7})|(\w{1,32}));|&/g, (_, hex, decimal, name) => {
    const decoded = name === undefined ? fromCode(hex, decimal) : NAMED.get(String(name));
    if (decoded === undefined) throw damaged('it uses an entity that XML does not define');
    return decoded;
  });
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function fromCode(hex: unknown, decimal: unknown): string | undefined {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
  return isXmlChar(code) ? String.fromCodePoint(code) : undefined;
}

function isXmlChar(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/** The most that a cell of a workbook holds, in characters (Excel's specifications and limits). */
export const MAX_CELL_CHARS = 32_767;

/** The longest text that is gathered: a full cell whose every character is escaped as `_x000D_`. */
const MAX_RAW_CHARS = 7 * MAX_CELL_CHARS;

/** Decodes `_xHHHH_`, by which workbooks write characters that XML can't (ECMA-376 part 1, 22.9.2.19, ST_Xstring). */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(String(hex), 16)),
  );
}

export function gather(text: string, piece: string): string {
  return text.length > MAX_RAW_CHARS ? text : text + piece;
}
