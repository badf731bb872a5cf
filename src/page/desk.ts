/**
 * What the pages are made of: the ledger, which they only read, the folders of the home, the way to
 * the process that acts, and what is remembered from one request to the next.
 */
import type { Session } from '../session.ts';
import type { Core } from '../web/visit.ts';
import type { rememberFiles } from './child.ts';

export type Desk = Pick<Session, 'env' | 'ledger' | 'log' | 'clock'> &
  Pick<Core, 'ask'> &
  ReturnType<typeof rememberFiles> & {
    /** `sandbox`, or the service's base URL: whose runs are shown first. */
    readonly target: string;
  };
