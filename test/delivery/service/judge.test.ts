import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJudge, judge } from '../../../src/delivery/service/judge.ts';
import type { Call } from '../../../src/model/operation.ts';
import type { Reply } from '../../../src/model/request.ts';
import { CALLS, mayRepeat } from '../../../src/operations/operations.ts';
import { noResponse, response, summary, unreadable } from './verdicts.ts';

const STRICT = { notExecuted: [] };
const SECRET = 'hunter2';
const CREATES = ['subclient.create', 'counterparty.draft'] as const;
const REPEATABLES = ['subclient.update', 'payment.documents'] as const;

const ok = '{"id":"a-1","vanityId":7,"state":"new one","more":[1]}';

/** The verdicts on a create, an update and a look-up. */
type Verdicts = readonly [string, string, string];

const allThree = (verdict: string): Verdicts => [verdict, verdict, verdict];
/** A create whose outcome nobody knows is not sent again; the others are. */
const unlessCreate = (code: string, wait = ''): Verdicts => [
  `unknown ${code}`,
  `retry ${code}${wait}`,
  `retry ${code}${wait}`,
];
const UNREADABLE = unlessCreate('answer_unreadable');
const NO_ID = ['unknown accepted_without_id', 'accepted updated no id (warning)'] as const;
const BAD_ID = ['unknown accepted_id_unusable', 'accepted updated no id (warning)'] as const;
const NO_LIST = 'retry answer_unreadable';
/** How a POST that was carried out may be answered (RFC 9110, 15.4.4). */
const REDIRECT: Verdicts = ['unknown redirect', 'refused failed redirect', 'refused failed redirect'];

const ALERT = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
const WRONG_ONE = 'The SSL certificate error';
const NO_CERTIFICATE = 'No required SSL certificate was sent';
/** As nginx 1.22 has it. */
const nginx = (title: string) =>
  `<html>\r\n<head><title>400 ${title}</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n`;

const TABLE: ReadonlyArray<readonly [string, Reply, Verdicts]> = [
  ['200 with an id', response(200, ok), ['accepted created a-1', 'accepted updated a-1', NO_LIST]],
  ['200 with a BOM', response(200, `\uFEFF${ok}`), ['accepted created a-1', 'accepted updated a-1', NO_LIST]],
  ['200 with a list', response(200, '[{"id":"d"}]'), [...NO_ID, 'accepted listed no id']],
  ['200 with an empty list', response(200, '[]'), [...NO_ID, 'accepted listed no id']],
  ['200 with null', response(200, 'null'), [...NO_ID, NO_LIST]],
  ['200 with an empty id', response(200, '{"id":""}'), [...NO_ID, NO_LIST]],
  ['200 with an id that is no text', response(200, '{"id":{}}'), [...NO_ID, NO_LIST]],
  [
    '200 with a whole number for an id',
    response(200, '{"id":17}'),
    ['accepted created 17', 'accepted updated 17', NO_LIST],
  ],
  ['200 with a number that was rounded', response(200, '{"id":12345678901234567890}'), [...BAD_ID, NO_LIST]],
  ['200 with an id that leads elsewhere', response(200, '{"id":"../users/1"}'), [...BAD_ID, NO_LIST]],
  ['200 with a line break in its id', response(200, '{"id":"a\\nb"}'), [...BAD_ID, NO_LIST]],
  ['200 with an id without end', response(200, `{"id":"${'x'.repeat(1e5)}"}`), [...BAD_ID, NO_LIST]],
  ['200 without a body', response(200), UNREADABLE],
  ['200 with half a body', response(200, '{"id":"a'), UNREADABLE],
  ['200 cut off', unreadable(200), UNREADABLE],
  [
    '201 with an id',
    response(201, ok),
    ['accepted created a-1 (warning)', 'accepted updated a-1 (warning)', NO_LIST],
  ],
  ['204', response(204), ['unknown answer_unreadable', 'accepted updated no id (warning)', NO_LIST]],
  ['206 with a list', response(206, '[]'), [...NO_ID, 'accepted listed no id (warning)']],
  ['300', response(300), REDIRECT],
  ['403 that names a time', response(403, '', 7000), allThree('retry http_403 after 7000')],
  ['403 that names a time, cut off', unreadable(403, 7000), allThree('retry http_403 after 7000')],
  ['429 with a time, cut off', unreadable(429, 7000), allThree('retry http_429 after 7000')],
  ['503 with a time, cut off', unreadable(503, 7000), unlessCreate('http_503')],
  ['302 cut off', unreadable(302), REDIRECT],
  ['303', response(303), REDIRECT],
  ['a 3xx without a meaning', response(399), REDIRECT],
  ['307 cut off', unreadable(307), allThree('refused failed redirect')],
  ['308', response(308), allThree('refused failed redirect')],
  ['400', response(400), allThree('refused failed http_400')],
  ['400 of nginx for no certificate', response(400, nginx(NO_CERTIFICATE)), allThree('stop credentials')],
  ['400 of nginx for a wrong one', response(400, nginx(WRONG_ONE)), allThree('stop credentials')],
  ['400 of nginx for more', response(400, nginx('Bad Request')), allThree('refused failed http_400')],
  ['400 that quotes it', response(400, `"${nginx(WRONG_ONE)}"`), allThree('refused failed http_400')],
  ['403 with it', response(403, nginx(NO_CERTIFICATE)), allThree('refused denied http_403')],
  ['one after an answer', noResponse(true, ALERT), unlessCreate('certificate_wanted')],
  ['401', response(401), allThree('stop credentials')],
  ['401 cut off', unreadable(401), allThree('stop credentials')],
  ['403', response(403), allThree('refused denied http_403')],
  ['408', response(408), allThree('refused failed http_408')],
  ['409 cut off', unreadable(409), allThree('refused failed http_409')],
  ['418', response(418, '{"e":1}'), allThree('refused rejected http_418')],
  ['418 cut off', unreadable(418), allThree('refused rejected http_418')],
  ['429', response(429), allThree('retry http_429')],
  ['429 with Retry-After', response(429, '', 3_000), allThree('retry http_429 after 3000')],
  ['429 cut off', unreadable(429), allThree('retry http_429')],
  ['500', response(500), unlessCreate('http_500')],
  ['500 with Retry-After', response(500, '', 10), unlessCreate('http_500', ' after 10')],
  ['502 cut off', unreadable(502), unlessCreate('http_502')],
  ['503', response(503), unlessCreate('http_503')],
  ['503 cut off', unreadable(503), unlessCreate('http_503')],
  ['503 with Retry-After 0', response(503, '', 0), allThree('retry http_503 after 0')],
  ['a status HTTP does not know', response(799), unlessCreate('http_799')],
  ['no connection', noResponse(false, 'ECONNREFUSED'), allThree('retry connection_refused')],
  ['no name', noResponse(false, 'ENOTFOUND'), allThree('retry name_not_found')],
  ['no TLS', noResponse(false, 'CERT_HAS_EXPIRED'), allThree('retry tls_failed')],
  ['reset while connecting', noResponse(false, 'ECONNRESET'), allThree('retry connection_lost')],
  ['reset after sending', noResponse(true, 'ECONNRESET'), unlessCreate('connection_lost')],
  ['no answer in time', noResponse(true, 'ONBOARD_TIMEOUT'), unlessCreate('timeout')],
  ['an error nobody knows', noResponse(true, 'NEW'), unlessCreate('network_error')],
];

