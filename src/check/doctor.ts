/**
 * Looks at all that a run stands on and says what is wrong with it: the machine, the settings, Redis, the service, and runs that were
 * left unfinished. A problem keeps rows from being sent, a warning doesn't. Nothing is changed, and nothing asked of the service
 * but for the GET that the user names.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { shownAddress } from '../config/redis-address.ts';
import { createLog } from '../lib/log.ts';
import { createReleasers, type Releasers } from '../lib/releasers.ts';
import { countOf, type Io } from '../lib/terminal.ts';
import { openRows, type Run } from '../model/run.ts';
import { goingOnWith, latestRuns } from '../runs/status.ts';
import { type Ledger, openLedger } from '../session.ts';
import { type Finding, ok, problemsOf, warning } from './doctor-finding.ts';
import { checkHome, checkNode, checkRedis } from './doctor-machine.ts';
import {
  checkCredentials,
  checkJobs,
  checkNotify,
  checkService,
  examineEnvironment,
} from './doctor-settings.ts';

/** In the order in which they are best put right; `call`: a GET to try the token with. */
export async function examine(io: Io, call: string | null): Promise<readonly Finding[]> {
  const { env, knowsService, knowsRedis, findings } = examineEnvironment(io.env);
  return [
    checkNode(process.versions.node),
    ...findings,
    ...(await checkHome(env.home)),
    ...(knowsRedis ? await checkLedger(env) : []),
    ...(knowsService ? await checkTarget(env, call) : []),
    ...(await checkNotify(env.notify)),
    ...(await checkJobs(env.jobsDirectory)),
  ];
}

async function checkTarget({ baseUrl, tokenSource }: Environment, call: string | null): Promise<Finding[]> {
  const found = await checkService(baseUrl);
  const isThere = baseUrl !== null && found.every(({ status }) => status !== 'problem');
  const trial = call === null ? null : { baseUrl: isThere ? baseUrl : null, path: call };
  return [...found, ...(await checkCredentials(tokenSource, trial))];
}

/**
 * Redis and its runs; an embedded server is started for it, and stopped again where no other command uses it. Where no ledger is there yet,
 * that server is tried in a folder that is gone afterwards.
 */
async function checkLedger(env: Environment): Promise<Finding[]> {
  const releasers = createReleasers(() => undefined);
  try {
    const log = createLog('silent', { write: () => undefined }, Date.now);
    const hasLedger = env.redis !== null || existsSync(join(env.home, 'redis'));
    const home = hasLedger ? env.home : await trialHome(releasers);
    const ledger = await openLedger({ ...env, home }, log, releasers);
    const where = env.redis === null ? 'the embedded server' : shownAddress(ledger.address);
    return [...(await checkRedis(ledger.redis, where)), await checkRuns(ledger)];
  } catch (error) {
    return problemsOf('redis', error, 'No run can start without it.');
  } finally {
    await releasers.release();
  }
}

async function trialHome(releasers: Releasers): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'onboard-doctor-'));
  releasers.push(() => rm(home, { recursive: true, force: true }));
  return home;
}

const RUNS_LOOKED_AT = 1000;
const COMMANDS_SHOWN = 3;

/** An unfinished run that goes on only with the command, as `onboard status` names it. */
type LeftRun = { readonly run: Run; readonly command: string };

/** Runs left before their end: by a process that is gone, paused, or stopped. */
async function checkRuns(ledger: Ledger): Promise<Finding> {
  const newest = await latestRuns(ledger, RUNS_LOOKED_AT);
  return judgeRuns(
    newest.flatMap(({ run, state }) => {
      const command = goingOnWith(run, state);
      return command === null ? [] : [{ run, command }];
    }),
  );
}

export function judgeRuns(left: readonly LeftRun[]): Finding {
  const open = left.filter(({ run }) => !isHalted(run) || openRows(run) > 0);
  if (open.length === 0) return ok('runs', 'none is left unfinished');
  const halted = open.filter(({ run }) => isHalted(run)).length;
  const more = open.length > COMMANDS_SHOWN ? ', … (`onboard runs` lists them)' : '';
  const commands = open.slice(0, COMMANDS_SHOWN).map(({ command }) => `\`${command}\``);
  const why = [
    ...(open.length > halted ? [`${open.length - halted} left by a process that is gone`] : []),
    ...(halted > 0 ? [`${halted} paused or stopped`] : []),
  ];
  const finding = `${countOf(open.length, 'unfinished run')}: ${why.join(', ')}`;
  return warning('runs', finding, `To go on: ${commands.join(', ')}${more}`);
}

function isHalted({ state }: Run): boolean {
  return state === 'paused' || state === 'stopped';
}
