import { damaged } from './workbook-error.ts';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Text of an XML document with its line ends made one (XML 1.0, section 2.11) and its entities decoded. */
export function xmlText(raw: string): string {
  return decodeEntities(xmlLines(raw));
}

/** CR LF and CR are LF unless written as entities (XML 1.0, section 2.11). */
export function xmlLines(raw: string): string {
  return raw.includes('\r') ? raw.replaceAll(/\r\n?/g, '\n') : raw;
}

/** Decodes what XML itself defines; saxen's own decoder cuts characters beyond U+FFFF and lets others stand. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([\dA-Fa-f]{1,6})|#(\d{1,7})|(\w{1,32}));|&/g, (_, hex, decimal, name) => {
    const decoded = name === undefined ? fromCode(hex, decimal) : NAMED.get(String(name));
    if (decoded === undefined) throw damaged('it uses an entity that XML does not define');
    return decoded;
  });
}

function fromCode(hex: unknown, decimal: unknown): string | undefined {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
  return isXmlChar(code) ? String.fromCodePoint(code) : undefined;
}

/** XML 1.0, section 2.2. */
function isXmlChar(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
