/**
 * The workers of this home: each process that moves rows has an id that no other process ever has, and a journal under it. The id says
 * where the process ran and when it began, so that whoever finds the journal of a worker can tell whether that worker is gone.
 */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { isEarlierBoot, isSameMachine, pidSpace, shownHost, textOf, thisBoot, thisHost, thisMachine, UNTOLD, } from '../lib/machine.js';
/**
 * A name for this process's journal that no other process ever has:
 * `<host>.<boot>.<pid namespace>.<pid>.<start>.<random>`, fit for a folder's name.
 */
export function newWorkerId() {
    const { pid } = process;
    const random = randomBytes(4).toString('hex');
    return [thisHost(), thisBoot(), pidSpace(), pid, startOf(pid) ?? UNTOLD, random].join('.');
}
/**
 * True only where the worker's process ran on this host and is gone: the machine itself, no container on it, was started again since, or no process
 * has its pid, or (Linux) the one that has it was started at another time. False wherever that can't be known: on
 * another host, in another container on this one, for a name that is no worker's id, and, where there is no /proc, while
 * any process has the pid.
 */
export function isDeadHere(worker) {
    const parsed = parseWorkerId(worker);
    const here = thisMachine();
    if (parsed === null || parsed.host !== here.host)
        return false;
    if (parsed.boot !== here.boot)
        return isEarlierBoot(parsed, here);
    if (parsed.pidSpace !== here.pidSpace)
        return false;
    if (!isAlive(parsed.pid))
        return true;
    const startedAt = startOf(parsed.pid);
    return startedAt !== null && parsed.startedAt !== UNTOLD && startedAt !== parsed.startedAt;
}
/** Whether the worker's process ran on another machine, in another container, or before this machine was started. */
export function isOfAnotherMachine(worker) {
    const parsed = parseWorkerId(worker);
    return parsed !== null && !isSameMachine(parsed, thisMachine());
}
/** `process <pid> on <host>` of a worker's id; the name itself where it is none. */
export function shownWorker(name) {
    const worker = parseWorkerId(name);
    return worker === null ? `process ${name}` : `process ${worker.pid} on ${shownHost(worker.host)}`;
}
const WORKER_ID = /^([A-Za-z0-9_-]+)\.([0-9a-f]+|x)\.([0-9]+|x)\.([0-9]+)\.([0-9]+|x)\.[0-9a-f]{8}$/;
/** Workers that have a journal in `<ONBOARD_HOME>/journal`, sorted; none where there is no such folder. */
export async function listWorkers(folder) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(nothingWhereMissing);
    return entries
        .filter((entry) => entry.isDirectory() && WORKER_ID.test(entry.name))
        .map((entry) => entry.name)
        .sort();
}
function nothingWhereMissing(error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return [];
    throw error;
}
function parseWorkerId(name) {
    const [, host = '', boot = '', pidSpace = '', pid = '', startedAt = ''] = WORKER_ID.exec(name) ?? [];
    return host === '' ? null : { host, boot, pidSpace, pid: Number(pid), startedAt };
}
/** When the process was started, in clock ticks since boot (proc(5), field 22 of stat); `null` where it isn't told. */
function startOf(pid) {
    // The second field, the program's name, may hold anything, also spaces and brackets.
    const afterName = textOf(`/proc/${pid}/stat`)?.split(') ').at(-1);
    return afterName?.split(' ')[19] ?? null;
}
function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    }
    catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
}
//# sourceMappingURL=worker-registry.js.map