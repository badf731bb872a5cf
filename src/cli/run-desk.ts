import type { Environment } from '../config/environment.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Membership } from '../delivery/membership.ts';
import type { Log } from '../lib/log.ts';
import type { Io } from '../lib/terminal.ts';
import type { Ledger, Service } from '../session.ts';

/** What it takes to carry runs of one target to their ends in this process. */
export type RunDesk = {
  readonly env: Environment;
  readonly io: Io;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly membership: Membership;
  readonly service: Service;
  readonly delivery: Delivery;
  /** `quiet`: no progress is shown, since several runs share the terminal. */
  readonly flags: { readonly json?: boolean; readonly jobFile?: string; readonly quiet?: boolean };
};
