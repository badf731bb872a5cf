/**
 * What commands have in common: how one is added to the program, options that several of them take, the file that `--out`
 * names, and the last words of a command that took a run as far as it goes.
 */
import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { errorCode } from '../lib/errors.js';
import { say, shellWord, tell } from '../lib/terminal.js';
import { UsageError } from '../lib/usage-error.js';
import { EXIT, exitCodeOf } from '../model/exit.js';
import { isOver } from '../model/run.js';
import { renderSummary } from '../report/words.js';
import { reportDirectory } from '../session.js';
/** For an option that may be repeated. */
export function collect(value, list) {
    return [...list, value];
}
/** An option's value as a whole number from 1. */
export function wholeNumber(text) {
    if (!/^[1-9]\d{0,8}$/.test(text))
        throw new InvalidArgumentError('expected a whole number from 1.');
    return Number(text);
}
/** Writes the file that `--out` names, which must not be there yet; UsageError where it can't. */
export async function writeNewFile(path, content) {
    try {
        await writeFile(path, content, { flag: 'wx' });
    }
    catch (error) {
        const code = errorCode(error) || String(error);
        const why = code === 'EEXIST'
            ? 'there is such a file already, and it is left alone: name another one, or remove it first'
            : `the file can't be written (${code}): expected a folder that is there and may be written to`;
        throw new UsageError(`--out ${path}: ${why}`, { cause: error });
    }
}
/** The flag of every command that sends. */
export const ACCEPT_REDIS_SETTINGS = [
    '--accept-redis-settings',
    'start also on a Redis whose settings may lose what was sent',
];
/** The flag of the commands that can send to the stand-in; it may be repeated. */
export const FAULT = [
    '--fault <name=spec>',
    'with --sandbox: a fault on request, as in `onboard sandbox`',
];
/** Refuses `--fault` without `--sandbox`: whoever typed it expects the stand-in, and the rows would go to the real service. */
export function refuseStrayFaults(flags) {
    if (flags.fault.length === 0 || flags.sandbox === true)
        return;
    throw new UsageError('--fault is for the stand-in: expected --sandbox beside it, or the real service would be used.');
}
/** Prints the summary and how to go on, and answers the exit status; `service`: `null` where nothing was to be sent. */
export function tellEnded({ run, summary }, { io, env }, { service, flags }) {
    const directory = reportDirectory(env, run.id);
    const job = flags.jobFile === undefined ? {} : { job: `--job-file ${shellWord(flags.jobFile)}` };
    if (flags.json === true)
        say(io, JSON.stringify(summary));
    else
        say(io, ...renderSummary(summary, { directory, typed: io.typed, ...job }));
    if (isOver(run))
        return summary.exitCode ?? exitCodeOf(run);
    const problem = service?.credentials.problem() ?? null;
    if (problem !== null)
        tell(io, problem);
    // For people the summary names the command already.
    const isSaid = flags.json !== true && (summary.state === 'paused' || summary.state === 'stopped');
    if (!isSaid)
        for (const line of goingOn(run, io))
            tell(io, line);
    return io.interrupted.aborted ? EXIT.interrupted : exitCodeOf(run);
}
/** The commands that go on with a run; the one that was typed comes first, since it may name more than the run. */
function goingOn({ id, state }, { typed }) {
    if (state === 'cancelled')
        return [`To wind it up: onboard cancel ${id}`];
    const resume = `onboard resume ${id}`;
    return typed.startsWith(resume) ? [`To go on: ${typed}`] : [`To go on: ${typed}`, `      or: ${resume}`];
}
//# sourceMappingURL=command.js.map