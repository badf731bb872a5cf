import type { Row } from '../model/row.ts';
import type { Settlement } from '../model/settlement.ts';
import { serviceMessage } from './service-message.ts';

/** A row that did not succeed, with what it was made of. */
export type RemainderRow = {
  readonly settlement: Settlement;
  /** `null` where the ledger no longer has it. */
  readonly source: Row | null;
  /** The refusal's body as received, `null` where there is none. */
  readonly body: string | null;
};

/** For a rejection what the service said, else why the row did not succeed. */
export function messageOf({ settlement, body }: RemainderRow): string {
  const said = settlement.outcome === 'rejected' && body !== null ? serviceMessage(body) : '';
  return said === '' ? settlement.message : said;
}
