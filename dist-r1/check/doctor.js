import { shownAddress } from '../config/redis-address.js';
import { createLog } from '../lib/log.js';
import { createReleasers } from '../lib/releasers.js';
import { countOf } from '../lib/terminal.js';
import { openRows } from '../model/run.js';
import { goingOnWith, latestRuns } from '../runs/status.js';
import { openLedger } from '../session.js';
import { ok, problemsOf, warning } from './doctor-finding.js';
import { checkHome, checkNode, checkRedis } from './doctor-machine.js';
import { checkCredentials, checkJobs, checkService, examineEnvironment } from './doctor-settings.js';
/** The findings in the order in which they are best put right. */
export async function examine(io) {
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
/** Redis and its runs; an embedded server is started for it, and stopped again where no other command uses it. */
async function checkLedger(env) {
    const releasers = createReleasers(() => undefined);
    try {
        const log = createLog('silent', { write: () => undefined }, Date.now);
        const ledger = await openLedger(env, log, releasers);
        const where = env.redis === null ? 'the embedded server' : shownAddress(ledger.address);
        return [...(await checkRedis(ledger.redis, where, env.acceptRedisSettings)), await checkRuns(ledger)];
    }
    catch (error) {
        return problemsOf('redis', error, 'No run can start without it.');
    }
    finally {
        await releasers.release();
    }
}
const RUNS_LOOKED_AT = 1000;
const COMMANDS_SHOWN = 3;
/** The newest runs that were left before their end: by a process that is gone, paused, or stopped. */
async function checkRuns(ledger) {
    const newest = await latestRuns(ledger, RUNS_LOOKED_AT);
    return judgeRuns(newest.flatMap(({ run, state }) => {
        const command = goingOnWith(run, state);
        return command === null ? [] : [{ run, command }];
    }));
}
/** `left`: newest first. */
export function judgeRuns(left) {
    const open = left.filter(({ run }) => !isHalted(run) || openRows(run) > 0);
    if (open.length === 0)
        return ok('runs', 'none is left unfinished');
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
function isHalted({ state }) {
    return state === 'paused' || state === 'stopped';
}
//# sourceMappingURL=doctor.js.map