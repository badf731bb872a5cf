/**
 * A note on a cause: what people want to tell who meets it next. Causes keep their ids over runs, and so does a note. It is the words of
 * people and not of the service, so all who see the cause see it.
 */
import { z } from 'zod';

export const NOTE_CHARACTERS = 500;

export const noteSchema = z.object({ text: z.string(), by: z.string(), at: z.string() });
export type Note = z.infer<typeof noteSchema>;
/** By the id of the cause. */
export type Notes = ReadonlyMap<string, Note>;
