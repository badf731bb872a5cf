import { errorCode } from '../lib/errors.ts';
import { UnusableInbox } from './abroad.ts';
import type { Claim } from './claim.ts';
import { createClaiming } from './claiming.ts';
import type { Look, Looking } from './look.ts';
import { mostUrgent } from './urgency.ts';

/** Begins with what a look found, as far as there is room; the rest stays in the look. */
type Pull = (look: Pick<Look, 'left' | 'take'>) => Promise<void>;

export function createPull({ desk, works, recovery, isClosed }: Looking): Pull {
  const claiming = createClaiming(desk);
  const { interrupted } = desk.runs.io;
  const said = new Set<string>();
  const next = async (kind: 'claim' | 'file', look: Pick<Look, 'left' | 'take'>): Promise<Claim | null> => {
    const claimed = kind === 'claim' ? look.left.shift() : undefined;
    if (claimed !== undefined) return recovery.takeUp(claimed);
    const file = look.take.shift();
    // The next look finds it again, and says why it waits.
    if (file === undefined || isClosed(file.job)) return null;
    return claiming.claim(file);
  };
  /** One bad inbox or claim is no reason to leave the others. */
  const passOver = (error: unknown): null => {
    if (!isPassedOver(error)) throw error;
    works.trouble();
    if (!said.has(error.message)) desk.teller.line(`files can't be taken: ${error.message}`);
    said.add(error.message);
    return null;
  };
  return async (look) => {
    for (;;) {
      const urgent = mostUrgent(look, desk.book);
      if (urgent === null || interrupted.aborted) return;
      // Those that are less urgent take no place away.
      if (works.active(urgent.weight) >= desk.runsAtOnce) return;
      const claim = await next(urgent.kind, look).catch(passOver);
      if (claim !== null) works.start(claim);
    }
  };
}

/** What the whole machine is short of is everybody's trouble. */
const SHORT: readonly string[] = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

function isPassedOver(error: unknown): error is Error {
  if (error instanceof UnusableInbox) return true;
  return error instanceof Error && 'path' in error && !SHORT.includes(errorCode(error));
}
