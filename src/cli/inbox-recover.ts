import { join } from 'node:path';
import { FOREIGN_CLAIMS } from '../intake/inbox/bring-home.ts';
import type { Claim } from '../intake/inbox/claim.ts';
import { claimOf, type FoundClaim, listClaims, takeOver } from '../intake/inbox/claims.ts';
import { giveBack } from '../intake/inbox/give-back.ts';
import type { Inbox } from '../intake/inbox/inbox-folder.ts';
import { isDeadHere } from '../journal/member.ts';
import type { InboxDesk } from './inbox-desk.ts';

/** A claim and the inbox to which a file goes of which nothing is written down. */
export type LeftClaim = { readonly found: FoundClaim; readonly inbox: string };

/** Claims as they lie in ONBOARD_HOME and in inboxes on other file systems. */
export type Recovery = {
  /** Those of other watchers that live, and those that nobody has any more. */
  look(inboxes: readonly Inbox[]): Promise<{ readonly others: FoundClaim[]; readonly left: LeftClaim[] }>;
  /** Makes a left claim this process's; `null`: another one was faster, or there is nothing to go on with. */
  takeUp(left: LeftClaim): Promise<Claim | null>;
};

/** On another host nobody knows who lives: who has not shown it for so long is gone. */
const SILENT_MS = 60_000;

export type RecoveryEdges = Pick<InboxDesk, 'places' | 'teller'> & {
  /** This process's name. */
  readonly member: string;
  /** Whether this process works on the claim. */
  isMine(claim: string): boolean;
  /** Milliseconds that never go back. */
  now(): number;
};

export function createRecovery({ places, teller, member, isMine, now }: RecoveryEdges): Recovery {
  const beats = new Map<string, { beat: number; since: number }>();
  /** By this process's own clock: those of hosts and file systems may differ. */
  const isSilent = ({ id, beat }: FoundClaim) => {
    const known = beats.get(id);
    const current = known?.beat === beat ? known : { beat, since: now() };
    beats.set(id, current);
    return now() - current.since >= SILENT_MS;
  };
  const isLeft = (found: FoundClaim) =>
    found.member === member || isDeadHere(found.member) || isSilent(found);
  return {
    async look(inboxes) {
      const bases = [
        { base: places.processing, inbox: places.inbox },
        ...inboxes.flatMap(({ folder, isMain }) =>
          isMain ? [] : [{ base: join(folder, FOREIGN_CLAIMS), inbox: folder }],
        ),
      ];
      const found = await Promise.all(
        bases.map(async ({ base, inbox }) => (await listClaims(base)).map((one) => ({ found: one, inbox }))),
      );
      const theirs = found.flat().filter((one) => !isMine(one.found.id));
      for (const id of beats.keys()) if (!theirs.some((one) => one.found.id === id)) beats.delete(id);
      const judged = theirs.map((one) => ({ ...one, isLeft: isLeft(one.found) }));
      return {
        others: judged.filter((one) => !one.isLeft).map((one) => one.found),
        left: judged.filter((one) => one.isLeft),
      };
    },
    async takeUp({ found, inbox }) {
      const mine = await takeOver(found, member);
      if (mine === null) return null;
      const claim = claimOf(mine);
      if (claim === null && !(await giveBack(mine, inbox))) {
        teller.line(`${found.folder}: nothing is known of the file in it: move it into an inbox by hand`);
      }
      return claim;
    },
  };
}
