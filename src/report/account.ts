/** The account of a file in words. */
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Account } from '../model/account.ts';

/** Its sum, as the control total has one. */
export function accountLine(account: Account): string {
  const { rows, atService, writtenOff, open, inDoubt, waiting, holds } = account;
  const of = [
    ...(inDoubt === 0 ? [] : [`${numberShown(inDoubt)} in doubt`]),
    ...(waiting === 0 ? [] : [`${numberShown(waiting)} without an outcome yet`]),
  ];
  const sum = `${countOf(rows, 'row')} = ${numberShown(atService)} at the service + ${numberShown(writtenOff)} written off + ${numberShown(open)} open`;
  const told = of.length === 0 ? sum : `${sum} (${of.join(', ')})`;
  return holds ? told : `${told}: THIS SUM DOES NOT HOLD`;
}
