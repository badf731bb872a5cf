/** Answers of the sandbox, whole or broken, and the JSON objects that they are made of. */
import { namesOf } from '../lib/json-pointer.ts';

/** What the sandbox answers a request with, or does to its connection instead. */
export type Answer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** The whole length is promised, half of the body is sent, then the connection is closed. */
  | { readonly kind: 'cut'; readonly status: number; readonly body: string }
  /** The connection is closed with a TCP reset. */
  | { readonly kind: 'reset' }
  /** The connection is closed in order, without a byte of an answer. */
  | { readonly kind: 'close' }
  /** Nothing is answered until the sandbox closes. */
  | { readonly kind: 'hang' };

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;
const NO_HEADERS = {} as const;

export function jsonAnswer(status: number, value: unknown): Answer {
  return { kind: 'response', status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** A response with no body, the way a gateway in front of the service answers. */
export function bareAnswer(status: number, headers: Readonly<Record<string, string>> = NO_HEADERS): Answer {
  return { kind: 'response', status, headers, body: '' };
}

/** The shape of error bodies is not documented: this one is the sandbox's own. */
export function errorAnswer(status: number, error: string): Answer {
  return jsonAnswer(status, { error });
}

/** How the answer is counted in the statistics: its status, or what was done instead of one. */
export function labelOf(answer: Answer): string {
  return answer.kind === 'response' ? String(answer.status) : answer.kind;
}

/** A JSON object whose members are not known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Reads the text at the first of the JSON pointers (through objects only) that has any. */
export function textReader(pointers: readonly string[]): (value: unknown) => string | null {
  const paths = pointers.map((pointer) => namesOf(pointer));
  return (value) => {
    for (const path of paths) {
      const found = textAt(value, path);
      if (found !== null) return found;
    }
    return null;
  };
}

function textAt(value: unknown, path: readonly string[]): string | null {
  let at = value;
  for (const step of path) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return null;
    at = at[step];
  }
  return typeof at === 'string' && at !== '' ? at : null;
}

/** Objects are laid over each other member by member; all else (lists, null) stands as sent. */
export function merge(known: Members, sent: Members): Members {
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(sent)) {
    const before = merged.get(name);
    merged.set(name, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  // fromEntries defines own members, so a member called __proto__ stays a member.
  return Object.fromEntries(merged);
}

/** At any depth: `null` is how a caller empties a field, whatever its type. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
