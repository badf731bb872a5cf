import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { bringHome, FOREIGN_CLAIMS, foreignBase } from '../intake/inbox/bring-home.ts';
import { type Claim, type ClaimInfo, claimEntry } from '../intake/inbox/claim.ts';
import { errorCode } from '../intake/inbox/error-code.ts';
import type { Takeable } from '../intake/inbox/placed.ts';
import { newRunId } from '../ledger/run-id.ts';
import { sleep } from '../lib/sleep.ts';
import type { InboxDesk } from './inbox-desk.ts';

/** Takes files out of their inboxes, each under an id that its run will have. */
export type Claiming = {
  /** `null`: another watcher was faster, or the file is gone. */
  claim(file: Takeable): Promise<Claim | null>;
};

export function createClaiming(desk: InboxDesk): Claiming {
  const { index } = desk.runs.ledger;
  // Inboxes on another file system than ONBOARD_HOME.
  const foreign = new Set<string>();
  const used = new Set<string>();
  const freshId = async (): Promise<string> => {
    const id = newRunId(new Date());
    if (used.has(id) || (await index.targetOf(id)) !== null) return freshId();
    used.add(id);
    return id;
  };
  const claimIn = async (file: Takeable, base: string) =>
    claimEntry(file.entry, {
      base,
      id: await freshId(),
      member: desk.runs.membership.gate.member,
      info: infoOf(file),
    });
  return {
    async claim(file) {
      const { folder } = file.inbox;
      try {
        if (!foreign.has(folder)) return await claimIn(file, desk.places.processing);
      } catch (error) {
        if (errorCode(error) !== 'EXDEV') throw error;
        foreign.add(folder);
      }
      return claimIn(file, await foreignBase(folder));
    },
  };
}

function infoOf({ inbox, entry, job }: Takeable): ClaimInfo {
  const { marker } = job.definition;
  return {
    job: job.name,
    inbox: inbox.folder,
    path: entry.path,
    claimedAt: new Date().toISOString(),
    stamp: entry.stamp,
    marker: marker === undefined ? null : `${entry.name.toString('utf8')}${marker}`,
  };
}

/** The claim with its file below ONBOARD_HOME; `null`: it can't be read, as was said, or this process is to end. */
export async function atHome(claim: Claim, desk: InboxDesk, signal: AbortSignal): Promise<Claim | null> {
  const { processing } = desk.places;
  let current = claim;
  while (current.folder !== join(processing, current.id) && !signal.aborted) {
    const brought = await bringHome(current, processing);
    if (brought.kind === 'home') return brought.claim;
    if (brought.kind === 'refused') return refuseAbroad(current, brought.why, desk);
    current = { ...current, info: { ...current.info, stamp: brought.stamp } };
    await sleep(desk.restMs, signal);
  }
  return signal.aborted ? null : current;
}

/** It can't be moved to another file system without being read: it stays where nobody looks. */
async function refuseAbroad({ id, info, folder }: Claim, why: string, desk: InboxDesk): Promise<null> {
  const aside = join(info.inbox, FOREIGN_CLAIMS, `.refused-${id}`);
  await rename(folder, aside);
  desk.teller.line(`${info.path}: not taken: ${why}. It lies in ${aside}`);
  return null;
}
