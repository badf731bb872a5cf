/**
 * What a person at the page wants done, and what became of it. The page can do nothing itself: the
 * process that started it parses this schema, checks the role, and does what the command of the
 * same name would.
 */
import { z } from 'zod';
import { rightCellSchema } from './issue.ts';
import { outcomeSchema } from './outcome.ts';
import { decisionSchema } from './resolution.ts';
import { runStateSchema } from './run.ts';

/** A viewer looks; an operator also sees cells and bodies, and acts. */
export const roleSchema = z.enum(['viewer', 'operator']);
export type Role = z.infer<typeof roleSchema>;

/** `maker`: it is a machine, and who added it; absent: a person. */
export type Visitor = { readonly name: string; readonly role: Role; readonly maker?: string | undefined };

const run = z.string().min(1);
const rowNumber = z.number().int().positive();
/** The state that the page showed. */
const seen = runStateSchema;

const askSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['pause', 'cancel']), run, seen, why: z.string() }),
  z.object({ kind: z.literal('resume'), run, seen }),
  /** `plan`: the digest that the page showed. */
  z.object({ kind: z.literal('approve'), run, seen, plan: z.string() }),
  /** `cause`: the id of one of the run's causes; `null`: all rows of those outcomes. */
  z.object({
    kind: z.literal('rerun'),
    run,
    only: z.array(outcomeSchema),
    cause: z.string().nullable(),
    /** With the job's current definition, not the run's own. */
    isCorrected: z.boolean(),
  }),
  /** `rows` are sent again as they stand; of the cells somebody knows that they are right. */
  z.object({
    kind: z.literal('right'),
    run,
    rows: z.array(rowNumber),
    cells: z.array(rightCellSchema),
    why: z.string(),
  }),
  z.object({
    kind: z.literal('resolve'),
    run,
    decisions: z.array(z.object({ row: rowNumber, decision: decisionSchema })),
  }),
  /** `cause`: the open rows of one of the run's causes; `null`: these rows. */
  z.object({
    kind: z.literal('write-off'),
    run,
    cause: z.string().nullable(),
    rows: z.array(rowNumber),
    why: z.string(),
  }),
  /** Rows that are held for their account, of one kind. */
  z.object({
    kind: z.literal('held'),
    run,
    code: z.enum(['account_changed', 'account_shared']),
    rows: z.array(rowNumber),
    why: z.string(),
  }),
  z.object({ kind: z.literal('reply'), run, language: z.string() }),
  /** For all rows in doubt: what is found for one may be another's. */
  z.object({ kind: z.literal('look-up'), run }),
  /** `again`: even where the file was taken before. */
  /** `once`: the caller's own name for this start, under which it is never made twice. */
  z.object({
    kind: z.literal('take'),
    upload: z.string(),
    job: z.string(),
    again: z.boolean(),
    once: z.string().optional(),
  }),
  z.object({ kind: z.literal('save-job'), name: z.string(), yaml: z.string() }),
  /** `base`: SHA-256 of the text that the form was opened with. */
  z.object({
    kind: z.literal('change-job'),
    job: z.string(),
    base: z.string(),
    text: z.string(),
    why: z.string(),
  }),
  z.object({ kind: z.literal('confirm-job'), job: z.string(), version: z.number().int().positive() }),
  /** `run`: where the cause was seen; the note shows at all runs of its target. */
  z.object({ kind: z.literal('note'), run, cause: z.string().min(1).max(100), text: z.string() }),
  z.object({ kind: z.literal('doctor') }),
]);
export type Ask = z.infer<typeof askSchema>;

/** The page sets who asks from the session, never from what a browser sent. */
export const askedSchema = z.object({
  by: z.string().min(1),
  role: roleSchema,
  maker: z.string().optional(),
  ask: askSchema,
});
export type Asked = z.infer<typeof askedSchema>;

export const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), words: z.string(), run: z.string().nullable() }),
  z.object({ kind: z.literal('refused'), problems: z.array(z.string()) }),
  /** The run changed since the page was loaded: nothing was done. */
  z.object({ kind: z.literal('moved-on'), state: runStateSchema }),
]);
export type AskAnswer = z.infer<typeof answerSchema>;
