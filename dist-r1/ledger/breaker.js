/**
 * The circuit breaker of a service, shared by all workers of a target. Closed: rows go out. After ten failures in a row it opens for a
 * pause that doubles with each probe that fails; then it is half-open: one row probes, the others wait, and a definite answer to the
 * probe closes it. A hold is a pause that the service itself has asked for. The script INTEND asks the breaker before each row, so no
 * worker can pass it; here failures are recorded and its state is read.
 */
import { z } from 'zod';
import { FAILURE } from './lua/breaker.js';
import { script } from './script.js';
/** This many failures in a row, over all workers, open the breaker. */
const FAILURES_IN_A_ROW = 10;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const recordFailure = script(FAILURE, z.coerce.number());
export function createSharedBreaker(redis, keys) {
    return {
        failed: ({ mark, isFailure, holdMs, cause }) => {
            const limits = [FAILURES_IN_A_ROW, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS];
            return recordFailure(redis, [keys.breaker], [mark, isFailure ? 1 : 0, ...limits, Math.ceil(holdMs), cause]);
        },
        read: async () => reportOf(await redis.hgetall(keys.breaker), Date.now()),
        async liftHold() {
            await redis.hdel(keys.breaker, 'hold');
        },
    };
}
function reportOf(fields, now) {
    const number = (name) => Number(fields[name] ?? 0);
    const isAway = fields.until !== undefined;
    const isHeld = number('hold') > now;
    const isFailing = fields.since !== undefined && number('failures') > 0;
    const nextAt = Math.max(number('until'), number('hold'), number('probing'));
    return {
        state: isAway ? 'away' : isHeld ? 'held' : isFailing ? 'failing' : 'well',
        failuresInARow: number('failures'),
        cause: number('failures') > 0 ? (fields.cause ?? null) : null,
        since: fields.since === undefined ? null : new Date(number('since')).toISOString(),
        isProbing: number('probing') > now,
        nextAt: nextAt > now ? new Date(nextAt).toISOString() : null,
        heldUntil: isHeld ? new Date(number('hold')).toISOString() : null,
    };
}
//# sourceMappingURL=breaker.js.map