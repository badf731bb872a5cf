/**
 * What people and tests ask of a running sandbox, over HTTP below /sandbox/ (no token) or in the same process: its
 * statistics, what was made, and to tests the last requests; and what they set: faults, tokens, an outage.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { UsageError } from '../lib/usage-error.ts';
import { type Answer, bareAnswer, errorAnswer, jsonAnswer } from './answer.ts';
import type { CallParts } from './calls.ts';
import { parseFaults } from './fault-rules.ts';
import { createFaultPlan, type FaultPlan } from './faults.ts';
import { type KeyReader, pathOf, type ReceivedBody } from './received.ts';
import { ENTITY_KINDS, type Entity, type EntityKind } from './records.ts';

export type SandboxControl = {
  stats(): SandboxStats;
  /** The entities that were made, in order, from a number on. */
  entities(kind: EntityKind, from?: number): Iterable<Entity>;
  /** The last requests to the operations, oldest first; none unless `recordRequests` is set. */
  requests(last?: number): RecordedRequest[];
  /** Replaces all faults; throws a UsageError where a spec can't be read. */
  setFaults(specs: readonly string[]): void;
  /** Makes a token valid and unused, or no longer valid. */
  setToken(token: string, valid: boolean): void;
  /** While down, every request to an operation is answered with a TCP reset and not carried out. */
  setDown(down: boolean): void;
};

/** The parts of a running sandbox; `plan` changes while it runs. */
export type ControlledParts = {
  readonly parts: CallParts;
  readonly keyOf: KeyReader;
  readonly plan: { faults: FaultPlan; down: boolean };
  /** The seed of the faults' random shares. */
  readonly seed: number;
  readonly counts: AnswerCounts;
  readonly log: RequestLog;
};

export function createControl(controlled: ControlledParts): SandboxControl {
  const { parts, plan, seed, log } = controlled;
  const { records, tokens } = parts;
  return {
    stats: () => collectStats(controlled),
    entities: (kind, from = 0) => records.entities[kind].from(from),
    requests: (last = Number.POSITIVE_INFINITY) => log.last(last),
    setFaults: (specs) => {
      plan.faults = createFaultPlan(parseFaults(specs), seed);
    },
    setToken: tokens.set,
    setDown: (down) => {
      plan.down = down;
    },
  };
}

/** An answer, or as a `stream` NDJSON of any length. */
type ControlAnswer = Answer | { readonly kind: 'stream'; readonly lines: Readable };

const faultsSchema = z.strictObject({ faults: z.array(z.string()) });
const tokenSchema = z.strictObject({ token: z.string().min(1), valid: z.boolean() });
const downSchema = z.strictObject({ down: z.boolean() });
const entitiesQuerySchema = z.object({
  kind: z.enum(ENTITY_KINDS),
  after: z.coerce.number().int().min(-1).default(-1),
});

/** The answer to a request below /sandbox/. */
export function answerControl(
  request: { readonly method: string; readonly target: string; readonly body: ReceivedBody },
  control: SandboxControl,
): ControlAnswer {
  const query = Object.fromEntries(new URLSearchParams(request.target.slice(pathOf(request.target).length)));
  const body = request.body.kind === 'json' ? request.body.value : null;
  switch (`${request.method} ${pathOf(request.target)}`) {
    case 'GET /sandbox/stats':
      return jsonAnswer(200, control.stats());
    case 'GET /sandbox/entities':
      return withParsed(entitiesQuerySchema, query, ({ kind, after }) => ({
        kind: 'stream',
        lines: ndjson(control.entities(kind, after + 1)),
      }));
    case 'POST /sandbox/faults':
      return withParsed(faultsSchema, body, ({ faults }) => done(() => control.setFaults(faults)));
    case 'POST /sandbox/tokens':
      return withParsed(tokenSchema, body, ({ token, valid }) => done(() => control.setToken(token, valid)));
    case 'POST /sandbox/down':
      return withParsed(downSchema, body, ({ down }) => done(() => control.setDown(down)));
    default:
      return errorAnswer(404, 'no such control call');
  }
}

