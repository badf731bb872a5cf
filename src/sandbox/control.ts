/**
 * What a running sandbox tells of itself, over HTTP below /sandbox/ (no token) or in the same
 * process, where faults and tokens can be changed too.
 */
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { SandboxParts } from './calls.ts';
import { parseFaults } from './fault-rules.ts';
import { createFaultPlan } from './faults.ts';
import { ENTITY_KINDS, type Entity, type EntityKind } from './records.ts';

export type SandboxControl = {
  stats(): ReturnType<typeof collectStats>;
  /** In the order in which they were made. */
  entities(kind: EntityKind, from?: number): Iterable<Entity>;
  /** In place of all others. */
  setFaults(specs: readonly string[]): void;
  revoke(token: string): void;
};

export function createControl(parts: SandboxParts, seed: number): SandboxControl {
  return {
    stats: () => collectStats(parts),
    entities: (kind, from = 0) => parts.records.entities[kind].from(from),
    setFaults(specs) {
      parts.faults = createFaultPlan(parseFaults(specs), seed);
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

/** What was really done, whatever the caller was told. */
function collectStats({ records, tokens, faults, counts }: SandboxParts) {
  const { subclient, draft } = records.entities;
  return {
    made: { subclients: subclient.count(), drafts: draft.count() },
    /** Updates carried out, and document lists given. */
    updated: records.updated,
    listed: records.listed,
    requests: counts.all(),
    /** The first 100 of each kind. */
    duplicates: ENTITY_KINDS.flatMap((kind) =>
      records.entities[kind].duplicates(MAX_DUPLICATES_LISTED).map((duplicate) => ({ kind, ...duplicate })),
    ),
    duplicateKeys: subclient.duplicateKeys() + draft.duplicateKeys(),
    /** Fault name → hits, since the faults were last set. */
    faults: faults.hits(),
    tokens: tokens.uses(),
  };
}
