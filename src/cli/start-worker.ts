import type { Delivery } from '../delivery/delivery.ts';
import type { Membership } from '../delivery/membership.ts';
import type { Log } from '../lib/log.ts';
import type { Releasers } from '../lib/releasers.ts';
import type { Io } from '../lib/terminal.ts';
import { startChunkWorker } from '../queue/chunk-worker.ts';
import { type Ledger, openDelivery, type Service } from '../session.ts';

/** Begins to take chunks of the service's runs in this process; the releasers end it. */
export function startWorker(options: {
  readonly io: Io;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly membership: Membership;
  readonly service: Service;
  readonly releasers: Releasers;
}): Delivery {
  const { io, log, ledger, membership, service, releasers } = options;
  const delivery = openDelivery({ ledger, membership, service, log, interrupted: io.interrupted });
  const worker = startChunkWorker({
    connection: ledger.redis,
    prefix: ledger.of(service.target).keys.queuePrefix,
    deliver: delivery.deliver,
    onError: (error) => log.warn('worker', { problem: error.message }),
  });
  releasers.push(() => worker.close());
  // Before that: rows in flight settle, and what is left of their chunks goes back for other workers.
  releasers.push(() => delivery.close());
  return delivery;
}
