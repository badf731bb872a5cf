/**
 * The workers of this home. The id of a process that moves rows is never used again and names its
 * journal. It says where the process ran and when it began, so that whoever finds the journal can
 * tell whether its worker is dead.
 */

import { randomBytes } from 'node:crypto';
import {
  isAlive,
  isEarlierBoot,
  isSameMachine,
  type Machine,
  shownHost,
  textOf,
  thisMachine,
  UNTOLD,
} from './machine.ts';

/** Parts of a worker's id, joined by dots; `x`: the system doesn't say. */
type WorkerId = Machine & { readonly pid: number; readonly startedAt: string };

/** `<host>.<boot>.<pid namespace>.<pid>.<start>.<random>`, never used twice. */
export function newWorkerId(): string {
  const { host, boot, pidSpace } = thisMachine();
  const { pid } = process;
  const random = randomBytes(4).toString('hex');
  return [host, boot, pidSpace, pid, startOf(pid) ?? UNTOLD, random].join('.');
}

/**
 * True only where the worker's process ran on this host and is dead: the machine itself (no
 * container on it) was rebooted since, no process has its pid, or (Linux) the one with it was
 * started at another time. False wherever that is unknown: on another host, in another container,
 * for a name that is no worker's id, and, without /proc, while any process has the pid.
 */
export function isDeadHere(worker: string): boolean {
  const parsed = parseWorkerId(worker);
  const here = thisMachine();
  if (parsed === null) return false;
  if (!isSameMachine(parsed, here)) return isEarlierBoot(parsed, here);
  // Virtual machines from one snapshot share a boot, and perhaps a Redis: their names differ.
  if (parsed.host !== here.host) return false;
  if (!isAlive(parsed.pid)) return true;
  const startedAt = startOf(parsed.pid);
  return startedAt !== null && parsed.startedAt !== UNTOLD && startedAt !== parsed.startedAt;
}

/** On another machine, in another container, or before this machine's boot. */
export function isOfAnotherMachine(worker: string): boolean {
  const parsed = parseWorkerId(worker);
  return parsed !== null && !isSameMachine(parsed, thisMachine());
}

/** `process <pid> on <host>`; the name itself where it is no worker's id. */
export function shownWorker(name: string): string {
  const worker = parseWorkerId(name);
  return worker === null ? `process ${name}` : `process ${worker.pid} on ${shownHost(worker.host)}`;
}

const WORKER_ID = /^([A-Za-z0-9_-]+)\.([0-9a-f]+|x)\.([0-9]+|x)\.([0-9]+)\.([0-9]+|x)\.[0-9a-f]{8}$/;

export function isWorkerId(name: string): boolean {
  return WORKER_ID.test(name);
}

function parseWorkerId(name: string): WorkerId | null {
  const [, host = '', boot = '', pidSpace = '', pid = '', startedAt = ''] = WORKER_ID.exec(name) ?? [];
  return host === '' ? null : { host, boot, pidSpace, pid: Number(pid), startedAt };
}

/** In clock ticks since boot (proc(5), field 22 of stat); `null`: unknown. */
function startOf(pid: number): string | null {
  // The second field, the program's name, may hold anything, also spaces and brackets.
  const afterName = textOf(`/proc/${pid}/stat`)?.split(') ').at(-1);
  return afterName?.split(' ')[19] ?? null;
}

/** The part of a worker's id that no other process has: its fencing tokens begin so. */
export function processOf(worker: string): string {
  return worker.slice(worker.lastIndexOf('.') + 1);
}
