/**
 * The language of faults: `429=5%`, `reset-before=every:3`, `latency=50ms`. Anything else is a
 * UsageError that says what was expected.
 */
import { didYouMean } from '../lib/did-you-mean.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Answer, bareAnswer, errorAnswer, isObject } from './answer.ts';
import { SANDBOX_CALLS, type SandboxCall } from './received.ts';

type Whole = Extract<Answer, { kind: 'response' }>;
type Headers = Whole['headers'];

const ASKED = 'a fault that was asked for';

/** Before anything is carried out: nothing is made. */
const BEFORE: ReadonlyMap<string, (retryAfter: Headers) => Answer> = new Map([
  ['503', () => bareAnswer(503)],
  ['503-retry-after', (retryAfter: Headers) => bareAnswer(503, retryAfter)],
  ['429', (retryAfter: Headers) => bareAnswer(429, retryAfter)],
  ['429-reset', () => bareAnswer(429, limitReset())],
  ['403-retry-after', (retryAfter: Headers) => bareAnswer(403, retryAfter)],
  ['500', () => errorAnswer(500, ASKED)],
  ['401', () => errorAnswer(401, ASKED)],
  ['403', () => errorAnswer(403, ASKED)],
  ['404', () => errorAnswer(404, ASKED)],
  ['reset-before', (): Answer => ({ kind: 'close' })],
  ['hang-before', (): Answer => ({ kind: 'hang' })],
]);

/** Nothing is left in this second, and all again in the next. */
function limitReset(): Headers {
  return {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1',
  };
}

/** In the place of the answer alone: the request has been carried out. */
const AFTER: ReadonlyMap<string, (answer: Whole) => Answer> = new Map([
  ['303-after-create', () => bareAnswer(303, { location: '/' })],
  ['503-after-create', () => bareAnswer(503)],
  ['500-after-create', () => errorAnswer(500, ASKED)],
  ['reset-after-create', (): Answer => ({ kind: 'reset' })],
  ['hang', (): Answer => ({ kind: 'hang' })],
  ['cut-answer', ({ status, body }: Whole): Answer => ({ kind: 'cut', status, body })],
  ['not-json', notJson],
  ['no-id', (answer: Whole) => ({ ...answer, body: bodyWithoutId(answer.body) })],
]);

function notJson(answer: Whole): Answer {
  const headers = { 'content-type': 'text/html' };
  return { ...answer, headers, body: '<html><body>OK</body></html>' };
}

function bodyWithoutId(body: string): string {
  return JSON.stringify(withoutId(JSON.parse(body)));
}

function withoutId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutId);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
}

const FAULT_NAMES = ['latency', ...BEFORE.keys(), ...AFTER.keys()];

export type When =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'every'; readonly n: number }
  | { readonly kind: 'first'; readonly n: number }
  | { readonly kind: 'always' };

type Aim = {
  readonly when: When;
  readonly keyPrefix: string;
  /** `null`: any. */
  readonly call: SandboxCall | null;
};

type LatencyRule = Aim & {
  readonly kind: 'latency';
  readonly name: 'latency';
  readonly ms: number;
  /** The wait is spread evenly over `ms - spreadMs` to `ms + spreadMs`. */
  readonly spreadMs: number;
};
type BeforeRule = Aim & { readonly kind: 'before'; readonly name: string; readonly answer: Answer };
type AfterRule = Aim & {
  readonly kind: 'after';
  readonly name: string;
  readonly answer: (answer: Whole) => Answer;
};
export type FaultRule = LatencyRule | BeforeRule | AfterRule;

const WHEN_EXPECTED = 'a share such as 5%, every:7, first:3 or always';
const DURATION_EXPECTED = 'a duration such as 50ms, 1.5s or 50ms±20ms';
const DURATION = /^(\d+(?:\.\d+)?)(ms|s)(?:(?:±|\+-)(\d+(?:\.\d+)?)(ms|s))?$/;
export const FAULT_HELP = `Faults are <name>=<when>, <when> being ${WHEN_EXPECTED}, before or after a request is done:
  before  ${[...BEFORE.keys()].join(', ')}
  after   ${[...AFTER.keys()].join(', ')}
Also latency=<duration>, ${DURATION_EXPECTED}. 401 is a refused token, 403 a missing permission. Behind ";" may follow \
key=<beginning of keys>, call=<operation>, retry-after=<seconds> or none (429, …-retry-after), when=<when> (latency).`;

const RETRY_AFTER_FAULTS: readonly string[] = ['429', '403-retry-after', '503-retry-after'];
const DEFAULT_RETRY_AFTER_SECONDS = '1';

