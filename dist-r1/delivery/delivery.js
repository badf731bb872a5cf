/**
 * What a process does with the chunks it is handed, from the queue or by who winds a run up. It keeps a context for each run it has lately
 * worked for (its mapping, its connections, what was seen of the service), so that a run's chunks share one; and it promises that whoever
 * halts a run or closes it has all rows in flight settled.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { awayMsOf, ratePerSecond, weightOf } from '../config/job-definition.js';
import { createSharedBreaker } from '../ledger/breaker.js';
import { createChunkLedger } from '../ledger/chunk-ledger.js';
import { createOwnWork } from '../lib/own-work.js';
import { programVersion } from '../lib/version.js';
import { createClient } from '../service/attempt.js';
import { createJudge } from '../service/judge.js';
import { buildRequest } from '../service/operations.js';
import { backoffMs } from '../service/retry-wait.js';
import { deliverChunk } from './deliver-chunk.js';
import { createDenialStreak } from './denial-streak.js';
import { createJobWindow } from './job-window.js';
import { mappingFor } from './run-mapping.js';
import { createServicePermits } from './run-permits.js';
import { createServiceBreaker } from './service-breaker.js';
import { createStillRuns, waitWhileRunning } from './still-runs.js';
/** What this process delivers with, for the runs of one service. */
export function openDelivery(parts) {
    const { store, log } = parts;
    // Told once per run: its chunks are looked at again and again.
    const missing = new Set();
    const permits = createServicePermits({ now: () => performance.now(), createBusy: createOwnWork });
    return createDelivery(async (id, stopping) => {
        const [run, definition] = await Promise.all([store.get(id), store.definition(id)]);
        if (run === null || definition === null) {
            if (!missing.has(id))
                log.warn('chunks of a run that the ledger does not know wait', { run: id });
            missing.add(id);
            return null;
        }
        missing.delete(id);
        await parts.registration.remember(id);
        return createContext({ ...parts, run, definition, stopping, permits });
    }, parts.interrupted);
}
/** Runs that a process has lately worked for: as many as can have chunks in hand at once. */
const RUNS_KEPT = 64;
/** `interrupted`: the process is to end; nothing new is sent. */
export function createDelivery(makeContext, interrupted) {
    const taker = createTaker();
    const kept = new Map();
    let closing = false;
    // One listener for all: AbortSignal.any leaves something behind in a signal that lives on.
    const haltAll = () => {
        for (const { halt } of kept.values())
            halt.abort();
    };
    interrupted.addEventListener('abort', haltAll);
    const keptRun = (run) => {
        const known = kept.get(run);
        if (known !== undefined)
            return known;
        const halt = new AbortController();
        // Every row that waits listens.
        setMaxListeners(0, halt.signal);
        if (interrupted.aborted)
            halt.abort();
        const context = makeContext(run, halt.signal);
        const one = { context, halt, active: new Set() };
        kept.set(run, one);
        for (const idle of idleBeyond(kept, RUNS_KEPT))
            void forget(idle);
        return one;
    };
    const execute = async (job, lease, one) => {
        const context = await one.context;
        if (context !== null)
            return deliverChunk(job, { context, lease, taker: taker() });
        // The next chunk makes a new look. A chunk that is dropped is lost, and putting back a ledger may take any time:
        // a look at each every few seconds is the smaller evil, even where the run never comes back.
        if (kept.get(job.run) === one)
            void forget(job.run);
        return 'put-aside';
    };
    /** Its connections are closed when its rows have had their answers. */
    const forget = async (run) => {
        const one = kept.get(run);
        if (one === undefined)
            return;
        kept.delete(run);
        one.halt.abort();
        await Promise.allSettled(one.active);
        await one.context.then((context) => context?.close()).catch(() => undefined);
    };
    return {
        async deliver(job, lease) {
            if (closing)
                return 'put-back';
            const one = keptRun(job.run);
            const work = execute(job, lease, one);
            one.active.add(work);
            let end = null;
            try {
                end = await work;
                return end;
            }
            finally {
                one.active.delete(work);
                // A run that pauses or fails begins afresh when it goes on: what was seen of the service before is no guide.
                if (end !== 'closed' && one.active.size === 0 && kept.get(job.run) === one)
                    void forget(job.run);
            }
        },
        halt: forget,
        async close() {
            closing = true;
            interrupted.removeEventListener('abort', haltAll);
            await Promise.all([...kept.keys()].map(forget));
        },
    };
}
/** Names each take of a chunk, over all processes. */
function createTaker() {
    const process = randomBytes(5).toString('hex');
    let takes = 0;
    return () => {
        takes += 1;
        return `${process}.${takes}`;
    };
}
/** The oldest runs beyond the limit of which nothing is in hand. */
function idleBeyond(kept, limit) {
    const idle = [...kept].filter(([, { active }]) => active.size === 0).map(([run]) => run);
    return idle.slice(0, Math.max(0, kept.size - limit));
}
/** Beyond the time-out of the call itself: a probe that is not heard of is given up. */
const PROBE_MARGIN_MS = 5_000;
function createContext(parts) {
    const { redis, keys, store, registration, run, definition, log, stopping } = parts;
    const { send } = definition;
    // First, since it may throw: nothing has been joined by then.
    const mapping = mappingFor(definition, run.source);
    const client = clientFor(definition, parts.service);
    const window = createJobWindow(definition.window, () => new Date());
    const isOpen = () => window?.isOpen() ?? true;
    const stillRuns = createStillRuns(() => redis.hget(keys.run(run.id).record, 'state'), () => performance.now());
    const chunkLedger = createChunkLedger({
        epoch: registration.epoch,
        journal: registration.journal,
        keys,
        run,
        probeMs: send.timeoutSeconds * 1000 + PROBE_MARGIN_MS,
        now: () => new Date(),
    });
    const runs = () => isOpen() && stillRuns();
    const now = () => performance.now();
    const permits = parts.permits.join({
        ceiling: send.concurrency,
        weight: weightOf(definition),
        stopping,
        rate: rateOf(definition, chunkLedger, (ms) => waitWhileRunning(ms, { stillRuns: runs, stopping, now })),
    });
    return {
        run,
        definition,
        mapping,
        ledger: chunkLedger,
        service: serviceEdge(definition, client, parts.service.credentials),
        permits,
        hasRate: send.rate !== undefined,
        breaker: createServiceBreaker(now, createSharedBreaker(redis, keys), awayMsOf(definition)),
        denials: createDenialStreak(),
        now,
        stopping,
        stillRuns: runs,
        isOpen,
        pause: async (reason) => {
            if (await store.transition(run.id, 'paused', reason))
                log.warn('run paused', { run: run.id, reason });
        },
        async close() {
            permits.leave();
            await client.destroy();
        },
        onTrouble: (what, error) => log.error(what, { run: run.id, problem: error.message }),
    };
}
function rateOf({ send }, ledger, pause) {
    if (send.rate === undefined)
        return null;
    const intervalMs = 1000 / ratePerSecond(send.rate);
    return { intervalMs, reserve: (times) => ledger.reserve(times, intervalMs), pause };
}
function serviceEdge(definition, client, credentials) {
    const { query, send } = definition;
    return {
        build: (call, parts) => buildRequest(call, { ...parts, query }),
        attempt: client.attempt,
        judge: createJudge(send),
        token: credentials.current,
        freshToken: credentials.refresh,
        backoffMs: (attempt) => backoffMs(attempt, Math.random),
    };
}
function clientFor({ send }, service) {
    return createClient({
        baseUrl: service.baseUrl,
        concurrency: send.concurrency,
        timeoutMs: send.timeoutSeconds * 1000,
        version: programVersion(),
    });
}
//# sourceMappingURL=delivery.js.map