/**
 * A note on a cause, for whoever meets it next. Causes keep their ids over runs, and so do notes.
 * All who see the cause see it: people wrote it, not the service.
 */
import { z } from 'zod';

export const NOTE_CHARACTERS = 500;

export const noteSchema = z.object({ text: z.string(), by: z.string(), at: z.string() });
export type Note = z.infer<typeof noteSchema>;
/** By the id of the cause. */
export type Notes = ReadonlyMap<string, Note>;