/** A UsageError lists each spec that can't be read. */
export function parseFaults(specs: readonly string[]): FaultRule[] {
  const problems: string[] = [];
  const rules: FaultRule[] = [];
  for (const spec of specs) {
    try {
      rules.push(parseFault(spec));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new UsageError(problems);
  return rules;
}

/**
 * `<fault>=<when>`, then `;key=<prefix>`, `;call=<call>` and, for those with it, `;retry-
 * after=<seconds>` or `none`. Latency is `latency=50ms±20ms` with `;when=<when>`.
 */
function parseFault(spec: string): FaultRule {
  const [head = '', ...options] = spec.split(';');
  const [name, value] = splitOnce(head);
  if (name === 'latency') return parseLatency(spec, value, options);
  const [before, after] = [BEFORE.get(name), AFTER.get(name)];
  const allowed = RETRY_AFTER_FAULTS.includes(name) ? ['key', 'call', 'retry-after'] : ['key', 'call'];
  if (before !== undefined) {
    const given = readOptions(spec, options, allowed);
    const aim = aimOf(spec, given, parseWhen(spec, value));
    return { kind: 'before', name, ...aim, answer: before(retryAfterOf(spec, given)) };
  }
  if (after !== undefined) {
    const given = readOptions(spec, options, allowed);
    return { kind: 'after', name, ...aimOf(spec, given, parseWhen(spec, value)), answer: after };
  }
  throw new UsageError(
    `fault "${spec}": "${name}" is no fault; expected one of ${FAULT_NAMES.join(', ')}.${didYouMean(name, FAULT_NAMES)}`,
  );
}

function parseLatency(spec: string, value: string | null, options: readonly string[]): LatencyRule {
  const given = readOptions(spec, options, ['key', 'call', 'when']);
  const [, amount, unit, spread = '0', spreadUnit] = DURATION.exec(value ?? '') ?? [];
  if (amount === undefined)
    throw wrong(spec, value, `latency=<duration>, the duration being ${DURATION_EXPECTED}`);
  const ms = milliseconds(amount, unit);
  const spreadMs = milliseconds(spread, spreadUnit);
  if (spreadMs > ms) throw wrong(spec, value, 'a spread no longer than the duration itself');
  const when: When = given.has('when') ? parseWhen(spec, given.get('when') ?? null) : { kind: 'always' };
  return { kind: 'latency', name: 'latency', ms, spreadMs, ...aimOf(spec, given, when) };
}

function parseWhen(spec: string, value: string | null): When {
  if (value === 'always') return { kind: 'always' };
  const share = /^(\d+(?:\.\d+)?)%$/.exec(value ?? '')?.[1];
  if (share !== undefined && Number(share) <= 100) return { kind: 'share', share: Number(share) / 100 };
  const [, kind, n] = /^(every|first):([1-9]\d{0,8})$/.exec(value ?? '') ?? [];
  if (kind === 'every') return { kind, n: Number(n) };
  if (kind === 'first') return { kind, n: Number(n) };
  throw wrong(spec, value, `<fault>=<when>, <when> being ${WHEN_EXPECTED}`);
}

function aimOf(spec: string, options: ReadonlyMap<string, string>, when: When): Aim {
  const wanted = options.get('call');
  const call = SANDBOX_CALLS.find((c) => c === wanted) ?? null;
  if (wanted !== undefined && call === null) {
    throw new UsageError(
      `fault "${spec}": "${wanted}" is no call; expected one of ${SANDBOX_CALLS.join(', ')}.${didYouMean(wanted, SANDBOX_CALLS)}`,
    );
  }
  return { when, keyPrefix: options.get('key') ?? '', call };
}

function retryAfterOf(spec: string, options: ReadonlyMap<string, string>): Headers {
  const value = options.get('retry-after') ?? DEFAULT_RETRY_AFTER_SECONDS;
  if (value === 'none') return {};
  if (!/^\d{1,6}$/.test(value)) throw wrong(spec, value, 'retry-after=<whole seconds> or retry-after=none');
  return { 'retry-after': value };
}

function readOptions(
  spec: string,
  options: readonly string[],
  allowed: readonly string[],
): Map<string, string> {
  const read = new Map<string, string>();
  for (const option of options) {
    const [name, value] = splitOnce(option);
    if (!allowed.includes(name) || value === null) {
      throw new UsageError(
        `fault "${spec}": option "${option}" can't be read; expected ${allowed.map((o) => `${o}=…`).join(', ')}.${didYouMean(name, allowed)}`,
      );
    }
    read.set(name, value);
  }
  return read;
}

function wrong(spec: string, value: string | null, expected: string): UsageError {
  return new UsageError(
    `fault "${spec}": ${value === null ? 'nothing after the name' : `"${value}"`}; expected ${expected}.`,
  );
}

function splitOnce(text: string): readonly [string, string | null] {
  const at = text.indexOf('=');
  return at === -1 ? [text.trim(), null] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function milliseconds(amount: string, unit: string | undefined): number {
  return unit === 's' ? Number(amount) * 1000 : Number(amount);
}
