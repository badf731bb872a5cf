/** What the sandbox does to a request's connection in the end. */
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

/** A response with a JSON body. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return { kind: 'response', status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** A response with no body, the way a gateway in front of the service answers. */
export function bareAnswer(status: number, headers: Readonly<Record<string, string>> = NO_HEADERS): Answer {
  return { kind: 'response', status, headers, body: '' };
}

/** A refusal in words. The shape of error bodies is not shown in service-api.md: this one is the sandbox's own. */
export function errorAnswer(status: number, error: string): Answer {
  return jsonAnswer(status, { error });
}

/** How the answer is counted in the statistics: its status, or what was done instead of one. */
export function labelOf(answer: Answer): string {
  return answer.kind === 'response' ? String(answer.status) : answer.kind;
}
