import type { Entry } from './entry.ts';

/** Tells when entries have been left alone for long enough. */
export type Rest = {
  /** Milliseconds until the entry has been at rest for long enough, if nothing changes; 0: it has. `place` is its folder. */
  left(place: string, entry: Entry): number;
  /** How long this process has known the entry, which `left` was asked for before. */
  waited(place: string, entry: Entry): Waited;
  /** Forgets all that was not asked for since the last call. */
  tidy(): void;
};

export type Waited = { readonly ms: number; readonly isChanged: boolean };

type Seen = { readonly stamp: string; readonly since: number; readonly first: number };

/** An entry is at rest once nothing of it has changed for `restMs`: only what this process saw itself counts, no clock of another machine. */
export function createRest(restMs: number, now: () => number): Rest {
  let seen = new Map<string, Seen>();
  let asked = new Map<string, Seen>();
  return {
    left(place, entry) {
      const id = idOf(place, entry);
      const stamp = stampOf(entry);
      const known = seen.get(id);
      const at = now();
      const current = known?.stamp === stamp ? known : { stamp, since: at, first: known?.first ?? at };
      seen.set(id, current);
      asked.set(id, current);
      return Math.max(0, current.since + restMs - at);
    },
    waited(place, entry) {
      const known = asked.get(idOf(place, entry));
      return known === undefined
        ? { ms: 0, isChanged: false }
        : { ms: now() - known.first, isChanged: known.since !== known.first };
    },
    tidy() {
      seen = asked;
      asked = new Map();
    },
  };
}

function idOf(place: string, { path, name }: Entry): string {
  return `${place}\n${path}\n${name.toString('latin1')}`;
}

/** Another name or other rights count as well: a program that moves files about may not be done with it. */
function stampOf({ stamp, changedMs, links }: Entry): string {
  return [stamp, changedMs, links].join(':');
}
