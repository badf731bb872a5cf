/**
 * Changes or cuts JSON text in place: a record goes back to the partner as it was written, with its
 * numbers, escapes and order, which `JSON.parse` would not keep. The texts are valid JSON.
 */
import type { JsonObject } from '../model/request.ts';

/** The object on one line with one more member at its end, without older ones of that name. */
export function spliceMember(text: string, name: string, value: JsonObject): string {
  const rest = withoutMember(oneLine(text), name);
  const brace = rest.lastIndexOf('}');
  const comma = itemsIn(rest).length === 0 ? '' : ',';
  return `${rest.slice(0, brace)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${rest.slice(brace)}`;
}

/** Line breaks in strings are escaped anyway. */
export function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ');
}

export function elementsOf(text: string): readonly string[] {
  return itemsIn(text).map(({ start, end }) => text.slice(start, end));
}

function withoutMember(text: string, name: string): string {
  const items = itemsIn(text);
  const at = items.findIndex(({ start }) => nameAt(text, start) === name);
  const member = items[at];
  if (member === undefined) return text;
  // With the comma before it, or for the first member the one after it.
  const start = member.comma ?? member.start;
  const commaAfter = items[at + 1]?.comma ?? null;
  const end = member.comma === null && commaAfter !== null ? commaAfter + 1 : member.end;
  return withoutMember(text.slice(0, start) + text.slice(end), name);
}

function nameAt(text: string, start: number): unknown {
  return JSON.parse(text.slice(start, endOfString(text, start)));
}

/** A member or element, from `start` up to, without, `end`. */
type Item = {
  readonly start: number;
  readonly end: number;
  /** Where the comma before it is, `null` for the first. */
  readonly comma: number | null;
};

const DEEPER: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

function itemsIn(text: string): readonly Item[] {
  const items: Item[] = [];
  let depth = 0;
  let comma: number | null = null;
  let start: number | null = null;
  let last = 0;
  for (const { sign, at, end } of signsOf(text)) {
    const deeper = DEEPER.get(sign) ?? 0;
    const level = Math.min(depth, depth + deeper);
    if (level === 0 || (level === 1 && sign === ',')) {
      if (start !== null) items.push({ start, end: last, comma });
      start = null;
      if (level === 1) comma = at;
    } else start ??= at;
    depth += deeper;
    last = end;
  }
  return items;
}

/** A string counts as one, by its quote. */
function* signsOf(text: string) {
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign.trim() === '') continue;
    const end = sign === '"' ? endOfString(text, at) : at + 1;
    yield { sign, at, end };
    at = end - 1;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
