import { z } from 'zod';
import type { JsonValue } from '../model/request.ts';

/** Read where it is there and of its type; anything else counts as absent, never as a broken answer. */
const optionalText = z.string().min(1).optional().catch(undefined);

/** What is read of a created or updated record (service-api.md, 2.3 and 2.4). */
export const recordResponseSchema = z.object({
  id: optionalText,
});

/** The documents of a payment (service-api.md, 2.6), each as it came: only that it is a list is asked for. */
export const documentsResponseSchema = z.array(z.custom<JsonValue>((value) => value !== undefined));
