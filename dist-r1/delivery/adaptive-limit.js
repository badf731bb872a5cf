const START = 50;
/** What is left of the limit after trouble. `again`: no round trip was without trouble since the last cut, so it is far too high. */
const SHARE = { few: 0.9, first: 0.8, again: 0.5 };
/** No cut goes below this for longer answers: they are a weak sign, and a few requests no great load. */
const LEAST_IF_SLOWED = 8;
/** Requests per second cubed (RFC 9438, 5.1): 20 more in 3.7 seconds from the knee, the first after 1.4. */
const GROWTH = 0.4;
/** Per answer: a fifth more in a round trip, or one more, however long that takes; what it did is seen no sooner. */
const LARGEST_STEP = 0.2;
/** After so long without an answer what was learnt of the service is forgotten. */
const FORGET_MS = 60_000;
export function createAdaptiveLimit() {
    let sense = createRefusalSense();
    let limit = START;
    /** What the limit may double up to until the first trouble. */
    let allowed = START;
    let curve = null;
    let cutAt = Number.NEGATIVE_INFINITY;
    let heardAt = Number.NEGATIVE_INFINITY;
    /** Answers until the limit counts as not reached. */
    let used = 0;
    let beforeSlowed = null;
    const forget = () => {
        [limit, allowed, curve, cutAt] = [START, START, null, Number.NEGATIVE_INFINITY];
        sense = createRefusalSense();
    };
    /** Answers how much of the time since the last answer this request was under way. */
    const hear = ({ now, tookMs }) => {
        used -= 1;
        if (now - tookMs - heardAt > FORGET_MS)
            forget();
        const sinceMs = Math.min(now - heardAt, tookMs);
        heardAt = now;
        return sinceMs;
    };
    const cut = (now, knee, to) => {
        limit = Math.max(1, Math.min(limit, to));
        curve = { knee: Math.max(limit, knee), start: limit, usedMs: 0 };
        cutAt = now;
        sense.cut(knee + 1);
    };
    const grow = (ceiling, usedMs) => {
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
            if (now - tookMs < cutAt)
                return;
            sense.borne(Math.min(limit, ceiling));
            if (isUsed)
                used = limit;
            if (used > 0 && limit < ceiling)
                grow(ceiling, usedMs);
        },
        overloaded(answer) {
            const { now, tookMs, inFlight, ceiling, isNamed } = answer;
            hear(answer);
            // One trouble of one round trip, however many of its requests tell of it.
            if (now - tookMs < cutAt)
                return;
            const most = Math.max(1, Math.floor(Math.min(limit, ceiling)));
            // Of those that were begun together the others may have been answered by now.
            const reached = used > 0 ? most : Math.max(1, Math.min(inFlight, most));
            const told = sense.refused({ level: reached, limit, isNamed });
            if (told === 'unclear')
                return;
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
            if (beforeSlowed?.at === cutAt)
                ({ limit, curve } = beforeSlowed);
            beforeSlowed = null;
        },
    };
}
function heightOf({ knee, start, usedMs }) {
    const untilKnee = Math.cbrt((knee - start) / GROWTH);
    return knee + GROWTH * (usedMs / 1000 - untilKnee) ** 3;
}
/** Of the answers of one round trip: that many refusals are no accident. */
const TOO_MANY = 0.2;
/** Where a round trip has fewer, several count as one. */
const TRIP_MIN = 50;
const PROOF_MIN = 10;
/** Nor are so many with none between them that was borne. */
const IN_A_ROW = 4;
function createRefusalSense() {
    let trip = null;
    /** So many in flight were borne for a whole round trip. */
    let proven = 0;
    let borneSinceCut = 0;
    let borneSinceNamed = 0;
    let inARow = 0;
    /** True: this trip has had too many. */
    const count = (limit, refusals) => {
        trip ??= beginTrip(limit);
        trip.left -= 1;
        trip.refusals += refusals;
        if (trip.refusals >= trip.answers * TOO_MANY)
            return true;
        const answers = trip.answers - trip.left;
        const isProof = answers >= Math.max(trip.level, PROOF_MIN) && trip.refusals < answers * TOO_MANY;
        if (isProof)
            proven = Math.max(proven, trip.level);
        if (trip.left <= 0)
            trip = null;
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
            if (isNamed)
                borneSinceNamed = 0;
            if (isTooMany || (isNamed && level > proven))
                return borneSinceCut >= limit ? 'first' : 'again';
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
function beginTrip(limit) {
    const answers = Math.max(limit, TRIP_MIN);
    return { level: Math.floor(limit), answers, left: answers, refusals: 0 };
}
//# sourceMappingURL=adaptive-limit.js.map