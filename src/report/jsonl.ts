import type { Settlement } from '../model/settlement.ts';
import { elementsOf } from './json-scan.ts';
import type { RemainderRow } from './remainder-row.ts';
import { oneLine } from './splice-member.ts';

/** A line of `rejections.jsonl`: the body verbatim as a JSON string, `null` where the ledger no longer has it. */
export function rejectionLine(run: string, { settlement, body }: RemainderRow): string {
  const { row, line, key, status } = settlement;
  return `${JSON.stringify({ run, row, line, key, status, body })}\n`;
}

/** Lines of `documents.jsonl`: one per record of the row's payment, each as it was received but for line breaks between its tokens. */
export function documentLines(settlement: Settlement, records: string): string {
  const payment = settlement.id === '' ? settlement.key : settlement.id;
  const start = `{"row":${settlement.row},"paymentId":${JSON.stringify(payment)},"document":`;
  return elementsOf(records)
    .map((span) => `${start}${oneLine(records.slice(span.start, span.end))}}\n`)
    .join('');
}
