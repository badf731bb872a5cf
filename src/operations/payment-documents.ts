import type { CallSpec, OperationSpec } from './spec.ts';

const paymentDocumentsCall = {
  name: 'payment.documents',
  effect: 'reads',
  mayRepeat: true,
  outcome: 'listed',
  method: 'GET',
  path: '/v1/documents/payments/attachments/{paymentId}',
  body: null,
  permission: null,
  keyIn: [],
} as const satisfies CallSpec;

export const paymentDocuments = {
  name: 'payment.documents',
  purpose: 'lists the documents attached to a payment',
  record: 'the documents of a payment',
  call: paymentDocumentsCall,
  update: null,
  isUpsert: false,
  space: null,
  proposal: {
    kind: 'payment',
    keys: ['external', 'any', 'ref'],
    references: ['parent'],
    keyField: 'paymentId',
    group: null,
  },
} as const satisfies OperationSpec;
