import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newRunId } from '../ledger/run-id.ts';
import { sleep } from '../lib/sleep.ts';
import { ABROAD, prepareAbroad, withinAbroad } from './abroad.ts';
import { bringHome } from './bring-home.ts';
import { type Claim, type ClaimInfo, claimEntry } from './claim.ts';
import { dropClaim } from './claims.ts';
import type { InboxDesk } from './desk.ts';
import { errorCode } from './error-code.ts';
import { giveBack } from './give-back.ts';
import { originalOf } from './originals.ts';
import type { Takeable } from './placed.ts';
import { inFolder } from './within-folder.ts';

/** Takes files out of their inboxes, each under an id that its run will have. */
type Claiming = {
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
  const claimAs = async (file: Takeable, isAbroad: boolean) => {
    const id = await freshId();
    const { member } = desk.runs.registration.gate;
    const info = infoOf(file, desk.runs.service.target, isAbroad);
    return claimEntry(file.entry, { base: desk.places.processing, id, member, info });
  };
  return {
    async claim(file) {
      const { folder } = file.inbox;
      try {
        if (!foreign.has(folder)) return await claimAs(file, false);
      } catch (error) {
        if (errorCode(error) !== 'EXDEV') throw error;
        foreign.add(folder);
      }
      await prepareAbroad(folder);
      return claimAs(file, true);
    },
  };
}

function infoOf({ inbox, entry, job }: Takeable, target: string, isAbroad: boolean): ClaimInfo {
  const { marker } = job.definition;
  return {
    job: job.name,
    target,
    inbox: inbox.folder,
    path: entry.path,
    claimedAt: new Date().toISOString(),
    stamp: entry.stamp,
    marker: marker === undefined ? null : `${entry.name.toString('utf8')}${marker}`,
    isAbroad,
  };
}

/** The claim with its file below ONBOARD_HOME; `null`: there is none to go on with, as was said, or this process is to end. */
export async function atHome(claim: Claim, desk: InboxDesk, signal: AbortSignal): Promise<Claim | null> {
  let current = claim;
  while (current.info.isAbroad && current.copied === null && !signal.aborted) {
    const brought = await bringHome(current);
    switch (brought.kind) {
      case 'home':
        return brought.claim;
      case 'refused':
        return refuseAbroad(current, brought.why, desk);
      case 'gone':
        return undo(current, desk);
      case 'changed':
        current = { ...current, info: { ...current.info, stamp: brought.stamp } };
        await sleep(desk.restMs, signal);
        break;
      default:
        return brought satisfies never;
    }
  }
  return signal.aborted ? null : current;
}

/** It can't be moved to another file system without being read: it stays where nobody looks. */
async function refuseAbroad(claim: Claim, why: string, desk: InboxDesk): Promise<null> {
  const { info, id } = claim;
  const aside = `refused-${id}`;
  await withinAbroad(info.inbox, (path) => rename(inFolder(path, id), inFolder(path, aside)));
  await dropClaim(claim);
  desk.teller.line(`${info.path}: not taken: ${why}. It lies in ${join(info.inbox, ABROAD, aside)}`);
  return null;
}

/** Its watcher was killed before the file was moved, or somebody removed it. */
async function undo(claim: Claim, { places, teller }: InboxDesk): Promise<null> {
  await giveBack({ ...claim, name: null }, places.inbox);
  teller.line(`${claim.info.path}: not taken for now: it is not in ${originalOf(claim)}`);
  return null;
}
