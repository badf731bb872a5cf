import type { Entry } from './entry.ts';

/** Tells when entries have been left alone for long enough. */
export type Rest = {
  /** Milliseconds until the entry has been at rest for long enough, if nothing changes; 0: it has. `place` is its folder. */
  left(place: string, entry: Entry): number;
  /** Forgets all that was not asked for since the last call. */
  tidy(): void;
};

/** An entry is at rest once nothing of it has changed for `restMs`: only what this process saw itself counts, no clock of another machine. */
export function createRest(restMs: number, now: () => number): Rest {
  let seen = new Map<string, { stamp: string; since: number }>();
  let asked = new Map<string, { stamp: string; since: number }>();
  return {
    left(place, entry) {
      const id = `${place}\n${entry.path}\n${entry.name.toString('latin1')}`;
      const stamp = stampOf(entry);
      const known = seen.get(id);
      const current = known?.stamp === stamp ? known : { stamp, since: now() };
      seen.set(id, current);
      asked.set(id, current);
      return Math.max(0, current.since + restMs - now());
    },
    tidy() {
      seen = asked;
      asked = new Map();
    },
  };
}

/** Another name or other rights count as well: a program that moves files about may not be done with it. */
function stampOf({ stamp, changedMs, links }: Entry): string {
  return [stamp, changedMs, links].join(':');
}
