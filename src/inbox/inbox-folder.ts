import { resolve, sep } from 'node:path';
import type { Job } from '../config/job-definition.ts';

/** A folder that is watched, and the jobs that may take what is in it. */
export type Inbox = {
  readonly folder: string;
  /** The one of ONBOARD_HOME, where only patterns tell a job. */
  readonly isMain: boolean;
  readonly jobs: readonly Job[];
};

/** Folders of ONBOARD_HOME that are nobody's inbox. */
const RESERVED = ['processing', 'done', 'failed', 'reports', 'journal', 'redis', 'sandbox'];

/** ONBOARD_HOME's inbox and those of the definitions; a relative one is below ONBOARD_HOME. */
export function inboxesOf(jobs: readonly Job[], home: string): Inbox[] {
  const main = resolve(home, 'inbox');
  const own = new Map<string, Job[]>();
  for (const job of jobs) {
    const folder = ownFolder(job, home);
    if (folder !== null && folder !== main) own.set(folder, [...(own.get(folder) ?? []), job]);
  }
  return [
    { folder: main, isMain: true, jobs },
    ...[...own].map(([folder, theirs]) => ({ folder, isMain: false, jobs: theirs })),
  ];
}

/** The endings of marker files in an inbox. */
export function markersOf({ jobs }: Inbox): readonly string[] {
  return jobs.flatMap(({ definition }) => definition.marker ?? []);
}

/** Inboxes of definitions that lie in each other or in a folder with another purpose: a file would be in two. */
export function inboxProblems(jobs: readonly Job[], home: string): string[] {
  const reserved = RESERVED.map((name) => resolve(home, name));
  const inboxes = inboxesOf(jobs, home);
  return inboxes.flatMap(({ folder, isMain, jobs: theirs }) => {
    const others = inboxes.map((inbox) => inbox.folder).filter((other) => other !== folder);
    const clash = isMain ? undefined : [...others, ...reserved].find((other) => overlaps(folder, other));
    const names = theirs.map(({ name }) => name).join(', ');
    return clash === undefined
      ? []
      : [
          `job ${names}: inbox: ${folder} overlaps ${clash}: expected a folder apart from it; name another one`,
        ];
  });
}

function ownFolder({ definition }: Job, home: string): string | null {
  return definition.inbox === undefined ? null : resolve(home, definition.inbox);
}

function overlaps(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
