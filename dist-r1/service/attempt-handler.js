import { passStage } from '../lib/stage.js';
import { codeOf, ENCODED_ANSWER, isBeforeRequest, TIMED_OUT, TIMED_OUT_BEFORE_SENDING, } from './network-error.js';
import { retryAfterMs } from './retry-wait.js';
/** Settles exactly once and never throws. */
export class AttemptHandler {
    #settle;
    #now;
    #startedAt = performance.now();
    #timeoutMs;
    #timer;
    /** Copied, since a piece of an answer keeps alive all that was read with it, and may be one byte long. */
    #kept = Buffer.alloc(0);
    #keptLength = 0;
    /** Bytes of the body that came, and how many of them are kept at most. */
    #bytes = 0;
    #keptBytes = Number.POSITIVE_INFINITY;
    #controller = null;
    #settled = false;
    #status = 0;
    #retryAfterMs = null;
    #encoded = false;
    /** `timeoutMs` is for the whole attempt; `now` reads `Retry-After` dates. */
    constructor(settle, timeoutMs, now) {
        this.#settle = settle;
        this.#now = now;
        this.#timeoutMs = timeoutMs;
        this.#timer = setTimeout(onTimeout, timeoutMs, this);
    }
    /**
     * undici calls this on the connection that the request goes out on, in the same turn as it writes and just before
     * it announces `undici:client:sendHeaders`: as long as it hasn't been called, not a byte has left.
     */
    onRequestStart(controller) {
        // The event loop may have stood still since: the timer of an attempt whose time is over has not fired yet.
        if (this.#controller === null && performance.now() - this.#startedAt >= this.#timeoutMs)
            this.timeOut();
        // The attempt gave up while it waited for a connection, or undici would write the request a second time.
        if (this.#settled || this.#controller !== null) {
            controller.abort(new Error('the attempt is over'));
            return;
        }
        this.#controller = controller;
    }
    onResponseStart(_controller, status, headers) {
        passStage('headers');
        if (status < 200)
            return;
        this.#status = status;
        if (status >= 300)
            this.#keptBytes = REFUSAL_KEPT_BYTES;
        const wish = firstOf(headers['retry-after']);
        if (wish !== undefined)
            this.#retryAfterMs = retryAfterMs(wish, this.#now, firstOf(headers.date));
        const encoding = headers['content-encoding'];
        this.#encoded = encoding !== undefined && encoding !== '' && encoding !== 'identity';
    }
    onResponseData(_controller, chunk) {
        // One byte beyond shows whether a character is cut there.
        const room = this.#keptBytes + 1 - this.#bytes;
        if (room > 0)
            this.#keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
        this.#bytes += chunk.length;
    }
    onResponseEnd() {
        this.#finish(this.#encoded ? this.#unreadable(ENCODED_ANSWER) : this.#response());
    }
    onResponseError(_controller, error) {
        const code = codeOf(error);
        const sent = this.#controller !== null || !isBeforeRequest(error);
        this.#finish(this.#status === 0 ? { kind: 'no-response', sent, code, ms: this.#ms() } : this.#unreadable(code));
    }
    /**
     * The attempt's timer has fired, perhaps late, since the event loop stood still: an answer that came meanwhile is still in
     * the socket, and is read before an immediate runs. Not for a request that has not been written: it could go out now.
     */
    timerFired() {
        if (this.#controller === null)
            this.timeOut();
        else
            setImmediate(onLastLook, this);
    }
    /** The attempt's time is up: whatever is under way is broken off. */
    timeOut() {
        if (this.#settled)
            return;
        const controller = this.#controller;
        const code = controller === null ? TIMED_OUT_BEFORE_SENDING : TIMED_OUT;
        this.onResponseError(controller, Object.assign(new Error('the attempt took too long'), { code }));
        controller?.abort(new Error('the attempt took too long'));
    }
    #keep(chunk) {
        const length = this.#keptLength + chunk.length;
        if (length > this.#kept.length) {
            const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length));
            this.#kept.copy(larger, 0, 0, this.#keptLength);
            this.#kept = larger;
        }
        chunk.copy(this.#kept, this.#keptLength);
        this.#keptLength = length;
    }
    #response() {
        const [status, retryAfterMs, ms] = [this.#status, this.#retryAfterMs, this.#ms()];
        const bytes = this.#kept.subarray(0, this.#keptLength);
        if (this.#bytes <= this.#keptBytes)
            return { kind: 'response', status, retryAfterMs, body: bytes.toString('utf8'), ms };
        const kept = bytes.subarray(0, wholeCharacters(bytes, this.#keptBytes));
        const restBytes = this.#bytes - kept.length;
        return { kind: 'response', status, retryAfterMs, body: kept.toString('utf8'), restBytes, ms };
    }
    #unreadable(code) {
        return { kind: 'unreadable', status: this.#status, code, ms: this.#ms() };
    }
    #finish(reply) {
        if (this.#settled)
            return;
        this.#settled = true;
        clearTimeout(this.#timer);
        this.#settle(reply);
    }
    #ms() {
        return Math.round(performance.now() - this.#startedAt);
    }
}
function firstOf(header) {
    return typeof header === 'object' ? header[0] : header;
}
function onTimeout(handler) {
    handler.timerFired();
}
function onLastLook(handler) {
    handler.timeOut();
}
/** Kept of an answer that is no 2xx: fifty of megabytes each, at the same time, would take gigabytes. */
const REFUSAL_KEPT_BYTES = 64 * 1024;
/** How many of the first `most` bytes are whole characters of UTF-8; more bytes than that must be there. */
function wholeCharacters(bytes, most) {
    const isContinuation = (at) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
    let end = most;
    while (isContinuation(end) && most - end < 3)
        end -= 1;
    // Bytes that are no UTF-8 are cut where they are.
    return isContinuation(end) ? most : end;
}
//# sourceMappingURL=attempt-handler.js.map