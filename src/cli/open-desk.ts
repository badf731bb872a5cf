import { type Environment, readEnvironment } from '../config/environment.ts';
import { shownAddress } from '../config/redis-address.ts';
import type { Log } from '../lib/log.ts';
import { createReleasers, type Releasers } from '../lib/releasers.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { SANDBOX_TARGET, startSandboxChild } from '../runs/sandbox-child.ts';
import { joinLedger, type Ledger, openLedger, type Service, serviceFromEnvironment } from '../session.ts';
import { openLog } from './open-log.ts';
import { noticeRedis } from './redis-notice.ts';
import { checkRedisSettings } from './redis-settings.ts';
import type { RunDesk } from './run-desk.ts';
import { startWorker } from './start-worker.ts';

/** What a command has open that begins with a run in the ledger. */
export type Ground = {
  readonly env: Environment;
  readonly io: Io;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly releasers: Releasers;
};

/** Does something with the ledger of this home, and closes all that was opened for it. */
export async function onGround<T>(
  io: Io,
  logFile: string | undefined,
  work: (ground: Ground) => Promise<T>,
): Promise<T> {
  const releasers = createReleasers();
  try {
    const env = readEnvironment(io.env);
    const log = openLog(env, io, logFile);
    return await work({ env, io, log, ledger: await openLedger(env, log, releasers), releasers });
  } finally {
    await releasers.release();
  }
}

/** Makes this process one that carries out runs of the service. */
export async function openDesk(
  ground: Ground,
  service: Service,
  flags: RunDesk['flags'] & { readonly acceptRedisSettings?: boolean },
): Promise<RunDesk> {
  const { env, io, log, ledger, releasers } = ground;
  await checkRedisSettings(io, ledger, { env, flag: flags.acceptRedisSettings });
  releasers.push(noticeRedis(io, ledger.redis, shownAddress(ledger.address)));
  const membership = await joinLedger(ledger, service.target, {
    env,
    log,
    releasers,
    notify: (text) => tell(io, text),
  });
  const delivery = startWorker({ io, log, ledger, membership, service, releasers });
  return { env, io, log, ledger, membership, service, delivery, flags };
}

/** The service of the environment, once there is a token for it. */
export async function serviceReady(env: Environment, io: Io): Promise<Service> {
  const service = serviceFromEnvironment(env);
  await service.credentials.current();
  const warning = service.credentials.warning();
  if (warning !== null) tell(io, `warning: ${warning}`);
  return service;
}

/** The service that the runs of a target go to; a UsageError where the environment names another one. */
export async function serviceOf(target: string, { env, io, releasers }: Ground): Promise<Service> {
  if (target === SANDBOX_TARGET) return startSandboxChild(env.home, [], releasers);
  const service = await serviceReady(env, io);
  if (service.target === target) return service;
  throw new UsageError(
    `The run goes to ${target}, but MSB_BASE_URL is ${service.target}: expected the same service.`,
  );
}
