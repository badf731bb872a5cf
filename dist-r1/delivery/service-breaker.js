/**
 * What this process knows of a service beside the breaker that all workers share: whether its requests are answered, and since when none
 * is. The retry policy decides by that whether a row has failed or the service is away. Any definite answer, a refusal too, is a success.
 */
/** The service is there, and says so to this caller. */
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
export function createServiceBreaker(now, shared, 
/** The longest that the run waits for the service, ms. */
awayMs) {
    // An outage that nobody has been through since is no news: a run that goes on looks for itself.
    const begunAt = now();
    let lastAnswer = Number.NEGATIVE_INFINITY;
    let lastThrough = Number.NEGATIVE_INFINITY;
    let awaySince = null;
    return {
        succeeded(tookMs) {
            lastAnswer = now();
            lastThrough = Math.max(lastThrough, lastAnswer - tookMs);
            awaySince = null;
        },
        async failed({ mark, status, afterMs, cause }) {
            const asked = now();
            // A limit on the caller concerns every row of every worker; it says that the service is there.
            const isLimit = status === TOO_MANY_REQUESTS;
            // Any other answer names a time for its row alone, unless that is too long to be waited for.
            const isHold = isLimit || (afterMs ?? 0) > awayMs;
            const away = await shared.failed({
                mark,
                isFailure: !isLimit && status !== UNAUTHORIZED,
                holdMs: isHold ? (afterMs ?? 0) : 0,
                cause,
            });
            // An answer that came meanwhile is the newer news.
            if (lastAnswer < asked)
                awaySince = Math.max(now() - away, begunAt);
        },
        answeredSince: (time) => lastAnswer >= time,
        getsThroughSince: (time) => lastThrough >= time,
        awayFor: () => (awaySince === null ? 0 : now() - awaySince),
    };
}
//# sourceMappingURL=service-breaker.js.map