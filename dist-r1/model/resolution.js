/** Resolutions: what a person, or a look-up, says became of a row in doubt, and what the ledger keeps of that. */
import { z } from 'zod';
/** What the ledger keeps of a decision: who took it, when (ISO 8601, UTC), and the code that the row was in doubt with. */
export const resolutionSchema = z.object({
    decision: z.enum(['created', 'not-created']),
    /** Empty for `not-created`. */
    id: z.string(),
    by: z.string(),
    at: z.string(),
    was: z.string(),
});
/** The decision in words: `created, id sub-1` or `not created`. */
export function describeDecision(decision) {
    return decision.kind === 'created' ? `created, id ${decision.id}` : 'not created';
}
//# sourceMappingURL=resolution.js.map