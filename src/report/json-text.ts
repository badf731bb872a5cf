/**
 * JSON text that is changed or cut where it stands: a record goes back to the partner as it was
 * written, numbers, escapes and order included, which `JSON.parse` would not keep.
 */
import type { JsonObject } from '../model/request.ts';

/** The object on one line with one more member at its end, and without an older one of that name. */
export function spliceMember(text: string, name: string, value: JsonObject): string {
  const rest = withoutMember(oneLine(text), name);
  const brace = rest.lastIndexOf('}');
  const comma = membersOf(rest).length === 0 ? '' : ',';
  return `${rest.slice(0, brace)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${rest.slice(brace)}`;
}

/** Without line breaks between tokens: in strings they are escaped anyway. */
export function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ');
}

/** The places of the elements in a text that is one JSON array; throws on any other text. */
export function elementsOf(text: string): readonly Span[] {
  const elements: Span[] = [];
  readList(text, ['[', ']'], (start) => {
    const end = endOfValue(text, start);
    elements.push({ start, end });
    return end;
  });
  return elements;
}

function withoutMember(text: string, name: string): string {
  const members = membersOf(text);
  const at = members.findIndex((member) => member.name === name);
  const member = members[at];
  if (member === undefined) return text;
  return withoutMember(cut(text, member, members[at + 1]), name);
}

/** Without the member and the comma before it, or for the first member the one after it. */
function cut(text: string, member: Member, next: Member | undefined): string {
  const start = member.comma ?? member.start;
  const commaAfter = next?.comma ?? null;
  const end = member.comma === null && commaAfter !== null ? commaAfter + 1 : member.end;
  return text.slice(0, start) + text.slice(end);
}

/** Where something stands in a text: from `start` up to, without, `end`. */
type Span = { readonly start: number; readonly end: number };

/** A member of an object; `comma` is the place of the comma before it, `null` for the first. */
type Member = Span & { readonly name: string; readonly comma: number | null };

/** The places of the members in a text that is one JSON object; throws on any other text. */
function membersOf(text: string): readonly Member[] {
  const members: Member[] = [];
  readList(text, ['{', '}'], (start, comma) => {
    const nameEnd = endOfString(text, start);
    const colon = skipSpace(text, nameEnd);
    if (text[colon] !== ':') throw notJson(':', colon);
    const end = endOfValue(text, skipSpace(text, colon + 1));
    members.push({ name: String(JSON.parse(text.slice(start, nameEnd))), start, end, comma });
    return end;
  });
  return members;
}

/** Reads the item that starts at `start` and answers the place after it. */
type ReadItem = (start: number, comma: number | null) => number;

function readList(text: string, [open, close]: readonly [string, string], readItem: ReadItem): void {
  let at = skipSpace(text, 0);
  if (text[at] !== open) throw notJson(open, at);
  at = skipSpace(text, at + 1);
  if (text[at] === close) return;
  for (let comma: number | null = null; ; at = skipSpace(text, comma + 1)) {
    at = skipSpace(text, readItem(at, comma));
    if (text[at] === close) return;
    if (text[at] !== ',') throw notJson(`, or ${close}`, at);
    comma = at;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOfString(text, start);
  return first === '{' || first === '[' ? endOfNested(text, start) : endOfScalar(text, start);
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const c = text[at];
    if (c === '"') at = endOfString(text, at) - 1;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw notJson('} or ]', text.length);
}

function endOfString(text: string, start: number): number {
  if (text[start] !== '"') throw notJson('"', start);
  for (let at = start + 1; at < text.length; at += 1) {
    const c = text[at];
    if (c === '\\') at += 1;
    else if (c === '"') return at + 1;
  }
  throw notJson('"', text.length);
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (!AFTER_SCALAR.has(text.charAt(at))) at += 1;
  if (at === start) throw notJson('a value', at);
  return at;
}

/** Everything that ends a number, `true`, `false` or `null`. */
const AFTER_SCALAR = new Set([',', '}', ']', ' ', '\t', '\n', '\r', '']);

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

/** A bug of the caller. The message has no part of the text, which is personal data. */
function notJson(expected: string, at: number): Error {
  return new Error(`the text is not the JSON that was expected: no ${expected} at character ${at}`);
}
