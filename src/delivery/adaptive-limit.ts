/**
 * How many requests one process may have in flight at a service that documents no limit. It begins at 50, more than most
 * jobs ask for, so that a service without trouble is not kept waiting, and may double up to the ceiling as often as answers are seen to take
 * no longer, until the first trouble. From then on it falls by a share at each trouble and grows again with the time for which it is used:
 * quickly back to where the trouble was, slowly about there, then ever faster (the curve of CUBIC, RFC 9438). Slowly, since a service may
 * answer the one request too many by asking everybody to wait for seconds; with the time and not with the answers, so that quick answers
 * don't bring trouble more often.
 */
export type AdaptiveLimit = {
  /** A whole number from 1 up to the ceiling. */
  current(ceiling: number): number;
  /** The service bore a request. `isUsed`: as many were in flight as may be; a limit that isn't reached in a round trip doesn't grow. */
  answered(answer: Heard & { readonly isUsed: boolean; readonly ceiling: number }): void;
  /** The service was overloaded by a request: 429, 503, a time-out. `isNamed`: it asked all workers for a hold of a given time. */
  overloaded(
    answer: Heard & { readonly inFlight: number; readonly ceiling: number; readonly isNamed: boolean },
  ): void;
  /** Answers take no longer than they did with fewer in flight. */
  steady(): void;
  /** Answers take longer the more are in flight: `share` of them would be answered as fast as ever. */
  slowed(trouble: { readonly now: number; readonly inFlight: number; readonly share: number }): void;
  /** The cut for slow answers did not help: the limit is as before it, unless there was other trouble since. */
  restored(): void;
};

/** When an answer came and how long it took, ms. */
type Heard = { readonly now: number; readonly tookMs: number };

/** Where trouble began, how far down the limit went for it, and for how long it has been used since. */
type Curve = { readonly knee: number; readonly start: number; usedMs: number };

const START = 50;
/** What is left of the limit after trouble. `again`: no round trip was without trouble since the last cut, so it is far too high. */
const SHARE: Readonly<Record<Exclude<Refused, 'unclear'>, number>> = { few: 0.9, first: 0.8, again: 0.5 };
/** No cut goes below this for longer answers: they are a weak sign, and a few requests no great load. */
const LEAST_IF_SLOWED = 8;
/** Requests per second cubed (RFC 9438, 5.1): 20 more in 3.7 seconds from the knee, the first after 1.4. */
const GROWTH = 0.4;
/** Per answer: a fifth more in a round trip, or one more, however long that takes; what it did is seen no sooner. */
const LARGEST_STEP = 0.2;
/** After so long without an answer what was learnt of the service is forgotten. */
const FORGET_MS = 60_000;

export function createAdaptiveLimit(): AdaptiveLimit {
  let sense = createRefusalSense();
  let limit = START;
  /** What the limit may double up to until the first trouble. */
  let allowed = START;
  let curve: Curve | null = null;
  let cutAt = Number.NEGATIVE_INFINITY;
  let heardAt = Number.NEGATIVE_INFINITY;
  /** Answers until the limit counts as not reached. */
  let used = 0;
  let beforeSlowed: { readonly limit: number; readonly curve: Curve | null; readonly at: number } | null =
    null;

  const forget = () => {
    [limit, allowed, curve, cutAt] = [START, START, null, Number.NEGATIVE_INFINITY];
    sense = createRefusalSense();
  };
  /** Answers how much of the time since the last answer this request was under way. */
  const hear = ({ now, tookMs }: Heard): number => {
    used -= 1;
    if (now - tookMs - heardAt > FORGET_MS) forget();
    const sinceMs = Math.min(now - heardAt, tookMs);
    heardAt = now;
    return sinceMs;
  };
  const cut = (now: number, knee: number, to: number) => {
    limit = Math.max(1, Math.min(limit, to));
    curve = { knee: Math.max(limit, knee), start: limit, usedMs: 0 };
    cutAt = now;
    sense.cut(knee + 1);
  };
  const grow = (ceiling: number, usedMs: number) => {
    if (curve === null) {
      limit = Math.min(limit + 1, allowed, ceiling);
      return;
    }
    curve.usedMs += usedMs;
    const step = Math.min(Math.max(LARGEST_STEP, 1 / limit), heightOf(curve) - limit);
    limit = Math.min(limit + Math.max(0, step), ceiling);
  };

  return {
    current: (ceiling) => Math.max(1, Math.floor(Math.min(limit, ceiling))),
    answered(answer) {
      const { now, tookMs, isUsed, ceiling } = answer;
      const usedMs = hear(answer);
      // What was begun before the cut says nothing of the limit that is in force.
      if (now - tookMs < cutAt) return;
      sense.borne(Math.min(limit, ceiling));
      if (isUsed) used = limit;
      if (used > 0 && limit < ceiling) grow(ceiling, usedMs);
    },
    overloaded(answer) {
      const { now, tookMs, inFlight, ceiling, isNamed } = answer;
      hear(answer);
      // One trouble of one round trip, however many of its requests tell of it.
      if (now - tookMs < cutAt) return;
      const most = Math.max(1, Math.floor(Math.min(limit, ceiling)));
      // Of those that were begun together the others may have been answered by now.
      const reached = used > 0 ? most : Math.max(1, Math.min(inFlight, most));
      const told = sense.refused({ level: reached, limit, isNamed });
      if (told === 'unclear') return;
      const level = told === 'few' ? most : reached;
      // One fewer is not known to be too many.
      cut(now, level - 1, level * SHARE[told]);
    },
    steady() {
      allowed = limit * 2;
    },
    slowed({ now, inFlight, share }) {
      beforeSlowed = { limit, curve, at: now };
      const level = Math.min(inFlight, limit);
      const to = Math.max(Math.min(level, LEAST_IF_SLOWED), level * share);
      cut(now, to, to);
    },
    restored() {
      if (beforeSlowed?.at === cutAt) ({ limit, curve } = beforeSlowed);
      beforeSlowed = null;
    },
  };
}

