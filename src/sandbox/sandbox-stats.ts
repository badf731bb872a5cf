import { z } from 'zod';
import type { AnswerCounts } from './answer-counts.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Records } from './records.ts';
import { ENTITY_KINDS } from './records.ts';
import type { TokenBook } from './token-book.ts';

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
  /** How many such keys there are in all. */
  duplicateKeys: count,
  /** Fault name → hits, since the faults were last set. */
  faults: z.record(z.string(), count),
  /** In the order in which they became known, without the tokens themselves. */
  tokens: z.array(z.object({ valid: z.boolean(), requests: count })),
  /** Lines of the data file that could not be read at the start. */
  droppedLines: count,
});
export type SandboxStats = z.infer<typeof sandboxStatsSchema>;

/** The parts of a sandbox that the statistics are drawn from. */
export type StatsSources = {
  readonly records: Records;
  readonly counts: AnswerCounts;
  readonly tokens: TokenBook;
  readonly faults: FaultPlan;
};

/** The statistics as they stand. */
export function collectStats({ records, counts, tokens, faults }: StatsSources): SandboxStats {
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
    faults: faults.hits(),
    tokens: tokens.uses(),
    droppedLines: records.droppedLines,
  };
}
