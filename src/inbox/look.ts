import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { busyJobs } from './busy.ts';
import type { InboxDesk } from './desk.ts';
import { type Inbox, inboxesOf } from './inbox-folder.ts';
import { type Listing, listEntries } from './list-entries.ts';
import type { Placed, Takeable } from './placed.ts';
import { elsewhereLines, type LeftClaim, type Recovery } from './recover.ts';
import type { Rest, Waited } from './rest.ts';
import type { InboxSchedules } from './schedules.ts';
import { type SortedOut, sortOut } from './sort-out.ts';
import { byUrgency } from './urgency.ts';
import { leftWords, waitingLines } from './waiting.ts';
import type { IsClosed } from './window.ts';
import type { Works } from './works.ts';

/** What one look at everything found to be done, the most urgent first. */
export type Look = {
  readonly left: LeftClaim[];
  readonly take: Takeable[];
  readonly refuse: SortedOut['refuse'];
  /** The inboxes and their sub-folders. */
  readonly folders: readonly string[];
  /** Why files stay where they are, for people; empty where none does. */
  readonly leftWords: string;
  /** Until the next file may be whole; `null`: none is on its way. */
  readonly nextMs: number | null;
};

export type Looking = {
  readonly desk: InboxDesk;
  readonly works: Works;
  readonly recovery: Recovery;
  readonly schedules: InboxSchedules;
  readonly rest: Rest;
  readonly isClosed: IsClosed;
};

/** Looks at the definitions, at the claims that nobody has, and through all inboxes; tells why files wait. */
export async function lookAround({
  desk,
  works,
  recovery,
  schedules,
  rest,
  isClosed,
}: Looking): Promise<Look> {
  const { book, runs, teller } = desk;
  if (await book.refresh()) await schedules.keep();
  const inboxes = inboxesOf(book.jobs(), runs.env.home);
  const { others, left, elsewhere } = await recovery.look(inboxes);
  const troubles = new Map([
    ...elsewhereLines(elsewhere),
    ...[...book.broken()].map(([job, problems]) => [`broken ${job}`, brokenWords(job, problems)] as const),
  ]);
  const looks = (await Promise.all(inboxes.map((inbox) => lookInto(inbox, troubles)))).map((one) => ({
    ...one,
    entries: one.entries.filter((entry) => !desk.rehearsal.has(one.inbox.folder, entry)),
  }));
  const [releases, next] = await Promise.all([schedules.releases(), schedules.next()]);
  const busy = await busyJobs(desk, new Map([...claimedJobs(left), ...works.jobs()]), others);
  const releasedAt = (job: string) => releases.get(job) ?? null;
  const restLeft = ({ inbox, entry }: Placed) => rest.left(inbox.folder, entry);
  const sorted = sortOut(looks, {
    restLeft,
    isHeldByWindow: isClosed,
    isGivenUp: ({ inbox, entry }, job) =>
      desk.once && isRestless(rest.waited(inbox.folder, entry), job, desk),
    broken: new Set(book.broken().keys()),
    releasedAt,
    busy,
  });
  rest.tidy();
  teller.waiting(new Map([...troubles, ...waitingLines(sorted.wait, next)]));
  return {
    ...byUrgency({ left, take: sorted.take }, book),
    refuse: sorted.refuse,
    leftWords: leftWords(sorted.wait, next),
    folders: looks.flatMap(({ inbox, folders }) => [
      inbox.folder,
      ...folders.map((path) => join(inbox.folder, path)),
    ]),
    nextMs: sorted.nextMs,
  };
}

/** A folder that can't be looked into is waited for: it may be on a file system that is away. */
async function lookInto(
  inbox: Inbox,
  troubles: Map<string, string>,
): Promise<Omit<Listing, 'problems'> & { readonly inbox: Inbox }> {
  try {
    if (inbox.isMain) await makeFolder(inbox.folder);
    const { entries, folders, problems } = await listEntries(inbox.folder);
    for (const problem of problems) troubles.set(`${inbox.folder} ${problem}`, `${inbox.folder}: ${problem}`);
    return { inbox, entries, folders };
  } catch (error) {
    const code = errorCode(error);
    if (code === '') throw error;
    troubles.set(
      inbox.folder,
      `${inbox.folder}: this inbox can't be looked into (${code}): it is looked for again`,
    );
    return { inbox, entries: [], folders: [] };
  }
}

const SHORTEST_PATIENCE_MS = 30_000;

/** What belongs to a job is waited for at length, what belongs to none only as long as it may be whole already. */
function isRestless({ ms, isChanged }: Waited, hasJob: boolean, { restMs }: InboxDesk): boolean {
  return hasJob ? ms >= Math.max(10 * restMs, SHORTEST_PATIENCE_MS) : isChanged;
}

function claimedJobs(left: readonly LeftClaim[]): Array<readonly [string, string]> {
  return left.flatMap(({ found: { info } }) =>
    info === null ? [] : [[info.job, `${info.path} is to be gone on with`] as const],
  );
}

function brokenWords(job: string, problems: readonly string[]): string {
  return [`The definition of ${job} can't be used any more; its files wait:`, ...problems].join('\n  ');
}
