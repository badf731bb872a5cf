import { expect, test } from 'vitest';
import { AttemptHandler } from '../../../src/delivery/service/attempt-handler.ts';
import type { Reply } from '../../../src/model/request.ts';

function controller() {
  const aborts: Error[] = [];
  return {
    aborts,
    aborted: false,
    paused: false,
    reason: null,
    pause() {},
    resume() {},
    abort: (e: Error) => void aborts.push(e),
  };
}

function opened(timeoutMs = 10_000) {
  const replies: Reply[] = [];
  return { replies, handler: new AttemptHandler((reply) => void replies.push(reply), timeoutMs, Date.now) };
}

test('a request that the pool starts a second time is broken off before it is written', () => {
  const { handler } = opened();
  const [first, second] = [controller(), controller()];
  handler.onRequestStart(first);
  handler.onRequestStart(second);
  expect(first.aborts).toHaveLength(0);
  expect(second.aborts).toHaveLength(1);
  handler.onResponseError(second, new Error('over'));
});

test('a reply is given once, whatever comes after it', () => {
  const { handler, replies } = opened();
  handler.onResponseError(null, Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
  handler.onResponseError(null, new Error('again'));
  handler.onResponseEnd();
  handler.timeOut();
  expect(replies).toMatchObject([{ kind: 'no-response', sent: false, code: 'ECONNREFUSED' }]);
});

test('an early error after the request was started proves nothing', () => {
  const { handler, replies } = opened();
  handler.onRequestStart(controller());
  handler.onResponseError(null, Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
  expect(replies).toMatchObject([{ kind: 'no-response', sent: true, code: 'ECONNREFUSED' }]);
});

test('an error that is not on the list proves nothing, although the request was never started', () => {
  const { handler, replies } = opened();
  handler.onResponseError(null, Object.assign(new Error('x'), { code: 'UND_ERR_DESTROYED' }));
  expect(replies).toMatchObject([{ kind: 'no-response', sent: true, code: 'UND_ERR_DESTROYED' }]);
});

test('a request whose time is over before it could be written is never sent, although its time-out has not fired yet', () => {
  const { handler, replies } = opened(10);
  const request = controller();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
  handler.onRequestStart(request);
  expect(request.aborts).toHaveLength(1);
  expect(replies).toMatchObject([
    { kind: 'no-response', sent: false, code: 'ONBOARD_TIMEOUT_BEFORE_SENDING' },
  ]);
});

test.each([200, 418])('pieces of an answer of %i take no more memory than their bytes', (status) => {
  const { handler, replies } = opened();
  const request = controller();
  handler.onRequestStart(request);
  handler.onResponseStart(request, status, {});
  const before = process.memoryUsage().arrayBuffers;
  // As undici hands them over: a piece of the buffer that was read from the socket, which lives as long as the piece.
  for (let i = 0; i < 8_000; i += 1) {
    handler.onResponseData(
      request,
      Buffer.allocUnsafeSlow(64 * 1024)
        .fill(97 + (i % 26), 0, 1)
        .subarray(0, 1),
    );
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(250_000_000);
  handler.onResponseEnd();
  const body = Array.from({ length: 8_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
  expect(replies).toMatchObject([{ kind: 'response', status, body }]);
});
