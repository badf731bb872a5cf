/**
 * Which machine this is, as far as processes can be told apart on it: process ids mean something only within one boot of one
 * host and within one pid namespace (a container has its own). `x` stands for what the system doesn't tell.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './errors.ts';

export type Machine = { readonly host: string; readonly boot: string; readonly pidSpace: string };

export const UNTOLD = 'x';
const HOST_LENGTH = 60;

let known: Machine | null = null;

/** Read once: it stays what it is as long as this process lives. */
export function thisMachine(): Machine {
  known ??= { host: thisHost(), boot: thisBoot(), pidSpace: pidSpace() };
  return known;
}

/**
 * Alike for two processes where a process id means the same to both. Host names change, and are shared: they count only where nothing
 * else is told.
 */
export function machineKey({ host, boot, pidSpace }: Machine): string {
  return boot === UNTOLD || pidSpace === UNTOLD ? `${boot} ${pidSpace} ${host}` : `${boot} ${pidSpace}`;
}

export function isSameMachine(one: Machine, other: Machine): boolean {
  return machineKey(one) === machineKey(other);
}

/** The pid namespace of the machine itself has this number on every Linux (PROC_PID_INIT_INO); a container has one of its own. */
const OF_THE_MACHINE = '4026531836';

/**
 * Whether `one` is what `now` was before it was started again. A container may be moved while its name, and the machine id that came with
 * its image, stay: one that is known by these lives on another machine perhaps.
 */
export function isEarlierBoot(one: Machine, now: Machine): boolean {
  if (one.host !== now.host || !MACHINE_ID.test(now.host)) return false;
  if (one.pidSpace !== OF_THE_MACHINE || now.pidSpace !== OF_THE_MACHINE) return false;
  return one.boot !== now.boot && one.boot !== UNTOLD && now.boot !== UNTOLD;
}

/** Host names are not always told apart (`localhost`): the machine's own id is, where it has one. */
function thisHost(): string {
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, HOST_LENGTH);
  const machine = textOf('/etc/machine-id');
  return machine === null || machine === '' ? name : `${name}-${digest(machine)}`;
}

function thisBoot(): string {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  return boot === null ? UNTOLD : digest(boot);
}

/** Pids mean something only within their namespace: containers on one host may bear one name. */
function pidSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? UNTOLD;
  } catch {
    return UNTOLD;
  }
}

const MACHINE_ID = /-[0-9a-f]{8}$/;

export function shownHost(host: string): string {
  return host.replace(MACHINE_ID, '');
}

/** The text of a small file of the system; `null` where it can't be read. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
