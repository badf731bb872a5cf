/**
 * One attempt as undici tells of it, gathered into one reply. Two guarantees hang here: a reply that says "nothing was
 * sent" stays true, and no request is ever written twice. The proof is in `onRequestStart`.
 */
import type { Dispatcher } from 'undici';
import { passStage } from '../lib/stage.ts';
import type { Reply } from '../model/request.ts';
import {
  codeOf,
  ENCODED_ANSWER,
  isBeforeRequest,
  TIMED_OUT,
  TIMED_OUT_BEFORE_SENDING,
} from './network-error.ts';
import { retryAfterMs } from './retry-wait.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Settles exactly once and never throws. */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #settle: (reply: Reply) => void;
  readonly #now: () => number;
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #retryAfterMs: number | null = null;
  #encoded = false;

  /** `timeoutMs` is for the whole attempt; `now` reads `Retry-After` dates. */
  constructor(settle: (reply: Reply) => void, timeoutMs: number, now: () => number) {
    this.#settle = settle;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(onTimeout, timeoutMs, this);
  }

  /**
   * undici calls this on the connection that the request goes out on, in the same turn as it writes and just before
   * it announces `undici:client:sendHeaders`: as long as it hasn't been called, not a byte has left.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The event loop may have stood still since: the timer of an attempt whose time is over has not fired yet.
    if (this.#controller === null && performance.now() - this.#startedAt >= this.#timeoutMs) this.timeOut();
    // The attempt gave up while it waited for a connection, or undici would write the request a second time.
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
    const wish = firstOf(headers['retry-after']);
    if (wish !== undefined) this.#retryAfterMs = retryAfterMs(wish, this.#now, firstOf(headers.date));
    const encoding = headers['content-encoding'];
    this.#encoded = encoding !== undefined && encoding !== '' && encoding !== 'identity';
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish(this.#encoded ? this.#unreadable(ENCODED_ANSWER) : this.#response());
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = codeOf(error);
    const sent = this.#controller !== null || !isBeforeRequest(error);
    this.#finish(
      this.#status === 0 ? { kind: 'no-response', sent, code, ms: this.#ms() } : this.#unreadable(code),
    );
  }

  /**
   * The attempt's timer has fired, perhaps late, since the event loop stood still: an answer that came meanwhile is still in
   * the socket, and is read before an immediate runs. Not for a request that has not been written: it could go out now.
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

  #response(): Reply {
    const [status, retryAfterMs] = [this.#status, this.#retryAfterMs];
    return { kind: 'response', status, retryAfterMs, body: textOf(this.#chunks), ms: this.#ms() };
  }

  #unreadable(code: string): Reply {
    return { kind: 'unreadable', status: this.#status, code, ms: this.#ms() };
  }

  #finish(reply: Reply): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle(reply);
  }

  #ms(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header;
}

function onTimeout(handler: AttemptHandler): void {
  handler.timerFired();
}

function onLastLook(handler: AttemptHandler): void {
  handler.timeOut();
}

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first === undefined) return '';
  return (chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8');
}
