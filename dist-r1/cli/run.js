/** `onboard run`: files taken to their end in this process, one after the other. */
import { passesCheck } from '../check/file.js';
import { readEnvironment } from '../config/environment.js';
import { jobsBefore } from '../config/job-definition.js';
import { serviceReady, startSandboxChild } from '../delivery/target.js';
import { tell } from '../lib/terminal.js';
import { EXIT, endsSeries, worse } from '../model/exit.js';
import { isOver } from '../model/run.js';
import { executeToEnd } from '../runs/execute.js';
import { cautions, loadInput } from '../runs/input.js';
import { beginFile, waitForJobs } from '../runs/register.js';
import { knownReport } from '../runs/report.js';
import { fileRows } from '../runs/rows.js';
import { commandReleasers, joinTarget, openLog, openSession, prepareHome, } from '../session.js';
import { ACCEPT_REDIS_SETTINGS, collect, FAULT, refuseStrayFaults, tellEnded, } from './command.js';
export const addRunCommand = (program, io, done) => {
    program
        .command('run')
        .description('Take one file, or several in order, through a job to the end')
        .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
        .argument('[files...]', 'CSV, JSON, NDJSON or Excel (.xlsx) files')
        .option('--job-file <file>', 'a job definition from elsewhere, instead of <job>')
        .option('--sandbox', 'send to the built-in stand-in instead of MSB_BASE_URL: a rehearsal')
        .option(...FAULT, collect, [])
        .option('--again', 'a new run, also where this file was already taken to its end')
        .option('--check-first', 'begin nothing where a row of any file would be invalid: `onboard check` first')
        .option(...ACCEPT_REDIS_SETTINGS)
        .option('--log-file <file>', 'write the log there')
        .option('--json', 'print the summary as JSON, a line per file')
        .addHelpText('after', EXAMPLE)
        .action(async (job, files, flags) => done(await runFiles({ job, files, jobFile: flags.jobFile, command: 'run', typed: io.typed }, flags, io)));
};
async function runFiles(args, flags, io) {
    const releasers = commandReleasers(io);
    try {
        const env = readEnvironment(io.env);
        const log = openLog(env, io, flags.logFile);
        refuseStrayFaults(flags);
        const input = await loadInput(env, args);
        for (const caution of cautions(input.job, input.files))
            tell(io, `warning: ${caution}`);
        const outside = flags.sandbox === true ? null : await serviceReady(env, io);
        const isNew = await prepareHome(env);
        const service = outside ?? (await startSandboxChild(env.home, flags.fault, releasers));
        const session = await openSession({ io, env, log, releasers });
        // A Redis of the user's own may know of runs from elsewhere.
        if (isNew && env.redis === null)
            tell(io, `A new ledger begins in ${env.home}: it knows of no earlier run.`);
        if (flags.checkFirst === true && !(await passesCheck(input, service.target, session)))
            return interrupted(io);
        const join = { sends: true, acceptsSettings: flags.acceptRedisSettings };
        return await runInOrder(input, await joinTarget(session, service, join), flags);
    }
    finally {
        await releasers.release();
    }
}
/** Where a file's run does not finish, the files after it are not begun: they may build on it. */
async function runInOrder({ job, files }, session, flags) {
    let worst = 0;
    for (const facts of files) {
        if (!(await waitForJobs(jobsBefore(job.definition), session.service.target, session)))
            return interrupted(session.io);
        const exitCode = await runFile(facts, job, { session, flags });
        if (endsSeries(exitCode))
            return exitCode;
        worst = worse(worst, exitCode);
    }
    return worst;
}
async function runFile(facts, job, { session, flags }) {
    const { service } = session;
    const file = { facts, job, target: service.target, again: flags.again === true };
    const run = await beginFile(file, session);
    const executed = isOver(run)
        ? { run, summary: await knownReport(run, session) }
        : await executeToEnd(run, fileRows(facts), session);
    return tellEnded(executed, session, { service, flags });
}
function interrupted(io) {
    tell(io, 'Interrupted before the run was begun: nothing is sent.', `To go on: ${io.typed}`);
    return EXIT.interrupted;
}
const EXAMPLE = `
Examples:
  onboard run subclients-create portfolio.csv
  onboard run --job-file partner-x.yaml march.csv april.csv --json
  onboard run subclients-create portfolio.csv --check-first
  onboard run counterparty-drafts payees.json --sandbox --fault 429=5%

The same file again goes on with an unfinished run; after a finished one nothing is sent, unless --again.`;
//# sourceMappingURL=run.js.map