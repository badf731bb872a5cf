/**
 * Which machine this is, as far as processes can be told apart on it: process ids mean something only within one boot of one
 * host and within one pid namespace (a container has its own). `x` stands for what the system doesn't tell.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
export const UNTOLD = 'x';
const HOST_LENGTH = 60;
export function thisMachine() {
    return { host: thisHost(), boot: thisBoot(), pidSpace: pidSpace() };
}
/** Whether a process id means the same on both. Host names change, and are shared: they count only where nothing else is told. */
export function isSameMachine(one, other) {
    if (one.boot !== other.boot || one.pidSpace !== other.pidSpace)
        return false;
    return (one.boot !== UNTOLD && one.pidSpace !== UNTOLD) || one.host === other.host;
}
/** The pid namespace of the machine itself has this number on every Linux (PROC_PID_INIT_INO); a container has one of its own. */
const OF_THE_MACHINE = '4026531836';
/**
 * Whether `one` is what `now` was before it was started again. A container may be moved while its name, and the machine id that came with
 * its image, stay: one that is known by these lives on another machine perhaps.
 */
export function isEarlierBoot(one, now) {
    if (one.host !== now.host || !MACHINE_ID.test(now.host))
        return false;
    if (one.pidSpace !== OF_THE_MACHINE || now.pidSpace !== OF_THE_MACHINE)
        return false;
    return one.boot !== now.boot && one.boot !== UNTOLD && now.boot !== UNTOLD;
}
/** Host names are not always told apart (`localhost`): the machine's own id is, where it has one. */
export function thisHost() {
    const name = hostname()
        .replaceAll(/[^A-Za-z0-9_-]/g, '_')
        .slice(0, HOST_LENGTH);
    const machine = textOf('/etc/machine-id');
    return machine === null || machine === '' ? name : `${name}-${digest(machine)}`;
}
export function thisBoot() {
    const boot = textOf('/proc/sys/kernel/random/boot_id');
    return boot === null ? UNTOLD : digest(boot);
}
/** Pids mean something only within their namespace: containers on one host may bear one name. */
export function pidSpace() {
    try {
        return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? UNTOLD;
    }
    catch {
        return UNTOLD;
    }
}
/** The machine's own id, which a host's name ends with. */
const MACHINE_ID = /-[0-9a-f]{8}$/;
/** A host's name as people know it. */
export function shownHost(host) {
    return host.replace(MACHINE_ID, '');
}
/** The text of a small file of the system; `null` where it can't be read. */
export function textOf(path) {
    try {
        return readFileSync(path, 'utf8').trim();
    }
    catch {
        return null;
    }
}
function digest(text) {
    return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
//# sourceMappingURL=machine.js.map