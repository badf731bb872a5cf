/**
 * Operations by their names, which is all that the model knows of them; what each of them does is
 * told in operations/.
 */
import { z } from 'zod';

/** What a job definition asks for. */
export type Operation = `${string}.${string}`;

/** What a row becomes: an upsert's is a create or an update. */
export type Call = Operation;

const NAME = /^[A-Za-z]\w*\.[\w.:]+$/;

export const operationSchema = z.custom<Operation>((text) => typeof text === 'string' && NAME.test(text));
