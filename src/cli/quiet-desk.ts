import { tell } from '../lib/terminal.ts';
import { SANDBOX_TARGET } from '../runs/sandbox-child.ts';
import { joinLedger, openDelivery, type Service } from '../session.ts';
import type { Ground } from './open-desk.ts';
import type { RunDesk } from './run-desk.ts';

/** Makes this process one that registers, reads, follows and winds up runs of the service, and sends nothing itself. */
export async function openQuietDesk(
  ground: Ground,
  service: Service,
  flags: RunDesk['flags'],
): Promise<RunDesk> {
  const { env, io, log, ledger, releasers } = ground;
  const membership = await joinLedger(ledger, service.target, {
    env,
    log,
    releasers,
    notify: (text) => tell(io, text),
  });
  const delivery = openDelivery({ ledger, membership, service, log, interrupted: io.interrupted });
  releasers.push(() => delivery.close());
  return { env, io, log, ledger, membership, service, delivery, flags };
}

/** A target as a service that is never called: where no chunk is taken from the queue, no intent is granted. */
export function nowhere(target: string): Service {
  const refuse = async () => {
    throw new Error('this command sends nothing');
  };
  const credentials = {
    current: refuse,
    refresh: async () => null,
    problem: () => null,
    warning: () => null,
  };
  return { target, baseUrl: target === SANDBOX_TARGET ? 'http://127.0.0.1' : target, credentials };
}
