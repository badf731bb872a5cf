import { removeMember } from '../journal/folder.ts';
import type { Journal } from '../journal/journal.ts';
import { isDeadHere, listMembers } from '../journal/member.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { LedgerGate } from '../ledger/gate.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { isOver } from '../model/run.ts';

/** A Redis that fails over just after a run has ended would send its last rows again, were they forgotten by then. */
const KEPT_AFTER_END_MS = 600_000;

export type TidyOptions = {
  /** Where the journals of this home are. */
  readonly folder: string;
  readonly target: string;
  readonly store: RunStore;
};

/** Forgets runs that ended a while ago, and answers them. */
export async function forgetEnded(
  { store }: Pick<TidyOptions, 'store'>,
  journal: Journal,
): Promise<string[]> {
  const ended: string[] = [];
  for (const run of journal.runs()) if (await hasLongEnded(run, store)) ended.push(run);
  for (const run of ended) await journal.forget(run);
  return ended;
}

/** Journals of processes that are gone, of which every run has ended a while ago. */
export async function removeEnded(options: TidyOptions, gate: LedgerGate): Promise<void> {
  const { folder } = options;
  for (const member of await listMembers(folder)) {
    if (member === gate.member || !isDeadHere(member) || (await isNeeded(member, options))) continue;
    // Without its journal nobody could check in for it when Redis comes back.
    await gate.letGo(member);
    await removeMember(folder, member);
  }
}

async function isNeeded(member: string, { folder, store, target }: TidyOptions): Promise<boolean> {
  for await (const part of readJournal(folder, member)) {
    // The runs come first.
    if (part.kind !== 'run') break;
    if (part.target !== target || !(await hasLongEnded(part.run, store))) return true;
  }
  return false;
}

async function hasLongEnded(id: string, store: RunStore): Promise<boolean> {
  const run = await store.get(id);
  if (run === null || !isOver(run)) return false;
  return Date.now() - Date.parse(run.finishedAt ?? run.createdAt) > KEPT_AFTER_END_MS;
}
