import { change } from './mistakes.mjs';

const DOCUMENTS_CSV = {
  file: 'payment-documents.csv',
  job: 'payment-documents',
  format: { type: 'csv', delimiter: ',', eol: '\n', bom: false },
  rows: 120,
  success: 'listed',
  record: (_, row) => ({ paymentId: paymentId(row) }),
  mistakes: [
    change(30, 'failed', 'an id that the service does not know', 'paymentId', 'pay-9030'),
    change(61, 'invalid', 'the id of row 60 again', 'paymentId', paymentId(60)),
    change(88, 'failed', 'a space after the id', 'paymentId', 'pay-0088 '),
    change(99, 'failed', 'an id with a slash', 'paymentId', 'pay/0099'),
  ],
};

const DOCUMENTS_JSON = {
  file: 'payment-documents.json',
  job: 'payment-documents',
  format: { type: 'json' },
  rows: 40,
  success: 'listed',
  record: (_, row) => ({ paymentId: paymentId(200 + row) }),
  mistakes: [
    change(12, 'failed', 'an id that the service does not know', 'paymentId', 'pay-9212'),
    change(25, 'invalid', 'no id', 'paymentId', null),
  ],
};

function paymentId(number) {
  return `pay-${String(number).padStart(4, '0')}`;
}

/** Every sample of the payment operation. */
export const DOCUMENT_SAMPLES = [DOCUMENTS_CSV, DOCUMENTS_JSON];
