/**
 * What a running sandbox tells of itself: its statistics and what was made, over HTTP below
 * /sandbox/ (no token) or in the same process, where faults and tokens can be changed too.
 */
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { CallParts } from './calls.ts';
import { parseFaults } from './fault-rules.ts';
import { createFaultPlan, type FaultPlan } from './faults.ts';
import type { KeyReader } from './received.ts';
import { type Duplicate, ENTITY_KINDS, type Entity, type EntityKind } from './records.ts';

export type SandboxControl = {
  stats(): SandboxStats;
  /** The entities that were made, in order, from a number on. */
  entities(kind: EntityKind, from?: number): Iterable<Entity>;
  /** Replaces all faults; throws a UsageError where a spec can't be read. */
  setFaults(specs: readonly string[]): void;
  /** The token is no longer valid. */
  revoke(token: string): void;
};

/** The parts of a running sandbox; `plan` changes while it runs. */
export type ControlledParts = {
  readonly parts: CallParts;
  readonly keyOf: KeyReader;
  readonly plan: { faults: FaultPlan };
  /** The seed of the faults' random shares. */
  readonly seed: number;
  readonly counts: AnswerCounts;
};

export function createControl(controlled: ControlledParts): SandboxControl {
  const { parts, plan, seed } = controlled;
  return {
    stats: () => collectStats(controlled),
    entities: (kind, from = 0) => parts.records.entities[kind].from(from),
    setFaults(specs) {
      plan.faults = createFaultPlan(parseFaults(specs), seed);
    },
    revoke: parts.tokens.revoke,
  };
}

export function answerControl(method: string, target: string, control: SandboxControl): Answer {
  const { pathname, searchParams } = new URL(target, 'http://sandbox');
  const kind = ENTITY_KINDS.find((one) => one === searchParams.get('kind'));
  switch (`${method} ${pathname}`) {
    case 'GET /sandbox/stats':
      return jsonAnswer(200, control.stats());
    case 'GET /sandbox/entities':
      return kind === undefined
        ? errorAnswer(400, `expected kind to be one of ${ENTITY_KINDS.join(', ')}`)
        : jsonAnswer(200, [...control.entities(kind)]);
    default:
      return errorAnswer(404, 'no such control call');
  }
}

const MAX_DUPLICATES_LISTED = 100;

/** What was really done, whatever the caller was told; GET /sandbox/stats answers it. */
type SandboxStats = {
  readonly made: { readonly subclients: number; readonly drafts: number };
  /** Updates carried out, and document lists given. */
  readonly updated: number;
  readonly listed: number;
  readonly requests: Counts;
  /** Keys under which more than one entity was made; the first 100 of each kind. */
  readonly duplicates: readonly (Duplicate & { readonly kind: EntityKind })[];
  /** How many keys have more than one entity. */
  readonly duplicateKeys: number;
  /** Fault name → hits, since the faults were last set. */
  readonly faults: Readonly<Record<string, number>>;
  /** The uses of each token, in their order, without the tokens themselves. */
  readonly tokens: readonly { readonly valid: boolean; readonly requests: number }[];
  /** Lines of the data file that could not be read at the start. */
  readonly droppedLines: number;
};

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

/** Call (or `unknown`) → status, or reset, close, hang or cut → requests. */
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

type AnswerCounts = {
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