function withParsed<T>(
  schema: z.ZodType<T>,
  value: unknown,
  answer: (parsed: T) => ControlAnswer,
): ControlAnswer {
  const parsed = schema.safeParse(value);
  if (parsed.success) return answer(parsed.data);
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return jsonAnswer(400, { error: 'the call could not be read', problems });
}

function done(act: () => void): ControlAnswer {
  try {
    act();
    return bareAnswer(204);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return jsonAnswer(400, { error: error.message, problems: error.problems });
  }
}

const LINES_PER_CHUNK = 1000;

function ndjson(entities: Iterable<Entity>): Readable {
  return Readable.from(chunksOfLines(entities));
}

function* chunksOfLines(entities: Iterable<Entity>): Generator<string> {
  let chunk = '';
  let lines = 0;
  for (const entity of entities) {
    chunk += `${JSON.stringify(entity)}\n`;
    lines += 1;
    if (lines % LINES_PER_CHUNK !== 0) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

const count = z.number().int().nonnegative();
const MAX_DUPLICATES_LISTED = 100;

/** What GET /sandbox/stats answers: what was really done, whatever the caller was told. */
export const sandboxStatsSchema = z.object({
  made: z.object({ subclients: count, drafts: count }),
  /** Updates carried out, and document lists given. */
  updated: count,
  listed: count,
  /** Call (or `unknown`) → status, or reset, close, hang or cut → requests. */
  requests: z.record(z.string(), z.record(z.string(), count)),
  /** Keys under which more than one entity was made; the first 100 of each kind. */
  duplicates: z.array(
    z.object({ kind: z.enum(ENTITY_KINDS), key: z.string(), count, ids: z.array(z.string()).readonly() }),
  ),
  /** How many keys have more than one entity. */
  duplicateKeys: count,
  /** Fault name → hits, since the faults were last set. */
  faults: z.record(z.string(), count),
  /** The uses of each token, in the order in which the tokens became known, without the tokens themselves. */
  tokens: z.array(z.object({ valid: z.boolean(), requests: count })),
  /** Lines of the data file that could not be read at the start. */
  droppedLines: count,
});
export type SandboxStats = z.infer<typeof sandboxStatsSchema>;

function collectStats({ parts, plan, counts }: ControlledParts): SandboxStats {
  const { records, tokens } = parts;
  const { subclient, draft } = records.entities;
  return {
    made: { subclients: subclient.count(), drafts: draft.count() },
    updated: records.updated,
    listed: records.listed,
    requests: counts.all(),
    duplicates: ENTITY_KINDS.flatMap((kind) =>
      records.entities[kind].duplicates(MAX_DUPLICATES_LISTED).map((duplicate) => ({ kind, ...duplicate })),
    ),
    duplicateKeys: subclient.duplicateKeys() + draft.duplicateKeys(),
    faults: plan.faults.hits(),
    tokens: tokens.uses(),
    droppedLines: records.droppedLines,
  };
}

/** Counts of answers: route → status (or reset, close, hang, cut) → requests. */
type AnswerCounts = {
  add(route: string, label: string): void;
  all(): Record<string, Record<string, number>>;
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

/** A request to one of the operations as it was received; never its token. */
export type RecordedRequest = {
  readonly method: string;
  /** Path and query as they stood in the request line. */
  readonly target: string;
  readonly contentType: string | null;
  /** Verbatim; empty where there was none. */
  readonly body: string;
};

/** The last requests received, for tests that look at the wire. */
type RequestLog = {
  record(request: RecordedRequest): void;
  /** The last `count`, oldest first. */
  last(count: number): RecordedRequest[];
};

/** Remembers the last `limit` requests; 0 remembers none. */
export function createRequestLog(limit: number): RequestLog {
  const ring: RecordedRequest[] = [];
  let next = 0;
  return {
    record(request) {
      if (limit === 0) return;
      ring[next] = request;
      next = (next + 1) % limit;
    },
    last(count) {
      const inOrder = ring.length < limit ? ring : [...ring.slice(next), ...ring.slice(0, next)];
      return count <= 0 ? [] : inOrder.slice(-count);
    },
  };
}
