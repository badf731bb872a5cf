/**
 * A job definition that is changed on the page: which of its settings stand as in the file, and
 * what differs between two texts. Compared is what they say, not how it is written. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../lib/usage-error.ts';
import { flattenRecord, memberOf, parseRecord } from '../model/json-record.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { JobDefinition } from './job-definition.ts';
import type { JobProblem } from './job-problems.ts';
import { readDocument } from './yaml-document.ts';

/**
 * How rows are read, mapped and sent, and when. All else stands: `decrypt` is a command beside the
 * service's token, a path reaches files, `keyForm` makes other keys one, which no look at old files
 * shows, and the rest decides who looks before something is sent.
 */
const CHANGEABLE: ReadonlySet<string> = new Set([
  'key',
  'format',
  'fields',
  'rules',
  'ignore',
  'group',
  'required',
  'emptyCell',
  'onKnownKey',
  'delivery',
  'send',
  'stopAfter',
  'window',
  'schedule',
] satisfies (keyof JobDefinition)[]);

/** What it promises lets a create go again. */
const NOT_EXECUTED = 'send.notExecuted';

/** The settings as they are written; a UsageError where the text is no YAML of them. */
export function writtenIn(text: string): JsonObject {
  const read = readDocument(text);
  const written = read.kind === 'document' ? parseRecord(JSON.stringify(read.value)) : null;
  if (written !== null) return written;
  throw new UsageError("The job's text can't be read as settings: correct it in the jobs folder.");
}

/** By their names, in the order of the text. */
export function lockedSettings(written: JsonObject): ReadonlyMap<string, JsonValue> {
  const locked = new Map(Object.entries(written).filter(([name]) => !CHANGEABLE.has(name)));
  const notExecuted = memberOf(written.send, 'notExecuted');
  if (notExecuted !== undefined) locked.set(NOT_EXECUTED, notExecuted);
  return locked;
}

export function lockedProblems(before: JsonObject, after: JsonObject): readonly JobProblem[] {
  const [stands, wanted] = [lockedSettings(before), lockedSettings(after)];
  const names = new Set([...stands.keys(), ...wanted.keys()]);
  const differing = [...names].filter((name) => !isDeepStrictEqual(stands.get(name), wanted.get(name)));
  return differing.map((name) => ({
    path: name === NOT_EXECUTED ? name.split('.') : [name],
    words: () => lockedWords(stands.get(name)),
  }));
}

function lockedWords(stands: JsonValue | undefined): string {
  const expected = stands === undefined ? 'none, as in the file' : JSON.stringify(stands);
  return `the page can't change this: expected ${expected}. It is changed in the jobs folder`;
}

/** `null`: it isn't there. */
export type SettingChange = {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
};

export function changesBetween(before: string, after: string): readonly SettingChange[] {
  const [was, is] = [before, after].map((text) => flattenRecord(writtenIn(text)));
  const shown = (value: JsonValue | undefined) => (value === undefined ? null : JSON.stringify(value));
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])]
    .map((setting) => ({ setting, before: shown(was?.get(setting)), after: shown(is?.get(setting)) }))
    .filter((change) => change.before !== change.after);
}
