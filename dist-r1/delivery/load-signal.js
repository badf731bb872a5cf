/**
 * What replies say of the service's load, told to the limit of requests in flight: 429, 503, 504 and time-outs lower it, answers that
 * take clearly longer the more requests are in flight lower it too, all others let it rise. A connection that doesn't come about says
 * nothing of load: then the service is away, and the breaker sees to it.
 */
import { TIMED_OUT } from '../service/network-error.js';
/** Tells the limit what a run's replies say of the service's load; to be called with each while its permit is still taken. */
export function createLoadHearing({ limit, fair, trend, now }) {
    return (reply) => {
        const signal = loadSignal(reply);
        if (signal === 'none')
            return;
        // Spelled out: spreading an object that holds a fraction costs a microsecond, and this is done for each request.
        const heardAt = now();
        const tookMs = reply.ms;
        const inFlight = fair.taken();
        if (signal === 'overloaded') {
            limit.overloaded({
                now: heardAt,
                tookMs,
                inFlight,
                ceiling: fair.ceiling(),
                isNamed: isNamed(reply),
            });
            return;
        }
        const isFull = fair.isFull();
        limit.answered({ now: heardAt, tookMs, isUsed: isFull && !trend.isSlow(), ceiling: fair.ceiling() });
        if (signal !== 'carried-out')
            return;
        const told = trend.answered({ now: heardAt, tookMs, inFlight, isUsed: isFull });
        if (told !== null)
            tellLimit(limit, told, { now: heardAt, inFlight });
    };
}
/** A time that the service names with 429 is waited for by all workers. */
function isNamed(reply) {
    return reply.kind === 'response' && reply.status === 429 && (reply.retryAfterMs ?? 0) > 0;
}
function tellLimit(limit, trend, { now, inFlight }) {
    switch (trend.kind) {
        case 'steady':
            limit.steady();
            return;
        case 'slowed':
            limit.slowed({ now, inFlight, share: trend.share });
            return;
        case 'not-ours':
            limit.restored();
            return;
        default:
            trend;
    }
}
/** Too many requests; unavailable; a gateway's time-out. */
const OVERLOADED = new Set([429, 503, 504]);
/** Reads a reply as a sign of the service's load. A connection that doesn't come about is none: then the service is away. */
export function loadSignal(reply) {
    if (reply.kind !== 'response')
        return reply.code === TIMED_OUT ? 'overloaded' : 'none';
    const { status } = reply;
    if (OVERLOADED.has(status))
        return 'overloaded';
    if (status >= 500)
        return 'none';
    return status < 300 ? 'carried-out' : 'borne';
}
//# sourceMappingURL=load-signal.js.map