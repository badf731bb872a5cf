import { type Job, jobsBefore } from '../config/job-definition.ts';
import { entryProblem } from './entry.ts';
import { markersOf } from './inbox-folder.ts';
import { jobsFor } from './match-job.ts';
import { isNeverTaken, nameWhenWhole } from './never-taken.ts';
import type { InboxLook, Takeable, Waiting, WaitReason } from './placed.ts';

/** Job → a file of it that is in an inbox, whole or still on its way. */
export function presentJobs(looks: readonly InboxLook[]): ReadonlyMap<string, string> {
  const present = new Map<string, string>();
  for (const { inbox, entries } of looks) {
    const markers = markersOf(inbox);
    for (const entry of entries) {
      const path = nameWhenWhole(entry.path);
      const isAside = path === entry.path && isNeverTaken(entry.name.toString('utf8'), markers);
      if (isAside || entryProblem(entry) !== null) continue;
      for (const { name } of jobsFor(path, inbox)) present.set(name, entry.path);
    }
  }
  return present;
}

/** Files of jobs that wait for others stay as long as there is anything of those. */
export function inOrder(
  { take, wait }: { readonly take: readonly Takeable[]; readonly wait: readonly Waiting[] },
  busy: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): { readonly take: readonly Takeable[]; readonly wait: readonly Waiting[] } {
  const blocked = take.map((one) => ({ ...one, why: blockOf(one.job, busy, present) }));
  return {
    take: blocked.flatMap(({ why, ...one }) => (why === null ? [one] : [])),
    wait: [
      ...wait,
      ...blocked.flatMap(({ why, job, ...one }) => (why === null ? [] : [{ ...one, job: job.name, why }])),
    ],
  };
}

function blockOf(
  job: Job,
  busy: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): WaitReason | null {
  for (const other of jobsBefore(job.definition)) {
    const file = present.get(other);
    const because = file === undefined ? busy.get(other) : `${file} waits in the inbox`;
    if (because !== undefined) return { kind: 'after', job: other, because };
  }
  return null;
}
