import { OF_ACCOUNTS } from './of-accounts.mjs';
import { OF_INBOX } from './of-inbox.mjs';
import { OF_ISSUE } from './of-issue.mjs';
import { OF_LEDGER } from './of-ledger.mjs';
import { OF_ORDER } from './of-order.mjs';
import { OF_PROGRAM, OF_ROWS } from './of-rows.mjs';

/** Small changes to the code that keeps the promises; each must be noticed by the tests that it names. */
export const MUTANTS = [OF_ACCOUNTS, OF_INBOX, OF_ISSUE, OF_LEDGER, OF_ORDER, OF_ROWS, OF_PROGRAM].flat();
