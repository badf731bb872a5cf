import type { Claim } from '../intake/inbox/claim.ts';
import { createClaiming } from './inbox-claiming.ts';
import type { Look, Looking } from './inbox-look.ts';

/** Begins with what a look found, as far as there is room; the rest stays in the look. */
export type Pull = (look: Pick<Look, 'left' | 'take'>) => Promise<void>;

export function createPull({ desk, works, recovery, isClosed }: Looking): Pull {
  const claiming = createClaiming(desk);
  const { interrupted } = desk.runs.io;
  const next = async ({ left, take }: Pick<Look, 'left' | 'take'>): Promise<Claim | null> => {
    const claimed = left.shift();
    if (claimed !== undefined) return recovery.takeUp(claimed);
    const file = take.shift();
    // The next look finds it again, and says why it waits.
    if (file === undefined || (works.isFullOfWindows() && isClosed(file.job))) return null;
    return claiming.claim(file);
  };
  return async (look) => {
    while (look.left.length + look.take.length > 0) {
      if (works.active() >= desk.runsAtOnce || interrupted.aborted) return;
      const claim = await next(look);
      if (claim !== null) works.start(claim);
    }
  };
}
