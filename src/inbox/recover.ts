/**
 * Claims whose watchers are gone: processes of this host at once, those of other hosts after a
 * minute without a sign of life. One watcher goes on with each.
 */
import { SANDBOX_TARGET } from '../delivery/target.ts';
import { isDeadHere } from '../journal/worker-registry.ts';
import { messageOf } from '../lib/errors.ts';
import { claimOf, dropClaim, type FoundClaim, giveBack, listClaims, takeOver } from './claim.ts';
import { type Inbox, isInboxOf } from './job-book.ts';
import { originalOf } from './other-file-system.ts';
import type { Watcher } from './watcher.ts';

export type LeftClaim = {
  readonly found: FoundClaim;
  /** Whether its file came from what is its job's inbox now. */
  readonly hasInbox: boolean;
};

/** Other hosts' processes can't be looked up: a watcher that is silent for this long is gone. */
const SILENT_MS = 60_000;

type RecoveryEdges = Pick<Watcher, 'places' | 'teller' | 'member' | 'target'> & {
  isMine(claim: string): boolean;
  /** Ms of a monotonic clock. */
  now(): number;
};

/** Finds the claims in ONBOARD_HOME, and takes over those that their watchers left. */
export function createRecovery({ places, teller, member, target, isMine, now }: RecoveryEdges) {
  const beats = new Map<string, { readonly beat: number; readonly since: number }>();
  /** By this process' own clock: hosts and file systems may differ. */
  const isSilent = ({ id, beat }: FoundClaim) => {
    const known = beats.get(id);
    const current = known?.beat === beat ? known : { beat, since: now() };
    beats.set(id, current);
    return now() - current.since >= SILENT_MS;
  };
  const isLeft = (found: FoundClaim) =>
    found.member === member || isDeadHere(found.member) || isSilent(found);
  const said = new Set<string>();
  const sayOnce = (text: string) => {
    if (!said.has(text)) teller.line(text);
    said.add(text);
  };
  return {
    /** `others`: of living watchers; `left`: of gone ones; `elsewhere`: of other targets. */
    async look(inboxes: readonly Inbox[]) {
      const found = await listClaims(places.processing, (id, error) =>
        sayOnce(`${places.processing}/${id} can't be looked into: ${messageOf(error)}`),
      );
      const elsewhere = found.filter(({ info }) => info !== null && info.target !== target);
      const theirs = found.filter((one) => !isMine(one.id) && !elsewhere.includes(one));
      for (const id of beats.keys()) if (!theirs.some((one) => one.id === id)) beats.delete(id);
      const left = theirs.filter(isLeft);
      return {
        others: theirs.filter((one) => !left.includes(one)),
        left: left.map((one) => ({ found: one, hasInbox: isInboxOf(one.info, inboxes) })),
        elsewhere,
      };
    },
    /** Takes a left claim over; `null`: another was faster, or there is nothing to go on with. */
    async takeUp({ found, hasInbox }: LeftClaim) {
      const { info, copied } = found;
      if (info?.isOnOtherFileSystem === true && copied === null && !hasInbox) {
        sayOnce(
          `${info.path}: ${info.inbox} is no inbox of job ${info.job} any more: move ${originalOf({ ...found, info })} into one by hand`,
        );
        return null;
      }
      const mine = await takeOver(found, member);
      if (mine === null) return null;
      const claim = claimOf(mine);
      if (claim === null && info !== null && !hasInbox) await dropClaim(mine);
      else if (claim === null && !(await giveBack(mine, places.inbox))) {
        sayOnce(`${found.folder}: nothing is known of the file in it: move it into an inbox by hand`);
      }
      return claim;
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;

export function elsewhereLines(elsewhere: readonly FoundClaim[]): ReadonlyMap<string, string> {
  const byTarget = new Map<string, string[]>();
  for (const { info } of elsewhere)
    if (info !== null) byTarget.set(info.target, [...(byTarget.get(info.target) ?? []), info.path]);
  return new Map(
    [...byTarget].map(([target, [first = '', ...more]]) => [
      `target ${target}`,
      lineOf(target, first, more.length),
    ]),
  );
}

function lineOf(target: string, first: string, more: number): string {
  const files = more === 0 ? `${first} is` : `${first} and ${more} more are`;
  const [where, command] =
    target === SANDBOX_TARGET ? ['a rehearsal', 'onboard start --sandbox'] : [target, 'onboard start'];
  return `${files} being processed for ${where}: left alone; \`${command}\` for it goes on`;
}
