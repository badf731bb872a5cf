/** What the check asks of a target's ledger, where there is one; nothing is changed by it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrlOf, SANDBOX_TARGET } from '../delivery/target.js';
import { readKeys } from '../ledger/key-claims.js';
import { runOfFile } from '../ledger/run-store.js';
import { UsageError } from '../lib/usage-error.js';
import { OUTCOMES, wasAccepted } from '../model/outcome.js';
import { summarize } from '../report/summary.js';
import { openLedger } from '../session.js';
/** Looks into the ledger of the environment, or of the rehearsals, where there is one; closed by the releasers. */
export async function openLook(env, sandbox, { log, releasers }) {
    const outside = sandbox || env.baseUrl === null ? null : baseUrlOf(env.baseUrl);
    const target = sandbox ? SANDBOX_TARGET : outside;
    if (target === null)
        return none('MSB_BASE_URL is not set, and neither is --sandbox');
    if (env.redis === null && !existsSync(join(env.home, 'redis'))) {
        return none(`there is no ledger in ${env.home} yet`);
    }
    try {
        return createLook(await openLedger(env, log, releasers), target);
    }
    catch (error) {
        if (error instanceof UsageError)
            return none(error.message);
        throw error;
    }
}
function none(reason) {
    return { kind: 'none', reason };
}
const RUNS_LOOKED_AT = 200;
export function createLook({ redis, of }, target) {
    const { keys, store } = of(target);
    let isEmpty = null;
    return {
        kind: 'ledger',
        target,
        async states(space, names) {
            // Without a run no key is known: a million questions less for a first file.
            isEmpty ??= redis.zcard(keys.runs).then((runs) => runs === 0);
            return (await isEmpty) ? new Map() : readKeys(redis, keys, space, names);
        },
        async earlierRun(file) {
            const id = await runOfFile(redis, keys, file);
            return id === null ? null : store.get(id);
        },
        async lastSpeed(job) {
            const last = (await store.list(RUNS_LOOKED_AT)).find((run) => run.job === job && hasSent(run));
            if (last === undefined)
                return null;
            const { rowsPerSecond } = summarize(last, [], new Date());
            return rowsPerSecond === 0 ? null : { run: last.id, rowsPerSecond };
        },
    };
}
function hasSent({ state, outcomes }) {
    return state === 'finished' && OUTCOMES.some((outcome) => wasAccepted(outcome) && outcomes[outcome] > 0);
}
//# sourceMappingURL=ledger.js.map