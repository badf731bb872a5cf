import type { JsonObject } from '../model/request.ts';
import { type Member, membersOf } from './json-scan.ts';

/**
 * The JSON object with one more member before its closing brace, on one line, and without an older member of that name.
 * All else stays as it is written: numbers, escapes, order, spaces. A line break between two tokens becomes a space.
 */
export function spliceMember(text: string, name: string, value: JsonObject): string {
  const rest = withoutMember(oneLine(text), name);
  const brace = rest.lastIndexOf('}');
  const comma = membersOf(rest).length === 0 ? '' : ',';
  return `${rest.slice(0, brace)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${rest.slice(brace)}`;
}

/** JSON text without line breaks, so that it can stand in a file of one record per line: in strings they are escaped anyway. */
export function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ');
}

function withoutMember(text: string, name: string): string {
  const members = membersOf(text);
  const at = members.findIndex((member) => member.name === name);
  const member = members[at];
  if (member === undefined) return text;
  return withoutMember(cut(text, member, members[at + 1]), name);
}

/** Takes one comma with the member: the one before it, or, where it is the first, the one after it. */
function cut(text: string, member: Member, next: Member | undefined): string {
  const start = member.comma ?? member.start;
  const commaAfter = next?.comma ?? null;
  const end = member.comma === null && commaAfter !== null ? commaAfter + 1 : member.end;
  return text.slice(0, start) + text.slice(end);
}
