/**
 * This machine: which one it is, whether a host is it, what its disks have free. Process ids mean
 * something only within one boot of one host and one pid namespace (a container has its own). `x`:
 * the system doesn't say.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { hasCode, orElse } from './errors.ts';

export type Machine = { readonly host: string; readonly boot: string; readonly pidSpace: string };

export const UNTOLD = 'x';
const HOST_LENGTH = 60;

let known: Machine | null = null;

/** Read once: constant during this process' life. */
export function thisMachine(): Machine {
  known ??= { host: thisHost(), boot: thisBoot(), pidSpace: namespace('pid') };
  return known;
}

/**
 * Equal where a process id means the same to both. Host names change, and are shared: they count
 * only where nothing else is known.
 */
export function machineKey({ host, boot, pidSpace }: Machine): string {
  return boot === UNTOLD || pidSpace === UNTOLD ? `${boot} ${pidSpace} ${host}` : `${boot} ${pidSpace}`;
}

export function isSameMachine(one: Machine, other: Machine): boolean {
  return machineKey(one) === machineKey(other);
}

/** The machine's own pid namespace on every Linux (PROC_PID_INIT_INO); no container has it. */
const OF_THE_MACHINE = '4026531836';

/**
 * Whether `one` is `now` before a reboot. A container may move and keep its name and its image's
 * machine id: one known by these may live on another machine.
 */
export function isEarlierBoot(one: Machine, now: Machine): boolean {
  if (one.host !== now.host || !MACHINE_ID.test(now.host)) return false;
  if (one.pidSpace !== OF_THE_MACHINE || now.pidSpace !== OF_THE_MACHINE) return false;
  return one.boot !== now.boot && one.boot !== UNTOLD && now.boot !== UNTOLD;
}

/** Host names can coincide (`localhost`); the machine's own id, where it has one, does not. */
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

/** Containers on one host may share a name. */
function namespace(kind: 'pid' | 'user' | 'uts'): string {
  return /\d+/.exec(orElse('', () => readlinkSync(`/proc/self/ns/${kind}`)))?.[0] ?? UNTOLD;
}

const MACHINE_ID = /-[0-9a-f]{8}$/;

export function shownHost(host: string): string {
  return host.replace(MACHINE_ID, '');
}

/** A small system file; `null`: it can't be read. */
export function textOf(path: string): string | null {
  return orElse(null, () => readFileSync(path, 'utf8').trim());
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

const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/;

/**
 * Whether a host is this machine: plain text to it is seen by nobody on the way. `hostname` as URL
 * has it: lower case, dotted IPv4, IPv6 in brackets.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || LOOPBACK_V4.test(hostname);
}

/** Of the disk that the path lies on. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Who runs this process, and where. */
export function systemUser() {
  return { name: `${userName()}@${hostname()}`, via: 'user' } as const;
}

/** The machine's own, as Linux numbers them: PROC_USER_INIT_INO, PROC_UTS_INIT_INO. */
const OWN_SPACES = [UNTOLD, OF_THE_MACHINE, '4026531837', '4026531838'];

/**
 * Whether that tells people apart: in a container both are its image's or made anew with it, in a
 * user namespace anybody can be anybody, in a UTS namespace on any host.
 */
export function isUserTold(): boolean {
  const spaces = (['pid', 'user', 'uts'] as const).map(namespace);
  return spaces.every((one) => OWN_SPACES.includes(one)) && !userName().startsWith('#');
}

/** As sudo writes it where the user has no name; no account is called so. */
function userName(): string {
  return orElse(`#${process.getuid?.() ?? ''}`, () => userInfo().username);
}