describe.each(TABLE)('%s', (_, reply, [create, update, lookUp]) => {
  test.each<[Call, string]>([
    ['subclient.create', create],
    ['counterparty.draft', create.replace('created', 'drafted')],
    ['subclient.update', update],
    ['payment.documents', lookUp],
  ])('%s', (call, expected) => {
    expect(summary(judge(call, reply, STRICT))).toBe(expected);
  });
});

test.each(CREATES)('a %s answered 503 is sent again where 503 is defined as not executed', (call) => {
  const verdict = judge(call, response(503), { notExecuted: [503] });
  expect(summary(verdict)).toBe('retry http_503');
  expect(summary(judge(call, response(500), { notExecuted: [503] }))).toBe('unknown http_500');
});

test('the body of a refusal is kept as it came', () => {
  const body = ' {"errors": ["ä"],\n"errors": 1} ';
  expect(judge('counterparty.draft', response(418, body), STRICT)).toMatchObject({
    kind: 'refused',
    status: 418,
    body,
  });
  const cut: Reply = { kind: 'response', status: 418, body, restBytes: 7, retryAfterMs: null, ms: 1 };
  expect(judge('counterparty.draft', cut, STRICT)).toMatchObject({ body, restBytes: 7 });
  expect(judge('counterparty.draft', unreadable(418), STRICT)).toMatchObject({
    body: '',
    message: expect.stringMatching(/could not be read/),
  });
});

test.each([
  [
    'text/html; charset=utf-8',
    '<html><TITLE lang="en">Request\n  blocked</TITLE>',
    ' (text/html, “Request blocked”).',
  ],
  ['text/html', `<title>${'x'.repeat(500)}</title>`, ` (text/html, “${'x'.repeat(99)}…”).`],
  ['text/plain', 'OK', ' (text/plain).'],
  [undefined, 'OK', '.'],
  [undefined, '', ', but empty.'],
])('a success of type %s that is no JSON says what it is', (contentType, body, kind) => {
  const reply = { ...response(200, body), ...(contentType !== undefined && { contentType }) };
  const message = `The service answered 200, but its answer was not JSON${kind}`;
  expect(judge('subclient.create', reply, STRICT)).toMatchObject({ code: 'answer_unreadable', message });
});

