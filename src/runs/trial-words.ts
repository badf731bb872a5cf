/** What a trial found, for a terminal; values of three records at most. */
import { countOf, numberShown, printable, shorten } from '../lib/terminal.ts';
import type { NotTried, Tried } from './trial.ts';

const FIELDS_SHOWN = 12;
const VALUE_SHOWN = 40;

export function triedLines(tried: Tried | NotTried): string[] {
  const head = `${printable(tried.file)}, run ${tried.run}`;
  if ('why' in tried) return [`${head}: not tried, since ${printable(tried.why)}`];
  const { rows, pass, refused, differ, same, others } = tried;
  const fields = differ.fields.slice(0, FIELDS_SHOWN);
  const byField = fields.map((one) => `${printable(one.field)} ${numberShown(one.rows)}`);
  return [
    `${head}: ${countOf(rows, 'row')}`,
    `  ${wereWords(pass.rows)} invalid, and would be sent${exampleWords(pass.examples)}`,
    `  ${wereWords(refused.rows)} sent or skipped, and would be invalid`,
    ...refused.examples.map(({ row, why }) => `    row ${row}, ${printable(why)}`),
    `  ${recordsWords(differ.rows)} at the service, and would be sent otherwise`,
    ...(byField.length === 0 ? [] : [`    ${byField.join(', ')}`]),
    ...differ.examples.map(differenceWords),
    `  ${recordsWords(same)} there as it would be sent`,
    `  ${countOf(others, 'row')} otherwise: invalid as before, or without a record there`,
  ];
}

function wereWords(rows: number): string {
  return countOf(rows, 'row was', 'rows were');
}

function recordsWords(rows: number): string {
  return countOf(rows, 'record stands', 'records stand');
}

function exampleWords(rows: readonly number[]): string {
  return rows.length === 0 ? '' : `, for example row ${rows.join(', ')}`;
}

type Difference = Tried['differ']['examples'][number];

function differenceWords({ row, field, before, after }: Difference): string {
  const change = `${shown(field, before)} → ${shown(field, after)}`;
  return `    row ${row}, ${printable(field)}: ${change}`;
}

/** Of accounts the last signs only. */
function shown(field: string, value: string | null): string {
  if (value === null) return 'nothing';
  const isAccount = ACCOUNT.test(field);
  if (!isAccount) return printable(shorten(value, VALUE_SHOWN));
  const bare = value.replaceAll('"', '');
  return `…${printable(bare.slice(-LAST_SIGNS))}`;
}

const ACCOUNT = /^accounts\.|iban|accountNumber/i;
const LAST_SIGNS = 4;
