/**
 * The digest of a run as its report left it, where that is still what the ledger says: reading it
 * costs no row.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Run } from '../model/run.ts';
import { type Digest, digestSchema } from '../report/digest.ts';
import { reportDirectory } from '../session.ts';
import type { Desk } from './desk.ts';

/** `null`: there is none, or rows got other outcomes since. */
export async function digestAtHand({ env }: Pick<Desk, 'env'>, run: Run): Promise<Digest | null> {
  try {
    const text = await readFile(join(reportDirectory(env, run.id), 'digest.json'), 'utf8');
    const digest = digestSchema.parse(JSON.parse(text));
    return isDeepStrictEqual(digest.outcomes, run.outcomes) ? digest : null;
  } catch {
    return null;
  }
}
