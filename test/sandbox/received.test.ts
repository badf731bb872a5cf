import { expect, test } from 'vitest';
import { matchCall } from '../../src/sandbox/received.ts';

test.each([
  ['POST', '/v1/subclients', 'subclient.create', ''],
  ['POST', '/v3/counterparties/draft?validate=false', 'counterparty.draft', ''],
  ['PATCH', '/v1/subclients/sub-0001', 'subclient.update', 'sub-0001'],
  ['PATCH', '/v1/subclients/a%2Fb%20c', 'subclient.update', 'a/b c'],
  ['GET', '/v1/documents/payments/attachments/pay-0001', 'payment.documents', 'pay-0001'],
])('%s %s is a documented operation', (method, target, call, id) => {
  expect(matchCall(method, target)).toEqual({ call, id });
});

test.each([
  ['GET', '/v1/subclients'],
  ['PUT', '/v1/subclients/sub-0001'],
  ['PATCH', '/v1/subclients/'],
  ['PATCH', '/v1/subclients/a/b'],
  ['PATCH', '/v1/subclients/%'],
  ['POST', '/v1/subclients/'],
  ['POST', '/v2/subclients'],
  ['GET', '/'],
])('%s %s is none', (method, target) => {
  expect(matchCall(method, target)).toBeNull();
});
