import { describe, expect, test } from 'vitest';
import { leavesIn, serviceMessage } from '../../../src/runs/report/service-words.ts';
import { startCpuClock } from '../../support/cpu-clock.ts';

describe('the sentence of a refusal', () => {
  test.each([
    ['a message', '{"message":"IBAN is wrong","code":17}', 'IBAN is wrong'],
    ['another spelling', '{"Message":"No such payment."}', 'No such payment.'],
    [
      'a problem',
      '{"type":"about:blank","title":"Not found","status":404,"detail":"No such key"}',
      'Not found: No such key',
    ],
    [
      'an error and its description',
      '{"error":"invalid_request","error_description":"scope is missing"}',
      'invalid_request: scope is missing',
    ],
    ['an error with members', '{"error":{"code":"E1","message":"Bad name"}}', 'Bad name'],
    ['the same twice', '{"error":"Conflict","message":"Conflict"}', 'Conflict'],
    ['texts', '{"message":["name is required","tax id is short"]}', 'name is required; tax id is short'],
    [
      'errors of fields',
      '{"title":"Invalid.","errors":[{"field":"name","message":"is required"},{"field":"vat","reason":"is short"}]}',
      'Invalid. name: is required; vat: is short',
    ],
    [
      'errors by field',
      '{"title":"Invalid","errors":{"Name":["is required"],"Vat":"is short"}}',
      'Invalid: Name: is required; Vat: is short',
    ],
    [
      'a place as a list',
      '{"detail":[{"loc":["body","name"],"msg":"field required","type":"missing"}]}',
      'body.name: field required',
    ],
    [
      'a place as a pointer',
      '{"errors":[{"source":{"pointer":"/data/name"},"detail":"is required"}]}',
      '/data/name: is required',
    ],
    ['an envelope', '{"fault":{"faultstring":"Invalid key","detail":{"errorcode":"x.y"}}}', 'Invalid key'],
    ['a list', '[{"message":"one"},{"message":"two"}]', 'one; two'],
    ['a text in JSON', '"no such record"', 'no such record'],
    ['JSON behind a byte order mark', '\uFEFF{"message":"no"}', 'no'],
    [
      'JSON that is cut',
      '{"status":400,"message":"name \\"x\\" is required","trace":"at a.b(',
      'name "x" is required',
    ],
    ['nothing by a name that is known', '{"a":{"b":1},\r\n"why":"so"}', '{"a":{"b":1}, "why":"so"}'],
    [
      'a page',
      '<!DOCTYPE html><html><head><TITLE lang=en>\n404 &ndash; Not&nbsp;found &AMP; gone&#33;</TITLE></head><body>x</body></html>',
      '404 &ndash; Not found & gone!',
    ],
    [
      'a page without a title',
      '<html><style>b{c:d}</style><title> </title><body><h1>Blocked</h1><p>by &lt;policy&gt;</body></html>',
      'Blocked by <policy>',
    ],
    ['XML', '<?xml version="1.0"?><Error><Code>E1</Code><Message>Bad name</Message></Error>', 'E1 Bad name'],
    ['a text', 'No such\n  record\u0000', 'No such record'],
    ['signs of a terminal', 'a\u2028b\u0085c\u001b[31md', 'a b c [31md'],
    ['nothing', ' \n ', ''],
  ])('of %s', (_, body, sentence) => {
    expect(serviceMessage(body)).toBe(sentence);
  });

  test('has at most 500 characters, whole words, and shows that it was cut', () => {
    expect(serviceMessage('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(serviceMessage(`{"message":"${'x'.repeat(495)} there"}`)).toBe(`${'x'.repeat(495)}…`);
    expect(serviceMessage(`${'x'.repeat(498)}😀yz`)).toBe(`${'x'.repeat(498)}😀…`);
  });
});

test.each(['<title', '<script>', '{"a', '"a" : ', '[', '&#x1;', '<', '{"errors":'])(
  'a body of nothing but %s is read at once',
  (part) => {
    const spentMs = startCpuClock();
    serviceMessage(part.repeat((64 * 1024) / part.length));
    leavesIn(part.repeat((64 * 1024) / part.length));
    expect(spentMs()).toBeLessThan(1_000);
  },
);

test('what tells one answer from another of the same words is no part of a cause', () => {
  const body = {
    title: 'Invalid',
    detail: 'no name',
    instance: '/e/abc',
    requestId: 'qwert',
    trace_id: 'zuiop',
  };
  expect(leavesIn(JSON.stringify(body))).toEqual(['Invalid', 'no name']);
});
