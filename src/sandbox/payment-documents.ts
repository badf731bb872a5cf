import { seededId } from './seeded-ids.ts';

const STATUSES = ['accepted', 'pending', 'rejected'] as const;
const CATEGORIES = ['invoice', 'contract', 'identification'] as const;

/**
 * The document records of a seeded payment, the same every time: none to three, each with every field of
 * service-api.md, section 2.6. Values that the document doesn't show are the sandbox's own.
 */
export function documentsOf(payment: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: payment % 4 }, (_, i) => documentOf(payment, i + 1));
}

function documentOf(payment: number, number: number): Readonly<Record<string, unknown>> {
  const id = `doc-${String(payment).padStart(4, '0')}-${number}`;
  return {
    acceptedBy: 'operator-1',
    acceptedDate: dateOf(payment, 2),
    actions: ['view'],
    addedBy: 'client-1',
    addedDate: dateOf(payment, 1),
    category: CATEGORIES[payment % CATEGORIES.length],
    clientCorpId: 'corp-sandbox',
    description: `Document ${number} of payment ${payment}`,
    documentSubType: 'unknown',
    documentType: 'unknown',
    documentUri: `/v1/documents/${id}`,
    expiryDate: dateOf(payment, 365),
    fileSize: 1000 + payment * 10 + number,
    id,
    isLatestVersion: number === payment % 4,
    linkedRecords: [paymentRecord(payment)],
    mediaType: 'application/pdf',
    name: `document-${number}.pdf`,
    originalFileName: `scan ${number}.pdf`,
    requiresAcceptance: number % 2 === 0,
    status: STATUSES[number % STATUSES.length],
    tags: ['sandbox', `tag-${number}`],
    validFrom: dateOf(payment, 0),
    version: String(number),
    visibility: { editable: { client: true }, values: { client: true, operators: number % 2 === 1 } },
  };
}

function paymentRecord(payment: number): Readonly<Record<string, unknown>> {
  const vanityId = `P-${String(payment).padStart(6, '0')}`;
  return { id: seededId('pay', payment), name: `Payment ${payment}`, vanityId, type: 'payment' };
}

function dateOf(payment: number, daysLater: number): string {
  return new Date(Date.UTC(2025, 0, 1 + (payment % 28) + daysLater, 9, 30)).toISOString();
}
