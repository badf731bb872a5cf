import { Parser } from 'saxen';
import { decodeEntities, xmlLines, xmlText } from './workbook-entities.ts';
import { damaged } from './workbook-error.ts';

/** Takes the parts of an XML document in their order; element names come without their prefix. */
export type XmlHandler = {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
};

/** The attributes of the element that is being opened, entities decoded. */
export type Attributes = {
  get(name: string): string | undefined;
  /** Whatever prefix the document gives its namespace. */
  getPrefixed(localName: string): string | undefined;
};

/** The longest tag or text: a full cell whose every character is escaped takes half of it. */
const MAX_TOKEN_CHARS = 512 * 1024;
/** Sheets nest eight deep. */
const MAX_DEPTH = 64;

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

/** What saxen would pass over in silence. */
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
    if (depth > MAX_DEPTH) throw damaged('its XML is nested too deep');
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
