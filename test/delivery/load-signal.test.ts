import { expect, test } from 'vitest';
import { type LoadSignal, loadSignal } from '../../src/delivery/adaptive-limit.ts';
import type { Reply } from '../../src/model/request.ts';
import { TIMED_OUT, TIMED_OUT_BEFORE_SENDING } from '../../src/service/network-error.ts';

const answered = (status: number, retryAfterMs: number | null = null): Reply => ({
  kind: 'response',
  status,
  retryAfterMs,
  body: '',
  ms: 5,
});
const silent = (code: string, sent = true): Reply => ({ kind: 'no-response', sent, code, ms: 5 });
const cut = (status: number, code: string): Reply => ({ kind: 'unreadable', status, code, ms: 5 });

test.each<[string, Reply, LoadSignal]>([
  ['200', answered(200), 'carried-out'],
  ['201', answered(201), 'carried-out'],
  ['418, a record that is refused', answered(418), 'borne'],
  ['403', answered(403), 'borne'],
  ['409', answered(409), 'borne'],
  ['429', answered(429), 'overloaded'],
  ['429 with a time', answered(429, 1000), 'overloaded'],
  ['503', answered(503), 'overloaded'],
  ['503 with a time', answered(503, 1000), 'overloaded'],
  ['504, a gateway that has waited in vain', answered(504), 'overloaded'],
  ['500', answered(500), 'none'],
  ['502', answered(502), 'none'],
  ['no answer in time', silent(TIMED_OUT), 'overloaded'],
  ['an answer that did not end in time', cut(200, TIMED_OUT), 'overloaded'],
  ['an answer that broke off', cut(200, 'UND_ERR_SOCKET'), 'none'],
  ['a connection that was lost', silent('ECONNRESET'), 'none'],
  ['nobody who listens', silent('ECONNREFUSED', false), 'none'],
  ['no connection in time', silent(TIMED_OUT_BEFORE_SENDING, false), 'none'],
])('%s', (_, reply, expected) => {
  expect(loadSignal(reply)).toBe(expected);
});
