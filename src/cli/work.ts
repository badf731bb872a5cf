import { once } from 'node:events';
import { readEnvironment } from '../config/environment.ts';
import { createReleasers } from '../lib/releasers.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { openLedger, serviceFromEnvironment } from '../session.ts';
import type { AddCommand } from './command.ts';
import { openDesk } from './open-desk.ts';
import { openLog } from './open-log.ts';
import { ACCEPT_REDIS_SETTINGS } from './redis-settings.ts';

type Flags = { readonly logFile?: string; readonly acceptRedisSettings?: boolean };

/** `onboard work`: a worker that shares the runs of its target, until it is interrupted. */
export const addWorkCommand: AddCommand = (program, io, done) => {
  program
    .command('work')
    .description('Carry out chunks of the runs of MSB_BASE_URL, beside other workers, until interrupted')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .addHelpText('after', '\nExample:\n  REDIS_URL=redis://redis.internal:6379 onboard work')
    .action(async (flags: Flags) => done(await work(flags, io)));
};

async function work(flags: Flags, io: Io): Promise<number> {
  const releasers = createReleasers();
  try {
    const env = readEnvironment(io.env);
    const log = openLog(env, io, flags.logFile);
    const service = serviceFromEnvironment(env);
    await service.credentials.current();
    const ledger = await openLedger(env, log, releasers);
    await openDesk({ env, io, log, ledger, releasers }, service, flags);
    tell(io, `Working for ${service.target}; Ctrl-C ends it when its rows in flight are settled.`);
    if (!io.interrupted.aborted) await once(io.interrupted, 'abort');
    return 4;
  } finally {
    await releasers.release();
  }
}
