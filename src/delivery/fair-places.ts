import { createWaitingLine, type WaitingLine } from '../lib/waiting-line.ts';

/**
 * The requests that a process may have in flight at one service, shared by its runs. Where not all can be served, a place that becomes
 * free goes to the run that has had the least for its weight (start-time fair queueing), so that a run that comes new has its next
 * one at once, and within a run to the row that has waited longest.
 */
export type FairPlaces = {
  join(terms: Terms): Share;
  /** Of all runs. */
  taken(): number;
  /** Every place that there is now is taken. */
  isFull(): boolean;
  /** The largest ceiling of the runs that are here. */
  ceiling(): number;
};

export type Terms = {
  /** The most that the run may have at once. */
  readonly ceiling: number;
  /** A run of weight 4 has four places for each one of a run of weight 1 while both wait. */
  readonly weight: number;
};

/** One run's way to the places. */
export type Share = {
  /** Takes a place where one is free; costs next to nothing. */
  tryTake(): boolean;
  /** Calls with true when a place is taken, and with false when the run gives up waiting. `isFirst`: before the run's others. */
  wait(granted: Granted, isFirst: boolean): void;
  release(): void;
  /** Nobody of the run waits any longer: all are called with false. */
  giveUp(): void;
  taken(): number;
  /** How many places the run could take right now. */
  free(): number;
  /** The run comes for nothing more; what it has taken is still to be released. */
  leave(): void;
};

export type Granted = (isTaken: boolean) => void;

export type FairPlacesOptions = {
  /** How many places there are now, given the largest ceiling; whole, 1 or more. */
  readonly limit: (ceiling: number) => number;
  /** A run's first row waits no longer, ms: then it goes beyond the limit. Half a second by default. */
  readonly firstWithinMs?: number;
};

/** Places come free no more often than answers come, and a service may take long for each: a new run's first row waits no longer. */
const FIRST_WITHIN_MS = 500;

type Member = Terms & {
  taken: number;
  /** The virtual time at which the run has had its due for what it was given. */
  due: number;
  readonly waiting: WaitingLine<Granted>;
};

export function createFairPlaces({ limit, firstWithinMs = FIRST_WITHIN_MS }: FairPlacesOptions): FairPlaces {
  const members = new Set<Member>();
  let taken = 0;
  let ceiling = 1;
  /** The virtual time: the start of what was given last. */
  let clock = 0;

  const isFull = () => taken >= limit(ceiling);
  const take = (member: Member) => {
    clock = Math.max(clock, member.due);
    member.due = clock + 1 / member.weight;
    member.taken += 1;
    taken += 1;
  };
  const grant = () => {
    while (!isFull()) {
      const next = nextOf(members);
      if (next === null) return;
      take(next);
      next.waiting.shift()?.(true);
    }
  };
  const measure = () => {
    ceiling = Math.max(1, ...[...members].map((member) => member.ceiling));
  };

  return {
    taken: () => taken,
    isFull,
    ceiling: () => ceiling,
    join(terms) {
      const member: Member = { ...terms, taken: 0, due: 0, waiting: createWaitingLine() };
      members.add(member);
      measure();
      const goFirst = () => {
        if (member.due > 0 || member.waiting.length() === 0) return;
        take(member);
        member.waiting.shift()?.(true);
      };
      let first: NodeJS.Timeout | undefined;
      const giveUp = () => {
        clearTimeout(first);
        for (let next = member.waiting.shift(); next !== undefined; next = member.waiting.shift())
          next(false);
      };
      return {
        taken: () => member.taken,
        free: () => Math.max(0, Math.min(member.ceiling - member.taken, limit(ceiling) - taken)),
        giveUp,
        tryTake() {
          if (member.taken >= member.ceiling || isFull()) return false;
          take(member);
          return true;
        },
        wait(granted, isFirst) {
          if (!members.has(member)) return granted(false);
          if (isFirst) member.waiting.pushFirst(granted);
          else member.waiting.push(granted);
          if (member.due === 0) first ??= setTimeout(goFirst, firstWithinMs).unref();
          grant();
        },
        release() {
          member.taken -= 1;
          taken -= 1;
          grant();
        },
        leave() {
          giveUp();
          members.delete(member);
          measure();
        },
      };
    },
  };
}

/** Of the runs that wait below their ceilings, the one that is to be served next. */
function nextOf(members: ReadonlySet<Member>): Member | null {
  let next: Member | null = null;
  for (const member of members) {
    if (member.taken >= member.ceiling || member.waiting.length() === 0) continue;
    if (next === null || member.due < next.due) next = member;
  }
  return next;
}
