import type { Environment } from '../config/environment.ts';
import { shownAddress } from '../config/redis-address.ts';
import { createLog } from '../lib/log.ts';
import { createReleasers } from '../lib/releasers.ts';
import { type Io, say } from '../lib/terminal.ts';
import { openLedger } from '../session.ts';
import type { AddCommand } from './command.ts';
import { examineEnvironment } from './doctor-environment.ts';
import { type Finding, problemsOf, renderFindings } from './doctor-finding.ts';
import { checkJobs } from './doctor-jobs.ts';
import { checkHome, checkNode } from './doctor-machine.ts';
import { checkRedis } from './doctor-redis.ts';
import { checkRuns } from './doctor-runs.ts';
import { checkCredentials, checkService } from './doctor-service.ts';

const PROBLEM_EXIT = 3;

/** `onboard doctor`: what is wrong with the machine, Redis, the service and the settings, and how to mend it. */
export const addDoctorCommand: AddCommand = (program, io, done) => {
  program
    .command('doctor')
    .description('Say what is wrong with Redis, service, credentials and folders, and how to mend it')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: { readonly json?: boolean }) => {
      const findings = await examine(io);
      if (flags.json === true) say(io, JSON.stringify(findings));
      else for (const line of renderFindings(findings)) say(io, line);
      done(findings.some(({ status }) => status === 'problem') ? PROBLEM_EXIT : 0);
    });
};

async function examine(io: Io): Promise<readonly Finding[]> {
  const { env, knowsService, knowsRedis, findings } = examineEnvironment(io.env);
  return [
    checkNode(process.versions.node),
    ...findings,
    ...(await checkHome(env.home)),
    ...(knowsRedis ? await checkLedger(env) : []),
    ...(knowsService ? await checkService(env.baseUrl) : []),
    ...(knowsService ? await checkCredentials(env.tokenSource) : []),
    ...(await checkJobs(env.jobsDirectory)),
  ];
}

/** The embedded server is started for it, as any command does, and stopped again if nobody else uses it. */
async function checkLedger(env: Environment): Promise<Finding[]> {
  const releasers = createReleasers();
  try {
    const log = createLog('silent', { write: () => undefined }, Date.now);
    const ledger = await openLedger(env, log, releasers);
    const where = env.redis === null ? 'the embedded server' : shownAddress(ledger.address);
    return [...(await checkRedis(ledger.redis, where, env.acceptRedisSettings)), await checkRuns(ledger)];
  } catch (error) {
    return problemsOf('redis', error, 'No run can start without it.');
  } finally {
    await releasers.release();
  }
}

const EXAMPLE = `
Example:
  onboard doctor

Nothing is asked of the service: a connection is opened and closed. Exit status: 0, or 3 where there is a problem.`;
