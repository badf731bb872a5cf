/**
 * Whether and when a row is tried again, as a pure decision: an outage costs time, not rows. A row is given up only when its attempts are
 * used up while other rows get through; when none gets through for too long, the service is away, and the run pauses.
 */
/** An answer with a time to come back uses up none of a row's attempts, but only so many of them are waited for. */
const ALL_ATTEMPTS_FACTOR = 10;
/** `Retry-After: 0` is no invitation to a tight loop. */
const SHORTEST_WAIT_MS = 50;
/** The decision for a row whose latest attempt may be followed by another. */
export function nextTry(tries, verdict, policy) {
    if (policy.breaker.awayFor() >= policy.awayMs)
        return { kind: 'away' };
    if ((verdict.afterMs ?? 0) > policy.awayMs)
        return { kind: 'hold' };
    const counted = tries.made - tries.throttled;
    const usedUp = counted >= policy.attempts || tries.made >= policy.attempts * ALL_ATTEMPTS_FACTOR;
    if (usedUp && othersGetThrough(tries, verdict, policy.breaker))
        return { kind: 'give-up' };
    return { kind: 'wait', ms: Math.max(verdict.afterMs ?? policy.backoffMs(counted), SHORTEST_WAIT_MS) };
}
/**
 * No connection came about: that says nothing of this row, and a service that has gone still answers what was begun before. So others
 * have to get through while this row doesn't: one that was first tried in the last moment of a service probes through its whole outage.
 */
const UNCONNECTED = new Set([
    'connection_refused',
    'name_not_found',
    'host_unreachable',
    'connect_timeout',
    'tls_failed',
]);
function othersGetThrough({ startedAt, previousAt }, { code }, breaker) {
    return UNCONNECTED.has(code) ? breaker.getsThroughSince(previousAt) : breaker.answeredSince(startedAt);
}
//# sourceMappingURL=retry-policy.js.map