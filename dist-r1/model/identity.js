/**
 * Identity: by what a row is known across runs, so that no record is created twice. A row's identity is its external key,
 * or its place in the file where the job names none; the ledger's identity spaces say who has it. When a file is read each
 * row claims its identity (`KeyClaim`, travels with the row in its chunk); afterwards others may ask what became of it
 * (`KeyState`).
 */
import { z } from 'zod';
import { IDENTITY } from './operation.js';
/** The identity space of the run's operation; operations that create nothing have one per run, to find duplicate keys. */
export function identitySpace(run) {
    const space = IDENTITY[run.operation];
    return space === null ? { name: `run-${run.id}`, ofRun: true } : { name: space, ofRun: false };
}
/** What the identity space knows the row by: its key, else its place, `null` where the key is missing. */
export function identityKeyOf(run, mapping, row) {
    if (!mapping.hasKey)
        return `${run.sha256}:${row.row}`;
    return mapping.keyOf(row);
}
/** What the ledger said when a row claimed its key. */
export const keyClaimSchema = z.discriminatedUnion('kind', [
    /** The row has its key now, or has no key to claim. */
    z.object({ kind: z.literal('claimed') }),
    /** An earlier row of the same file has the key. */
    z.object({ kind: z.literal('duplicate'), row: z.number().int().positive() }),
    /** An earlier run created a record under the key, with this identifier. */
    z.object({ kind: z.literal('known'), run: z.string(), id: z.string() }),
    /** A row of another run has the key and is not done, or is in doubt. */
    z.object({
        kind: z.literal('held'),
        run: z.string(),
        row: z.number().int().positive(),
        inDoubt: z.boolean(),
    }),
]);
//# sourceMappingURL=identity.js.map