/**
 * One attempt as undici tells of it, gathered into one reply. Two guarantees hang here: a reply
 * that says "nothing was sent" stays true, and no request is ever written twice (`onRequestStart`).
 */
import { constants, gunzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { passStage } from '../../lib/stage.ts';
import type { Reply } from '../../model/request.ts';
import { textOf } from './answer-text.ts';
import {
  codeOf,
  ENCODED_ANSWER,
  isBeforeRequest,
  isHandshakeError,
  TIMED_OUT,
  TIMED_OUT_BEFORE_SENDING,
} from './network-error.ts';
import { comeBackMs, firstOf } from './retry-wait.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Before the first byte. */
const NOTHING = Buffer.alloc(0);

/** Settles exactly once and never throws. */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #settle: (reply: Reply) => void;
  readonly #now: () => number;
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Copied: a piece of an answer keeps alive all that was read with it. */
  #kept = NOTHING;
  #keptLength = 0;
  /** Bytes of the body that came, and how many of them are kept at most. */
  #bytes = 0;
  #keptBytes = Number.POSITIVE_INFINITY;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #retryAfterMs: number | null = null;
  /** `content-encoding`, `''` for none. */
  #encoding = '';
  #contentType: string | undefined;
  #location: string | undefined;
  readonly #requestIdHeader: string | undefined;
  #requestId = '';

  /** `timeoutMs` is for the whole attempt; `now` reads `Retry-After` dates. */
  constructor(settle: (reply: Reply) => void, timeoutMs: number, now: () => number, requestId?: string) {
    this.#requestIdHeader = requestId;
    this.#settle = settle;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(onTimeout, timeoutMs, this);
  }

  /**
   * undici calls this in the same turn as it writes, just before `undici:client:sendHeaders`: as
   * long as it hasn't been called, not a byte has left.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The event loop may have stood still: an attempt's time can be over before its timer fires.
    if (this.#controller === null && performance.now() - this.#startedAt >= this.#timeoutMs) this.timeOut();
    // The attempt gave up before it had a connection, or undici would write a second time.
    if (this.#settled || this.#controller !== null) {
      controller.abort(new Error('the attempt is over'));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    passStage('headers');
    if (status < 200) return;
    this.#status = status;
    if (status >= 300) {
      this.#keptBytes = REFUSAL_KEPT_BYTES;
      this.#retryAfterMs = comeBackMs(status, headers, this.#now);
    }
    this.#contentType = firstOf(headers['content-type']);
    this.#location = firstOf(headers.location);
    this.#encoding = (firstOf(headers['content-encoding']) ?? '').trim().toLowerCase();
    if (this.#requestIdHeader !== undefined)
      this.#requestId = (firstOf(headers[this.#requestIdHeader]) ?? '').slice(0, 200);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // One byte beyond shows whether a character is cut there.
    const room = this.#keptBytes + 1 - this.#bytes;
    if (room > 0) this.#keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
  }

  onResponseEnd(): void {
    const plain = this.#plain();
    this.#finish(plain === null ? this.#unreadable(ENCODED_ANSWER) : this.#response(plain));
  }

  /** Without its compression; `null`: it can't be read. Some gateways compress unasked. */
  #plain(): Buffer | null {
    const bytes = this.#kept.subarray(0, this.#keptLength);
    if (this.#encoding === '' || this.#encoding === 'identity') return bytes;
    const isZipped = this.#encoding === 'gzip' || this.#encoding === 'x-gzip';
    return isZipped ? unzipped(bytes) : null;
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = codeOf(error);
    const sent = this.#controller === null ? !isBeforeRequest(error) : !isHandshakeError(error);
    this.#finish(
      this.#status === 0 ? { kind: 'no-response', sent, code, ms: this.#ms() } : this.#unreadable(code),
    );
  }

  /**
   * The timer may have fired late, after the event loop stood still: an answer that came meanwhile
   * is in the socket, and is read before an immediate runs. Not for a request that is not written
   * yet: it could go out now.
   */
  timerFired(): void {
    if (this.#controller === null) this.timeOut();
    else setImmediate(onLastLook, this);
  }

  /** The attempt's time is up: whatever is under way is broken off. */
  timeOut(): void {
    if (this.#settled) return;
    const controller = this.#controller;
    const code = controller === null ? TIMED_OUT_BEFORE_SENDING : TIMED_OUT;
    this.onResponseError(controller, Object.assign(new Error('the attempt took too long'), { code }));
    controller?.abort(new Error('the attempt took too long'));
  }

  #keep(chunk: Buffer): void {
    const length = this.#keptLength + chunk.length;
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length));
      this.#kept.copy(larger, 0, 0, this.#keptLength);
      this.#kept = larger;
    }
    chunk.copy(this.#kept, this.#keptLength);
    this.#keptLength = length;
  }

  #response(plain: Buffer): Reply {
    const status = this.#status;
    const retryAfterMs = this.#retryAfterMs;
    const ms = this.#ms();
    const length = plain.length <= this.#keptBytes ? plain.length : wholeCharacters(plain, this.#keptBytes);
    const body = textOf(plain.subarray(0, length), this.#contentType);
    const restBytes = plain.length - length + this.#bytes - this.#keptLength;
    if (restBytes > 0) return { kind: 'response', status, retryAfterMs, body, restBytes, ms };
    return { kind: 'response', status, retryAfterMs, body, ...this.#aboutSuccess(), ms };
  }

  /** Nothing where an answer is as usual. */
  #aboutSuccess(): Pick<Extract<Reply, { kind: 'response' }>, 'contentType' | 'location'> {
    if (this.#status >= 300) return NOTHING_MORE;
    const contentType = this.#contentType ?? 'application/json';
    const location = this.#location;
    if (location === undefined && JSON_TYPE.test(contentType)) return NOTHING_MORE;
    return { contentType, ...(location !== undefined && { location }) };
  }

  #unreadable(code: string): Reply {
    const [status, retryAfterMs] = [this.#status, this.#retryAfterMs];
    return {
      kind: 'unreadable',
      status,
      code,
      ms: this.#ms(),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  }

  #finish(reply: Reply): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle(this.#requestId === '' ? reply : { ...reply, requestId: this.#requestId });
  }

  #ms(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

function onTimeout(handler: AttemptHandler): void {
  handler.timerFired();
}

function onLastLook(handler: AttemptHandler): void {
  handler.timeOut();
}

/** Of an answer that is no 2xx: fifty of megabytes each at once would take gigabytes. */
const REFUSAL_KEPT_BYTES = 64 * 1024;

const NOTHING_MORE = {};
const JSON_TYPE = /\bjson\b/i;

/** `null`: it is broken, or far larger than it came. A refusal may be kept in part. */
function unzipped(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, {
      maxOutputLength: UNZIPPED_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch {
    return null;
  }
}

/** As an answer that comes plain. */
const UNZIPPED_BYTES = 8 * 1024 * 1024;

/** The first `most` bytes, cut at whole characters of UTF-8; more bytes must be there. */
function wholeCharacters(bytes: Buffer, most: number): number {
  const isContinuation = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let end = most;
  while (isContinuation(end) && most - end < 3) end -= 1;
  // Bytes that are no UTF-8 are cut where they are.
  return isContinuation(end) ? most : end;
}
