/** What the parts of the page are made of: the ledger, which they only read, the folders of the home, and the way to the process that acts. */
import type { Ask, AskAnswer, Visitor } from '../model/ask.ts';
import type { Session } from '../session.ts';

export type Desk = Pick<Session, 'env' | 'ledger' | 'log' | 'clock'> & {
  /** `sandbox`, or the service's base URL: whose runs are shown first. */
  readonly target: string;
  readonly ask: ((ask: Ask, visitor: Visitor) => Promise<AskAnswer>) | null;
};
