/**
 * Tells whether a request that was one too many was so because of their number. One in so many fails at any service, for reasons of its
 * own: fewer requests don't help against those, and a limit that fell at each would end at one.
 */
export type RefusalSense = {
  /** A request was borne that was begun under the limit in force. */
  borne(limit: number): void;
  /**
   * One was not. `first`, `again`: there were too many, and that is new, or still so; `few`: too many by little, if it was their number;
   * `unclear`: the answers to come will tell.
   */
  refused(refusal: Refusal): Refused;
  /** The limit was cut at so many in flight. */
  cut(level: number): void;
};

export type Refused = 'first' | 'again' | 'few' | 'unclear';

export type Refusal = {
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

export function createRefusalSense(): RefusalSense {
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
