/** What a person says of a row in doubt, and what is kept of it. */
import { z } from 'zod';

export const decisionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('created'), id: z.string() }),
  z.object({ kind: z.literal('not-created') }),
]);
export type Decision = Readonly<z.infer<typeof decisionSchema>>;

/** `at`: ISO 8601, UTC; `was`: the code that the row was in doubt with. */
export const resolutionSchema = z.object({
  decision: z.enum(['created', 'not-created']),
  /** Empty for `not-created`. */
  id: z.string(),
  by: z.string(),
  at: z.string(),
  was: z.string(),
});
export type Resolution = z.infer<typeof resolutionSchema>;

export const sightingSchema = z.object({
  kind: z.enum(['found', 'found-twice', 'not-found', 'unclear']),
  /** Ids that it may have at the service, a few at most. */
  ids: z.array(z.string()),
  /** ISO 8601, UTC. */
  at: z.string(),
});
export type KeptSighting = z.infer<typeof sightingSchema>;

export function describeDecision(decision: Decision): string {
  return decision.kind === 'created' ? `created, id ${decision.id}` : 'not created';
}
