import { z } from 'zod';

/** What the ledger said when a row claimed its key. */
export const keyClaimSchema = z.discriminatedUnion('kind', [
  /** The key is this row's, or the row has none to claim. */
  z.object({ kind: z.literal('claimed') }),
  /** An earlier row of the same file has it. */
  z.object({ kind: z.literal('duplicate'), row: z.number().int().positive() }),
  /** It was created by an earlier run, under this identifier. */
  z.object({ kind: z.literal('known'), run: z.string(), id: z.string() }),
  /** Another run is about to send it, or does not know what became of it. */
  z.object({
    kind: z.literal('held'),
    run: z.string(),
    row: z.number().int().positive(),
    inDoubt: z.boolean(),
  }),
]);
export type KeyClaim = z.infer<typeof keyClaimSchema>;
