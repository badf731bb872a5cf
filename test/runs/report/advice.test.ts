import { describe, expect, test } from 'vitest';
import { NETWORK_SENTENCES } from '../../../src/delivery/service/network-error.ts';
import { keptIssueSchema } from '../../../src/model/issue.ts';
import type { Operation } from '../../../src/model/operation.ts';
import { OUTCOMES, type Outcome, REMAINDER, succeeded } from '../../../src/model/outcome.ts';
import { adviceFor } from '../../../src/runs/report/advice.ts';

const advised = (code: string, outcome: Outcome, operation: Operation = 'subclient.update') =>
  adviceFor(code, outcome, operation);
const FALLBACK = advised('a_code_nobody_knows', 'invalid');

test.each(keptIssueSchema.shape.code.options)('the issue %s has advice of its own', (code) => {
  expect(advised(code, 'invalid')).toMatch(/^[A-Z].*\.$/);
});

test('most issues are not answered with the general sentence', () => {
  const general = keptIssueSchema.shape.code.options.filter((code) => advised(code, 'invalid') === FALLBACK);
  expect(general).toEqual(['unreadable_row']);
});

test.each(Object.keys(NETWORK_SENTENCES))('the network code %s has advice', (code) => {
  expect(advised(code, 'failed')).toMatch(/^[A-Z].*\.$/);
});

test.each([
  ['http_418', 'rejected', /rejections\.jsonl/],
  ['http_403', 'denied', /the permission 'Subclient \/ Modify' granted/],
  ['http_429', 'failed', /send\.rate/],
  ['http_500', 'failed', /when the service works again/],
  ['http_599', 'failed', /when the service works again/],
  ['redirect', 'failed', /MSB_BASE_URL/],
  ['tls_failed', 'failed', /certificate/],
] as const)('%s (%s) is told apart', (code, outcome, expected) => {
  expect(advised(code, outcome)).toMatch(expected);
});

test.each([
  ['subclient.create', /^Where all rows end so, check MSB_BASE_URL/],
  ['counterparty.draft', /^Where all rows end so, check MSB_BASE_URL/],
  ['subclient.update', /^Check the id and the base URL/],
  ['subclient.upsert', /^Check the id and the base URL/],
  ['payment.documents', /^Check the id and the base URL/],
] as const)('a 404 of %s is about what its path holds', (operation, expected) => {
  expect(advised('http_404', 'failed', operation)).toMatch(expected);
});

test.each(['http_503', 'timeout', 'connection_lost', 'answer_unreadable', 'nobody_knows'])(
  'a row in doubt because of %s is settled, never sent again',
  (code) => expect(advised(code, 'in-doubt')).toMatch(/not sent again/),
);

test.each(['http_408', 'http_409', 'http_499'])('a %s of a create never says to load again', (code) => {
  for (const operation of ['subclient.create', 'subclient.upsert', 'counterparty.draft'] as const) {
    expect(advised(code, 'failed', operation)).toMatch(
      /^Look in the service .* do not load failed\.csv as it is\.$/,
    );
  }
});

test.each([
  ['redirect', /^Look in the service .* MSB_BASE_URL/],
  ['accepted_without_id', /find it there/],
  ['accepted_id_unusable', /can not be used: find the record there/],
  ['accepted_id_repeated', /another row's id: find the record there.* may be wrong/],
])('of a create in doubt by %s it is told what to look for', (code, words) => {
  expect(advised(code, 'in-doubt', 'subclient.create')).toMatch(words);
});

describe.each(OUTCOMES)('%s', (outcome) => {
  test('has advice exactly where something is left to do', () => {
    expect(advised('', outcome) === '').toBe(succeeded(outcome));
    if (REMAINDER[outcome] !== 'none') expect(advised('key_known', outcome)).not.toBe('');
    if (succeeded(outcome)) expect(advised('key_known', outcome)).toBe('');
  });
});
