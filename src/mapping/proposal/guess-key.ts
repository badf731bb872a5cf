import type { Operation } from '../../model/operation.ts';
import type { JsonValue } from '../../model/request.ts';
import type { ColumnValues } from './column-values.ts';
import { looseName } from './loose-name.ts';

/** Names under which files give a record's own key, the most telling first; without case, spaces and punctuation. */
const KEY_NAMES = [
  'externalid',
  'externalref',
  'externalreference',
  'partnerref',
  'partnerreference',
  'partnerid',
  'clientref',
  'clientreference',
  'clientid',
  'clientno',
  'clientnumber',
  'customerref',
  'customerreference',
  'customerid',
  'customerno',
  'customernumber',
  'payeeref',
  'payeeid',
  'beneficiaryref',
  'beneficiaryid',
  'supplierid',
  'supplierno',
  'suppliernumber',
  'vendorid',
  'vendorno',
  'vendornumber',
  'crmid',
  'additionalinformationcrmid',
  'uniqueid',
  'recordid',
  'reference',
  'refno',
  'ref',
  'key',
  'id',
];

/** What the operation's own identifier is called, where its rows are known by that. */
const OWN_NAMES: Readonly<Record<Operation, readonly string[]>> = {
  'subclient.create': [],
  'subclient.update': ['id', 'subclientid', 'serviceid', 'entityid'],
  'subclient.upsert': [],
  'counterparty.draft': [],
  'payment.documents': [
    'paymentid',
    'payment',
    'paymentref',
    'paymentreference',
    'paymentno',
    'paymentnumber',
  ],
};

/** The rows' own key, as far as the rows that were looked at tell. */
export type KeyGuess = {
  readonly column: string;
  /** Rows that lack the key, or have one that came before. */
  readonly flaws: number;
  /** Rows with the same key stand together, as accounts of one counterparty do. */
  readonly isGrouped: boolean;
};

/** A row or two without a key of their own are mistakes; more of them say that the column is no key. */
const MISTAKES = 0.1;

/** The column that is most probably the rows' own key: its name says so, and nearly every row has one of its own. */
export function guessKey(
  operation: Operation,
  columns: readonly string[],
  about: { readonly values: ColumnValues; readonly rows: number },
): KeyGuess | null {
  const names = columns.map(looseName);
  for (const wanted of [...OWN_NAMES[operation], ...KEY_NAMES]) {
    const slot = names.indexOf(wanted);
    const column = columns[slot];
    if (column === undefined || columns.lastIndexOf(column) !== slot) continue;
    const guess = judge(column, about.values[slot] ?? [], about.rows);
    const isBearable = guess.flaws <= Math.max(1, about.rows * MISTAKES) && guess.flaws <= about.rows / 2;
    if (isBearable || (operation === 'counterparty.draft' && guess.isGrouped)) return guess;
  }
  return null;
}

function judge(column: string, values: readonly JsonValue[], rows: number): KeyGuess {
  const different = new Set(values).size;
  const changes = values.filter((value, i) => i === 0 || value !== values[i - 1]).length;
  return {
    column,
    flaws: rows - different,
    isGrouped: values.length === rows && different < rows && changes === different,
  };
}