function heightOf({ knee, start, usedMs }: Curve): number {
  const untilKnee = Math.cbrt((knee - start) / GROWTH);
  return knee + GROWTH * (usedMs / 1000 - untilKnee) ** 3;
}

/**
 * Tells whether a request was refused because too many were in flight. At any service some requests fail for reasons of their own:
 * fewer requests don't help against those, and a limit that fell at each would end at one.
 */
type RefusalSense = {
  /** A request was borne that was begun under the limit in force. */
  borne(limit: number): void;
  /**
   * A request was refused. `first`, `again`: too many are in flight, which is new, or still so; `few`: too many by little, if that was why;
   * `unclear`: the answers to come will tell.
   */
  refused(refusal: Refusal): Refused;
  /** The limit was cut at so many in flight. */
  cut(level: number): void;
};

type Refused = 'first' | 'again' | 'few' | 'unclear';

type Refusal = {
  readonly limit: number;
  /** The requests in flight. */
  readonly level: number;
  /** The service has named a time for which everybody is to wait: a mistake is dear. */
  readonly isNamed: boolean;
};

/** Of the answers of one round trip: that many refusals are no accident. */
const TOO_MANY = 0.2;
/** Where a round trip has fewer, several count as one. */
const TRIP_MIN = 50;
const PROOF_MIN = 10;
/** Nor are so many with none between them that was borne. */
const IN_A_ROW = 4;
type Trip = { readonly level: number; readonly answers: number; left: number; refusals: number };

function createRefusalSense(): RefusalSense {
  let trip: Trip | null = null;
  /** So many in flight were borne for a whole round trip. */
  let proven = 0;
  let borneSinceCut = 0;
  let borneSinceNamed = 0;
  let inARow = 0;

  /** True: this trip has had too many. */
  const count = (limit: number, refusals: number): boolean => {
    trip ??= beginTrip(limit);
    trip.left -= 1;
    trip.refusals += refusals;
    if (trip.refusals >= trip.answers * TOO_MANY) return true;
    const answers = trip.answers - trip.left;
    const isProof = answers >= Math.max(trip.level, PROOF_MIN) && trip.refusals < answers * TOO_MANY;
    if (isProof) proven = Math.max(proven, trip.level);
    if (trip.left <= 0) trip = null;
    return false;
  };

  return {
    borne(limit) {
      borneSinceCut += 1;
      borneSinceNamed += 1;
      inARow = 0;
      count(limit, 0);
    },
    refused({ limit, level, isNamed }) {
      inARow += 1;
      const isTooMany = count(limit, 1) || inARow >= IN_A_ROW;
      const borne = borneSinceNamed;
      if (isNamed) borneSinceNamed = 0;
      if (isTooMany || (isNamed && level > proven)) return borneSinceCut >= limit ? 'first' : 'again';
      // A service that bears a few less than it did would have everybody wait again and again.
      return isNamed && borne < limit ? 'few' : 'unclear';
    },
    cut(level) {
      proven = Math.min(proven, level - 1);
      borneSinceCut = 0;
      inARow = 0;
      trip = null;
    },
  };
}

function beginTrip(limit: number): Trip {
  const answers = Math.max(limit, TRIP_MIN);
  return { level: Math.floor(limit), answers, left: answers, refusals: 0 };
}
