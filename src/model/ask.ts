/**
 * Asks: what somebody at the page wants done, and what became of it. The page can do nothing itself; the process that started it parses
 * each ask with this schema, checks the role, and carries it out as the command of the same name would.
 */
import { z } from 'zod';
import { outcomeSchema } from './outcome.ts';
import { decisionSchema } from './resolution.ts';
import { runStateSchema } from './run.ts';

/** A viewer looks; an operator sees cells and bodies too, and acts. */
export const roleSchema = z.enum(['viewer', 'operator']);
export type Role = z.infer<typeof roleSchema>;

export type Visitor = { readonly name: string; readonly role: Role };

const run = z.string().min(1);
const rowNumber = z.number().int().positive();
/** The state that the page showed to whoever asks. */
const seen = runStateSchema;

export const askSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pause'), run, seen, why: z.string() }),
  z.object({ kind: z.literal('resume'), run, seen }),
  z.object({ kind: z.literal('cancel'), run, seen, why: z.string() }),
  /** `cause`: the id of one of the run's causes; `null`: all rows of those outcomes. */
  z.object({
    kind: z.literal('rerun'),
    run,
    only: z.array(outcomeSchema),
    cause: z.string().nullable(),
    /** Through the job as it is by now, and not as the run had it. */
    isCorrected: z.boolean(),
  }),
  z.object({
    kind: z.literal('resolve'),
    run,
    decisions: z.array(z.object({ row: rowNumber, decision: decisionSchema })),
  }),
  /** Of all rows in doubt: what is found for one of them may be another's. */
  z.object({ kind: z.literal('look-up'), run }),
  /** An uploaded file becomes a run of the job; `again`: also where the file was taken before. */
  z.object({ kind: z.literal('take'), upload: z.string(), job: z.string(), again: z.boolean() }),
  z.object({ kind: z.literal('save-job'), name: z.string(), yaml: z.string() }),
  /** `run`: the one at which the cause was seen; the note shows at all of its target. */
  z.object({ kind: z.literal('note'), run, cause: z.string().min(1).max(100), text: z.string() }),
  z.object({ kind: z.literal('doctor') }),
]);
export type Ask = z.infer<typeof askSchema>;

/** An ask with who asks: set by the page from the session, never by what a browser sent. */
export const askedSchema = z.object({ by: z.string().min(1), role: roleSchema, ask: askSchema });
export type Asked = z.infer<typeof askedSchema>;

export const answerSchema = z.discriminatedUnion('kind', [
  /** What was done, in a sentence; `run`: the one to look at then. */
  z.object({ kind: z.literal('done'), words: z.string(), run: z.string().nullable() }),
  z.object({ kind: z.literal('refused'), problems: z.array(z.string()) }),
  /** Somebody else acted since the page was loaded: nothing was done. */
  z.object({ kind: z.literal('moved-on'), state: runStateSchema }),
]);
export type AskAnswer = z.infer<typeof answerSchema>;
