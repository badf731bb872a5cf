import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { type OwnRequest, operationOfRequest, ownRequestSchema } from '../../../src/config/own-request.ts';
import { judge } from '../../../src/delivery/service/judge.ts';
import { buildRequest, catalogOf } from '../../../src/delivery/service/operations.ts';
import type { Reply } from '../../../src/model/request.ts';
import { noResponse, response, summary, unreadable } from './verdicts.ts';

const request = (more: object = {}): OwnRequest =>
  ownRequestSchema.parse({ name: 'thing.addAccount', method: 'POST', path: '/v3/things', ...more });

const LOST = noResponse(true, 'UND_ERR_SOCKET');
const UNSENT = noResponse(false, 'ECONNREFUSED');

const PLAIN = request();
const WITH_ID = request({ id: '/data/id' });
const IN_LOCATION = request({ id: 'location' });
const located = (location: string, status = 201): Reply => ({ ...response(status), location });
const AGAIN = request({ method: 'PUT', id: '/data/id' });

test.each<[string, OwnRequest, Reply, string]>([
  ['any 2xx', PLAIN, response(204), 'accepted created no id'],
  ['one that is cut off, where no id is looked for', PLAIN, unreadable(200), 'accepted created no id'],
  ['an id where the pointer says', WITH_ID, response(200, '{"data":{"id":"a-1"}}'), 'accepted created a-1'],
  ['no id', WITH_ID, response(200, '{"id":"a-1"}'), 'unknown accepted_without_id'],
  ['an unusable id', WITH_ID, response(200, '{"data":{"id":"a/.."}}'), 'unknown accepted_id_unusable'],
  ['one that is cut off, where an id is', WITH_ID, unreadable(200), 'unknown answer_unreadable'],
  ['an id in Location', IN_LOCATION, located('/v3/things/a%20b/?x=/y#z'), 'accepted created a b'],
  ['an id in a whole Location', IN_LOCATION, located('https://h.example/v3/a-1'), 'accepted created a-1'],
  ['a Location without a path', IN_LOCATION, located('https://h.example/'), 'unknown answer_unreadable'],
  ['a Location that leads up', IN_LOCATION, located('/v3/things/..'), 'unknown answer_unreadable'],
  ['a Location of a refusal', IN_LOCATION, located('/v3/a', 400), 'refused failed http_400'],
  ['no Location', IN_LOCATION, response(200, '{"id":"a-1"}'), 'unknown accepted_without_id'],
  ['a lost one', PLAIN, LOST, 'unknown connection_lost'],
  ['none, as nothing was sent', PLAIN, UNSENT, 'retry connection_refused'],
  ['a fault', PLAIN, response(500), 'unknown http_500'],
  ['a refusal', PLAIN, response(422), 'refused failed http_422'],
  ['a refusal of the record', PLAIN, response(418), 'refused rejected http_418'],
  ['of one that may be repeated: no id', AGAIN, response(200, '{}'), 'accepted updated no id'],
  ['of one that may be repeated: a lost one', AGAIN, LOST, 'retry connection_lost'],
  ['of one that may be repeated: a fault', AGAIN, response(500), 'retry http_500'],
  ['of a repeatable one: an id', AGAIN, response(200, '{"data":{"id":"a-1"}}'), 'accepted updated a-1'],
])('the reply to an operation of a job definition: %s', (_, own, reply, verdict) => {
  const judged = judge(operationOfRequest(own), reply, { notExecuted: [], own });
  expect(summary(judged).replace(' (warning)', '')).toBe(verdict);
});

test('its request has the filled path, the query, and a body where the row has a field', () => {
  const own = request();
  const call = operationOfRequest(own);
  const parts = { pathId: '/v3/things/a%2Fb', query: { validate: 'true' }, own };
  expect(buildRequest(call, { ...parts, body: { iban: 'I' } })).toEqual({
    call,
    method: 'POST',
    path: '/v3/things/a%2Fb?validate=true',
    body: '{"iban":"I"}',
  });
  expect(buildRequest(call, { ...parts, body: {} }).body).toBeNull();
});

test('its fields are those that the definition names, with the types that it shows', () => {
  const fields = {
    iban: 'IBAN',
    'accounts.0.no': 'No',
    'list[1]': { column: 'L', as: 'list' as const },
    since: { column: 'S', pattern: 'dd.MM.yyyy' },
    amount: { column: 'A', decimal: ',' as const },
    flag: { column: 'F', true: ['j'] },
    kind: { value: 3 },
    on: { value: true },
  };
  const definition = jobDefinitionSchema.parse({ operation: 'custom', request: request(), fields });
  expect([...catalogOf(definition)]).toEqual([
    ['iban', 'string'],
    ['accounts.#.no', 'string'],
    ['list.#', 'string-list'],
    ['since', 'date-time'],
    ['amount', 'number'],
    ['flag', 'boolean'],
    ['kind', 'number'],
    ['on', 'boolean'],
  ]);
});
