/**
 * Asking the service for a row in doubt, by its key (the setting `lookup`): is the record there, once, and under which
 * id? Only an answer that is understood says anything; whatever is unclear leaves the row in doubt. A look-up is a GET,
 * so it may be repeated.
 */
import pRetry from 'p-retry';
import { valueAtPointer } from '../lib/json-pointer.js';
import { sleep } from '../lib/waiting.js';
import { readId } from '../model/record-id.js';
import { parseAnswer } from './judge.js';
import { codeOfNetworkError, NETWORK_SENTENCES } from './network-error.js';
import { pathSegment } from './operations.js';
const ATTEMPTS = 4;
/** The longest wait between attempts, even where the service asks for a longer one. */
const MAX_WAIT_MS = 30_000;
class TryAgain extends Error {
    name = 'TryAgain';
    why;
    afterMs;
    constructor({ why, afterMs }) {
        super(why);
        this.why = why;
        this.afterMs = afterMs;
    }
}
export function createLookUp(given) {
    const refused = new AbortController();
    const edges = { ...given, refused };
    return async (key, given) => {
        // Once the token is refused, nobody is asked again: each new token costs a reading of its source.
        const signal = AbortSignal.any([given, refused.signal]);
        const path = lookUpPath(edges.settings.path, key);
        if (path === null)
            return { kind: 'unclear', why: 'The key can not stand in an address.' };
        try {
            return await pRetry(() => tryOnce(edges, path, signal), {
                retries: ATTEMPTS - 1,
                minTimeout: 0,
                shouldRetry: async ({ error, attemptNumber }) => {
                    if (!(error instanceof TryAgain) || signal.aborted)
                        return false;
                    await sleep(Math.min(MAX_WAIT_MS, error.afterMs ?? edges.backoffMs(attemptNumber)), signal);
                    return !signal.aborted;
                },
            });
        }
        catch (error) {
            if (!(error instanceof TryAgain))
                throw error;
            return signal.aborted ? null : { kind: 'unclear', why: error.why };
        }
    };
}
/** The path with the key in it; `null` for a key that would lead elsewhere, or that can't be encoded. */
export function lookUpPath(template, key) {
    const segment = pathSegment(key);
    return segment === null ? null : template.replaceAll('{key}', () => segment);
}
async function tryOnce(edges, path, signal) {
    await edges.waitForRate(signal);
    if (signal.aborted)
        return null;
    const token = await edges.credentials.current();
    const first = await ask(edges, path, token);
    const fresh = first.kind === 'credentials' ? await edges.credentials.refresh(token) : null;
    const verdict = fresh === null ? first : await ask(edges, path, fresh);
    if (verdict.kind === 'credentials') {
        edges.refused.abort();
        return null;
    }
    if (verdict.kind === 'retry')
        throw new TryAgain(verdict);
    return verdict;
}
async function ask({ client, settings }, path, token) {
    return judgeLookUp(await client.attempt({ method: 'GET', path, body: null }, token), settings);
}
const IDS_NAMED = 3;
/** What one reply says of the row that is looked up: only a 200 that is understood, or a 404, says anything. Pure. */
export function judgeLookUp(reply, settings) {
    switch (reply.kind) {
        case 'response':
            return judgeLookUpAnswer(reply, settings);
        case 'unreadable':
        case 'no-response':
            return { kind: 'retry', why: NETWORK_SENTENCES[codeOfNetworkError(reply.code)], afterMs: null };
        default:
            return reply;
    }
}
function judgeLookUpAnswer({ status, body, retryAfterMs }, settings) {
    if (status === 200)
        return judgeMatches(body, settings);
    if (status === 404)
        return { kind: 'not-found' };
    const why = `The service answered ${status}.`;
    if (status === 401)
        return { kind: 'credentials', why };
    return status === 429 || status >= 500
        ? { kind: 'retry', why, afterMs: retryAfterMs }
        : { kind: 'unclear', why };
}
function judgeMatches(body, { match, id }) {
    const json = parseAnswer(body);
    if (json === undefined)
        return unclear('The answer was not JSON.');
    const found = valueAtPointer(json, match);
    // `null` is no list: a service that leaves a field empty has not said that it looked.
    if (typeof found !== 'object' || found === null) {
        return unclear(`The answer has no list and no object at lookup.match ("${match}").`);
    }
    const matches = Array.isArray(found) ? found : [found];
    const ids = matches.map((one) => idOf(valueAtPointer(one, id)));
    const known = ids.filter((one) => one !== null);
    if (known.length < ids.length)
        return unclear(`A match has no usable id at lookup.id ("${id}").`);
    const [only, ...others] = known;
    if (only === undefined)
        return { kind: 'not-found' };
    if (others.length === 0)
        return { kind: 'found', id: only };
    return { kind: 'found-twice', ids: known.slice(0, IDS_NAMED), count: known.length };
}
function idOf(value) {
    const given = readId(value);
    return given.kind === 'id' ? given.id : null;
}
function unclear(why) {
    return { kind: 'unclear', why };
}
//# sourceMappingURL=look-up.js.map