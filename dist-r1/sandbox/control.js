/**
 * What people and tests ask of a running sandbox, over HTTP below /sandbox/ (no token) or in the same process: its
 * statistics, what was made, the last requests; and what they set: faults, tokens, an outage.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { UsageError } from '../lib/usage-error.js';
import { bareAnswer, errorAnswer, jsonAnswer } from './answer.js';
import { parseFaults } from './fault-rules.js';
import { createFaultPlan } from './faults.js';
import { pathOf } from './received.js';
import { ENTITY_KINDS } from './records.js';
export function createControl(controlled) {
    const { parts, plan, seed, log } = controlled;
    const { records, tokens } = parts;
    return {
        stats: () => collectStats(controlled),
        entities: (kind, from = 0) => records.entities[kind].from(from),
        requests: (last = Number.POSITIVE_INFINITY) => log.last(last),
        setFaults: (specs) => {
            plan.faults = createFaultPlan(parseFaults(specs), seed);
        },
        setToken: tokens.set,
        setDown: (down) => {
            plan.down = down;
        },
    };
}
const faultsSchema = z.strictObject({ faults: z.array(z.string()) });
const tokenSchema = z.strictObject({ token: z.string().min(1), valid: z.boolean() });
const downSchema = z.strictObject({ down: z.boolean() });
const entitiesQuerySchema = z.object({
    kind: z.enum(ENTITY_KINDS),
    after: z.coerce.number().int().min(-1).default(-1),
});
const requestsQuerySchema = z.object({ last: z.coerce.number().int().min(1).default(100) });
/** The answer to a request below /sandbox/. */
export function answerControl(request, control) {
    const query = Object.fromEntries(new URLSearchParams(request.target.slice(pathOf(request.target).length)));
    const body = request.body.kind === 'json' ? request.body.value : null;
    switch (`${request.method} ${pathOf(request.target)}`) {
        case 'GET /sandbox/stats':
            return jsonAnswer(200, control.stats());
        case 'GET /sandbox/entities':
            return withParsed(entitiesQuerySchema, query, ({ kind, after }) => ({
                kind: 'stream',
                lines: ndjson(control.entities(kind, after + 1)),
            }));
        case 'GET /sandbox/requests':
            return withParsed(requestsQuerySchema, query, ({ last }) => jsonAnswer(200, control.requests(last)));
        case 'POST /sandbox/faults':
            return withParsed(faultsSchema, body, ({ faults }) => done(() => control.setFaults(faults)));
        case 'POST /sandbox/tokens':
            return withParsed(tokenSchema, body, ({ token, valid }) => done(() => control.setToken(token, valid)));
        case 'POST /sandbox/down':
            return withParsed(downSchema, body, ({ down }) => done(() => control.setDown(down)));
        default:
            return errorAnswer(404, 'no such control call');
    }
}
function withParsed(schema, value, answer) {
    const parsed = schema.safeParse(value);
    if (parsed.success)
        return answer(parsed.data);
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return jsonAnswer(400, { error: 'the call could not be read', problems });
}
function done(act) {
    try {
        act();
        return bareAnswer(204);
    }
    catch (error) {
        if (!(error instanceof UsageError))
            throw error;
        return jsonAnswer(400, { error: error.message, problems: error.problems });
    }
}
const LINES_PER_CHUNK = 1000;
function ndjson(entities) {
    return Readable.from(chunksOfLines(entities));
}
function* chunksOfLines(entities) {
    let chunk = '';
    let lines = 0;
    for (const entity of entities) {
        chunk += `${JSON.stringify(entity)}\n`;
        lines += 1;
        if (lines % LINES_PER_CHUNK !== 0)
            continue;
        yield chunk;
        chunk = '';
    }
    if (chunk !== '')
        yield chunk;
}
const count = z.number().int().nonnegative();
const MAX_DUPLICATES_LISTED = 100;
/** What GET /sandbox/stats answers: what was really done, whatever the caller was told. */
export const sandboxStatsSchema = z.object({
    made: z.object({ subclients: count, drafts: count }),
    /** Updates carried out, and document lists given. */
    updated: count,
    listed: count,
    /** Call (or `unknown`) → status, or reset, close, hang or cut → requests. */
    requests: z.record(z.string(), z.record(z.string(), count)),
    /** Keys under which more than one entity was made; the first 100 of each kind. */
    duplicates: z.array(z.object({ kind: z.enum(ENTITY_KINDS), key: z.string(), count, ids: z.array(z.string()).readonly() })),
    /** How many keys have more than one entity. */
    duplicateKeys: count,
    /** Fault name → hits, since the faults were last set. */
    faults: z.record(z.string(), count),
    /** The uses of each token, in the order in which the tokens became known, without the tokens themselves. */
    tokens: z.array(z.object({ valid: z.boolean(), requests: count })),
    /** Lines of the data file that could not be read at the start. */
    droppedLines: count,
});
function collectStats({ parts, plan, counts }) {
    const { records, tokens } = parts;
    const { subclient, draft } = records.entities;
    return {
        made: { subclients: subclient.count(), drafts: draft.count() },
        updated: records.updated,
        listed: records.listed,
        requests: counts.all(),
        duplicates: ENTITY_KINDS.flatMap((kind) => records.entities[kind].duplicates(MAX_DUPLICATES_LISTED).map((duplicate) => ({ kind, ...duplicate }))),
        duplicateKeys: subclient.duplicateKeys() + draft.duplicateKeys(),
        faults: plan.faults.hits(),
        tokens: tokens.uses(),
        droppedLines: records.droppedLines,
    };
}
export function createAnswerCounts() {
    const routes = new Map();
    return {
        add(route, label) {
            const labels = routes.get(route) ?? new Map();
            labels.set(label, (labels.get(label) ?? 0) + 1);
            routes.set(route, labels);
        },
        all: () => Object.fromEntries([...routes].map(([route, labels]) => [route, Object.fromEntries(labels)])),
    };
}
/** A request to one of the operations as it was received; never its token. */
const recordedRequestSchema = z.object({
    method: z.string(),
    /** Path and query as they stood in the request line. */
    target: z.string(),
    contentType: z.string().nullable(),
    /** Verbatim; empty where there was none. */
    body: z.string(),
});
/** Remembers the last `limit` requests; 0 remembers none. */
export function createRequestLog(limit) {
    const ring = [];
    let next = 0;
    return {
        record(request) {
            if (limit === 0)
                return;
            ring[next] = request;
            next = (next + 1) % limit;
        },
        last(count) {
            const inOrder = ring.length < limit ? ring : [...ring.slice(next), ...ring.slice(0, next)];
            return count <= 0 ? [] : inOrder.slice(-count);
        },
    };
}
//# sourceMappingURL=control.js.map