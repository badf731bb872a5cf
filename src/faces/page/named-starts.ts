/**
 * Starts with an Idempotency-Key: whoever asks again under the same name gets the first answer. Of
 * one whose answer was lost the run is known, since it was named before anything began; and an
 * upload becomes a run once.
 */
import { claimStart, forgetStart, type KnownStart, keepAnswer } from '../../engine/ledger/starts.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Ask, AskAnswer } from '../../model/ask.ts';
import type { Ledger } from '../../session.ts';
import type { createUploads } from './uploads.ts';

type Means = {
  readonly ledger: Ledger;
  readonly target: string;
  readonly uploads: Pick<ReturnType<typeof createUploads>, 'find'>;
};

/** `run`: its id, where it is the first of its name. */
type Start = Pick<Extract<Ask, { readonly kind: 'take' }>, 'upload' | 'job' | 'again'> & {
  readonly run: string;
};

type Begin = (run: string) => Promise<AskAnswer>;

export function createNamedStarts({ ledger, target, uploads }: Means) {
  const { redis } = ledger;
  const { keys } = ledger.of(target);
  /** Being answered: the same name waits. */
  const under = new Map<string, Promise<AskAnswer>>();

  async function answered(name: string, { run, upload, job, again }: Start, begin: Begin) {
    const start = await claimStart(redis, keys, { name, asked: JSON.stringify([upload, job, again]), run });
    if (start === null)
      throw new UsageError('Idempotency-Key: it stands for another start, asked for within the last day.');
    const before = start.isFirst ? null : await answeredBefore(start, upload);
    if (before !== null) return before;
    try {
      const answer = await begin(start.run);
      if (answer.kind === 'done')
        await keepAnswer(redis, keys, { name, of: start.of, run: start.run, answer: answer.words });
      return answer;
    } catch (error) {
      if (error instanceof UsageError) await forgetStart(redis, keys, name);
      throw error;
    }
  }

  /** `null`: it was not begun, so it is now. */
  async function answeredBefore({ run, answer }: KnownStart, upload: string): Promise<AskAnswer | null> {
    const isThere = (await ledger.index.targetOf(run)) !== null;
    if (answer !== null || isThere)
      return { kind: 'done', words: answer ?? 'The file is taken.', run: isThere ? run : null };
    if ((await uploads.find(upload)) !== null) return null;
    throw new UsageError(
      `That start was begun, and its end is not known: run ${run} comes when its file has its turn. Where it never does, upload the file again.`,
    );
  }

  return (name: string, start: Start, begin: Begin): Promise<AskAnswer> => {
    const before = under.get(name);
    const own = Promise.allSettled([before]).then(() => answered(name, start, begin));
    under.set(name, own);
    return own.finally(() => under.get(name) === own && under.delete(name));
  };
}
