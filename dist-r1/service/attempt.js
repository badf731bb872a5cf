/**
 * One HTTP attempt: sent once at most, over a pool of keep-alive connections, and answered by exactly one reply, which
 * says whether anything can have been sent (`attempt-handler.ts` has the proof). No redirect, no retry, no compression,
 * and TLS is always verified.
 */
import { buildConnector, Pool } from 'undici';
import { AttemptHandler } from './attempt-handler.js';
import { parseBaseUrl } from './base-url.js';
import { noteConnectError } from './network-error.js';
/** Less than the idle time of usual servers (Node 5 s, gateways 60 s): a server that closes first may have read a request. */
export const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A record is some kilobytes and a payment's documents are some hundred records: more is no answer of this service. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** What HTTP can carry in a request line; anything else would make undici drop the connection. */
const LEGAL_PATH = /^\/[\x21-\x7e]*$/;
/** What a header's value can carry, without spaces. */
export const LEGAL_TOKEN = /^[\x21-\x7e]+$/;
/** A pool of keep-alive connections to the service; throws a UsageError for a base URL that must not be used. */
export function createClient(options) {
    const { origin, basePath } = parseBaseUrl(options.baseUrl);
    const pool = createPool(origin, options);
    const headersFor = createHeaders(options.version);
    const now = options.now ?? Date.now;
    let closing = null;
    const attempt = (request, token) => new Promise((resolve) => {
        const path = basePath + request.path;
        if (!LEGAL_PATH.test(path) || !LEGAL_TOKEN.test(token))
            return resolve(NEVER_A_REQUEST);
        const body = request.body === null ? null : Buffer.from(request.body);
        const headers = headersFor(token, body !== null);
        const handler = new AttemptHandler(resolve, options.timeoutMs, now);
        pool.dispatch({ method: request.method, path, headers, body }, handler);
    });
    return {
        attempt,
        close: () => {
            closing ??= pool.close();
            return closing;
        },
        destroy: () => {
            closing = pool.destroy();
            return closing;
        },
    };
}
const NEVER_A_REQUEST = { kind: 'no-response', sent: false, code: 'UND_ERR_INVALID_ARG', ms: 0 };
function createPool(origin, options) {
    const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS;
    return new Pool(origin, {
        connections: options.concurrency,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: keepAliveMs,
        // A server's own hint may shorten the idle time, never lengthen it.
        keepAliveMaxTimeout: keepAliveMs,
        // The attempt's own time decides: undici's time-outs, late after the event loop stood still, don't look into the socket first.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxResponseSize: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
        connect: createConnector(options),
    });
}
/** undici's own connector; what it fails with is noted, since then no request can have gone out. */
function createConnector(options) {
    const connect = buildConnector({
        allowH2: false,
        timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
        // Given explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment can't switch the check off.
        rejectUnauthorized: true,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    return (target, callback) => connect(target, (...result) => {
        if (result[0] !== null)
            noteConnectError(result[0]);
        callback(...result);
    });
}
/** The header lists of the token in use; undici copies a list, so that it is made once per token. */
function createHeaders(version) {
    let current = '';
    let bare = [];
    let withBody = [];
    return (token, hasBody) => {
        if (token !== current) {
            current = token;
            bare = [
                'authorization',
                `Bearer ${token}`,
                'accept',
                'application/json',
                'user-agent',
                `onboard/${version}`,
            ];
            withBody = [...bare, 'content-type', 'application/json'];
        }
        return hasBody ? withBody : bare;
    };
}
//# sourceMappingURL=attempt.js.map