test('an id that can not be used is named apart from the message, on one line and cut', () => {
  const body = JSON.stringify({ id: `\u001b[2J${'x'.repeat(1_000)}` });
  const verdict = judge('subclient.create', response(200, body), STRICT);
  expect(verdict).toMatchObject({
    kind: 'unknown',
    message: 'The service answered 200, but the id that it gave can not be used.',
    givenId: expect.stringMatching(/^\\u001b\[2Jx{80,99}…$/),
  });
});

test.each(CREATES)('an id that comes a second time is nobody knows whose, for a %s', (call) => {
  const judgeReply = createJudge(STRICT);
  const given = (id: string) => judgeReply(call, response(200, JSON.stringify({ id })));
  expect(['a', 'b'].map((id) => given(id).kind)).toEqual(['accepted', 'accepted']);
  expect(given('a')).toEqual({
    kind: 'unknown',
    status: 200,
    code: 'accepted_id_repeated',
    message: 'The service answered 200, but gave an id that it had given for another row before.',
    givenId: 'a',
  });
  expect(given('c').kind).toBe('accepted');
  expect(createJudge(STRICT)(call, response(200, '{"id":"a"}')).kind).toBe('accepted');
});

test('an update may be answered with the same id any number of times', () => {
  const judgeReply = createJudge(STRICT);
  const answers = Array.from({ length: 3 }, () =>
    judgeReply('subclient.update', response(200, '{"id":"a"}')),
  );
  expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
});

test('documents are handed over as they came', () => {
  const body = '[{"id":"d1","nested":{"unknown":[null,1.5]}},"odd",null]';
  expect(judge('payment.documents', response(200, body), STRICT)).toEqual({
    kind: 'accepted',
    outcome: 'listed',
    status: 200,
    id: null,
    documents: body,
    warning: null,
  });
});

test.each([
  [303, /\(303\), which was not followed\. Whether it carried the request out is not known\.$/],
  [308, /\(308\), which was not followed: the request is to be sent to another address\.$/],
])('the redirect %i says of a create what is known of it', (status, message) => {
  const verdict = judge('subclient.create', response(status), STRICT);
  expect(verdict).toMatchObject({ status, message: expect.stringMatching(message) });
});

const anyStatus = fc.integer({ min: 200, max: 999 });
const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({
    kind: fc.constant('response' as const),
    status: anyStatus,
    retryAfterMs: fc.option(fc.nat()),
    body: fc.oneof(fc.string(), fc.json(), fc.constant(`{"name":"${SECRET}"}`)),
    ms: fc.nat(),
  }),
  fc.record({ kind: fc.constant('unreadable' as const), status: anyStatus, code: fc.string(), ms: fc.nat() }),
  fc.record({
    kind: fc.constant('no-response' as const),
    sent: fc.boolean(),
    code: fc.string(),
    ms: fc.nat(),
  }),
);

/** The replies after which a create may go out again: nothing was carried out, and something says so. */
function provesNotExecuted(reply: Reply): boolean {
  if (reply.kind === 'no-response') return !reply.sent;
  if (reply.status === 429) return true;
  // A limit that names its time has turned the request away, whichever of the two it says.
  return reply.kind === 'response' && [403, 503].includes(reply.status) && reply.retryAfterMs !== null;
}

test('whatever comes, a create is sent again only on proof, and a repeatable call is never unknown', () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      for (const call of CREATES) {
        const verdict = judge(call, reply, STRICT);
        expect(verdict.kind === 'retry').toBe(provesNotExecuted(reply));
        if (verdict.kind === 'accepted') expect(verdict.id).toMatch(/^.+$/s);
      }
      for (const call of REPEATABLES) expect(judge(call, reply, STRICT).kind).not.toBe('unknown');
    }),
  );
});

test('no code or message holds anything of a body, and each code is snake case', () => {
  fc.assert(
    fc.property(anyReply, fc.constantFrom(...CALLS), (reply, call) => {
      const verdict = judge(call, reply, STRICT);
      const words = 'message' in verdict ? verdict.message : (verdict.warning ?? '');
      expect(words).not.toContain(SECRET);
      if ('code' in verdict) expect(verdict.code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    }),
  );
});

test('the calls of this test are all there are', () => {
  expect([...CREATES, ...REPEATABLES].sort()).toEqual([...CALLS].sort());
  expect(CREATES.some((call) => mayRepeat(call))).toBe(false);
});
