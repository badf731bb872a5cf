/**
 * How many files lie in the inboxes and how many are taken, for monitoring: counted, never opened.
 */
import type { InboxNumbers } from '../metrics/registry.ts';
import { listClaims } from './claim.ts';
import { listEntries } from './entry.ts';
import { inboxesOf } from './job-book.ts';
import type { Watcher } from './watcher.ts';

/** A folder that can't be read counts as empty. */
export function countFiles({ book, home, places }: Pick<Watcher, 'book' | 'home' | 'places'>) {
  return async (): Promise<InboxNumbers> => {
    const listings = await Promise.all(
      inboxesOf(book.jobs(), home).map(({ folder }) => listEntries(folder).catch(() => ({ entries: [] }))),
    );
    const claims = await listClaims(places.processing);
    return {
      waiting: agesOf(listings.flatMap(({ entries }) => entries.map(({ changedMs }) => changedMs))),
      processing: agesOf(claims.flatMap(({ info }) => (info === null ? [] : [Date.parse(info.claimedAt)]))),
    };
  };
}

function agesOf(times: readonly number[]) {
  const oldest = times.reduce((least, time) => Math.min(least, time), Date.now());
  return { files: times.length, oldestSeconds: Math.max(0, Date.now() - oldest) / 1000 };
}
