import type { Environment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Log } from '../lib/log.ts';
import type { Ledger, Service } from '../wiring.ts';
import type { Io } from './io.ts';

/** What every file of one `onboard run` shares. */
export type RunDesk = {
  readonly env: Environment;
  readonly io: Io;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly service: Service;
  readonly delivery: Delivery;
  readonly job: Job;
  readonly flags: { readonly again?: boolean; readonly json?: boolean; readonly jobFile?: string };
};
