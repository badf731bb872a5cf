/** Answers of the sandbox, whole or broken, and the JSON objects that they are made of. */

export type Answer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Half of the body is sent, then the connection is closed. */
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

/** Without a body, as a gateway answers. */
export function bareAnswer(status: number, headers: Readonly<Record<string, string>> = NO_HEADERS): Answer {
  return { kind: 'response', status, headers, body: '' };
}

/** A shape of the sandbox's own: none is documented. */
export function errorAnswer(status: number, error: string): Answer {
  return jsonAnswer(status, { error });
}

/** In the statistics. */
export function labelOf(answer: Answer): string {
  return answer.kind === 'response' ? String(answer.status) : answer.kind;
}

/** Call (or `unknown`) → status, or reset, close, hang or cut → requests. */
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export type AnswerCounts = {
  add(route: string, label: string): void;
  all(): Counts;
};

export function createAnswerCounts(): AnswerCounts {
  const routes = new Map<string, Map<string, number>>();
  return {
    add(route, label) {
      const labels = routes.get(route) ?? new Map<string, number>();
      labels.set(label, (labels.get(label) ?? 0) + 1);
      routes.set(route, labels);
    },
    all: () => Object.fromEntries([...routes].map(([route, labels]) => [route, Object.fromEntries(labels)])),
  };
}

export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Lists and null stand as sent. */
export function merge(known: Members, sent: Members): Members {
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(sent)) {
    const before = merged.get(name);
    merged.set(name, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  // fromEntries defines own members, so a member called __proto__ stays a member.
  return Object.fromEntries(merged);
}

/** `null` is how a caller empties a field of any type. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
