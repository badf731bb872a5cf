/**
 * Which of several machines or containers the embedded Redis of a shared home belongs to. Whoever
 * makes the next numbered folder `<home>/redis/<number>` has the home, so no clock and no lock
 * decides. Another machine that sees its file `lease` unchanged for 20 s removes it and copies the
 * data. A holder that stood still finds the lease gone before it sends (`isOurs`).
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { insteadOf, orElse } from '../../lib/errors.ts';
import { isSameMachine, type Machine, shownHost } from '../../lib/machine.ts';
import { OTHERS_MAY_ANYTHING, ownerProblem, syncFolder } from '../../lib/make-folder.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import { probeSocket } from './server-process.ts';

export type LeaseOptions = {
  readonly machine: Machine;
  /** Called once, with the words for it: taken, given back by another process, or removed. */
  onLost(why: string): void;
  /** Shows the user a sentence. */
  tell(text: string): void;
  /** 5,000 by default. */
  readonly beatMs?: number;
};

const BEAT_MS = 5_000;
/** 20 s; in looks: a machine that sleeps in between sees nothing. */
const LOOKS = 4;

const LEASE = 'lease';
/** The file's name when its holder is done. */
const RELEASED = 'released';
const DATA = 'appendonlydir';
const GONE = ['ENOENT', 'ENOTDIR', 'ESTALE'] as const;

/** The caller holds this machine's lock. A UsageError where another machine has the home. */
export async function holdLease(folder: string, options: LeaseOptions) {
  await checkOwn(folder, OTHERS_MAY_WRITE);
  for (;;) {
    const [top = 0] = await numbers(folder);
    const at = join(folder, String(top));
    const said = top === 0 ? null : await readLease(at);
    const holder = said === null ? null : parseHolder(said);
    const isMine = holder !== null && isSameMachine(holder, options.machine);
    if (isMine) await checkOwn(at, OTHERS_MAY_ANYTHING);
    else if (said !== null) await untilFree({ at, said, holder }, options);
    const number = isMine ? top : await take(folder, top, options.machine);
    if (number === null) continue;
    const lease = openLease(join(folder, String(number)), options);
    // It is renewed meanwhile: copying may take longer than others look.
    return bringData(folder, number, lease).catch(async (error: unknown) => {
      lease.stop();
      throw (await lease.isOurs()) ? error : new UsageError(await whyLost(lease.folder));
    });
  }
}

const TAKEN =
  'Another machine, container or command has taken this ONBOARD_HOME: nothing more is sent from here. ' +
  'An embedded Redis serves one machine at a time; give all of them one by REDIS_URL.';

/** The same command would send every row once more. */
export const REMOVED =
  'This ONBOARD_HOME was removed while it was in use: nothing more is sent from here. ' +
  'Look in the service for its rows before this file is loaded again: ' +
  'an empty home sends all of them.';

export type Lease = ReturnType<typeof openLease>;

function openLease(folder: string, { machine, beatMs = BEAT_MS, onLost }: LeaseOptions) {
  const path = join(folder, LEASE);
  let beating: Promise<void> | null = null;
  const stop = () => clearInterval(timer);
  const beat = async () => {
    if (await renew(path, machine)) return;
    stop();
    onLost(await whyLost(folder));
  };
  const timer = setInterval(() => {
    // A failing disk may have recovered by the next beat.
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = null;
      });
  }, beatMs);
  timer.unref();
  return {
    /** All that the server writes, except its log. */
    folder,
    /** No other machine has the home. Whoever takes it later sees all that was durable before. */
    isOurs: () => canOpen(path),
    /** As far as this machine knows at once. */
    isThere: () => existsSync(path),
    /** The server has ended: any machine may have the home. */
    async release() {
      stop();
      await beating;
      await rename(path, join(folder, RELEASED)).catch(insteadOf(GONE, undefined));
    },
    stop,
  };
}

/** A taker makes the next folder before the lease goes; who removes a home may have just begun. */
export async function whyLost(folder: string): Promise<string> {
  const [top = 0] = await numbers(dirname(folder)).catch(insteadOf(GONE, []));
  return top > Number(basename(folder)) || (await isThere(join(folder, RELEASED))) ? TAKEN : REMOVED;
}

/** Never makes a removed file anew. False: it is gone. */
async function renew(path: string, machine: Machine): Promise<boolean> {
  const file = await open(path, 'r+').catch(insteadOf(GONE, null));
  if (file === null) return false;
  try {
    await file.write(leaseText(machine), 0);
  } finally {
    await file.close();
  }
  return true;
}

/** A network file system asks its server at `open`, and answers `stat` from memory. */
async function canOpen(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(insteadOf(GONE, null));
  await file?.close();
  return file !== null;
}

/** Always of one length on one machine: its processes overwrite each other. */
function leaseText({ host, boot, pidSpace }: Machine): string {
  return `${JSON.stringify({ host, boot, pidSpace, beat: randomUUID() })}\n`;
}

/** '': its taker has not written it yet; `null`: it was released. */
async function readLease(at: string): Promise<string | null> {
  const text = await readFile(join(at, LEASE), 'utf8').catch(insteadOf(GONE, ''));
  if (text !== '') return text;
  return (await isThere(join(at, RELEASED))) ? null : '';
}

const holderSchema = z.object({ host: z.string(), boot: z.string(), pidSpace: z.string() });

function parseHolder(text: string): Machine | null {
  return orElse(null, () => holderSchema.parse(JSON.parse(text)));
}

type Foreign = { readonly at: string; readonly said: string; readonly holder: Machine | null };

/** Until another machine's lease was released or stood still; never compares their clocks. */
async function untilFree(
  { at, said, holder }: Foreign,
  { tell, beatMs = BEAT_MS }: LeaseOptions,
): Promise<void> {
  const where =
    holder === null ? 'another machine' : `another machine or container (${shownHost(holder.host)})`;
  tell(`${where} has had this home; waiting ${(LOOKS * beatMs) / 1000} s to see that it is gone.`);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await sleep(beatMs);
    const now = await readLease(at);
    if (now === null) return;
    if (now !== said) throw refusal(where, at, 'its lease was renewed a moment ago');
  }
  // Also where it stands still, if this kernel has it.
  if ((await probeSocket(at)) !== 'silent') throw refusal(where, at, 'its server holds the socket');
}

function refusal(where: string, at: string, evidence: string): UsageError {
  return new UsageError(
    `This ONBOARD_HOME is in use on ${where}: ${evidence} (${at}). ` +
      'End what runs there, or give all of them one Redis by REDIS_URL.',
  );
}

/** `null`: somebody else was first. */
async function take(folder: string, top: number, machine: Machine): Promise<number | null> {
  const number = top + 1;
  const mine = join(folder, String(number));
  const isMade = await mkdir(mine, { mode: 0o700 }).then(() => true, insteadOf('EEXIST', false));
  if (!isMade) return null;
  await writeFile(join(mine, LEASE), leaseText(machine), { flag: 'wx', mode: 0o600 });
  await syncFolder(join(mine, LEASE));
  const [highest, ...lower] = await numbers(folder);
  if (highest !== number) {
    // This taker stood still between its look and its mkdir: others have had the home since.
    await rm(mine, { recursive: true });
    return null;
  }
  // Before the data is copied: a former holder may not act upon what it records after this.
  for (const one of lower) await rm(join(folder, String(one), LEASE), { force: true });
  await syncFolder(folder);
  return number;
}

/** Copies the former holder's data unless its server surely ended: it may go on writing. */
async function bringData(folder: string, number: number, lease: Lease): Promise<Lease> {
  const mine = lease.folder;
  const former = (await numbers(folder)).filter((one) => one < number);
  const lower = former.map((one) => join(folder, String(one)));
  if (lower.length === 0) return lease;
  const source = (await isThere(join(mine, DATA))) ? undefined : await firstWithData(lower);
  if (source !== undefined && (await isThere(join(source, RELEASED)))) {
    await rename(join(source, DATA), join(mine, DATA));
  } else if (source !== undefined) {
    await copyData(source, mine);
  }
  await syncFolder(mine);
  // Whoever has taken the home from this one, which stood still, may be copying from them.
  if (!(await lease.isOurs())) throw new Error('the lease is lost');
  for (const one of lower) await rm(one, { recursive: true, force: true });
  return lease;
}

async function firstWithData(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) if (await isThere(join(folder, DATA))) return folder;
  return undefined;
}

async function copyData(source: string, mine: string): Promise<void> {
  const part = join(mine, `${DATA}.part`);
  await rm(part, { recursive: true, force: true });
  await cp(join(source, DATA), part, { recursive: true });
  for (const name of await readdir(part)) await syncFolder(join(part, name));
  await syncFolder(part);
  await rename(part, join(mine, DATA));
}

/** Of whoever has the home's server now, or had it last; `null`: nobody had. */
export async function takenFolder(folder: string): Promise<string | null> {
  const [latest] = await numbers(folder).catch(insteadOf('ENOENT', []));
  return latest === undefined ? null : join(folder, String(latest));
}

async function numbers(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => /^[1-9]\d{0,14}$/.test(name));
  return names.map(Number).sort((a, b) => b - a);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(() => true, insteadOf(GONE, false));
}

/** Whoever mounts a volume may give its folders to a group. */
const OTHERS_MAY_WRITE = 0o002;

/** Whoever can replace the server's folder would get every row. Throws a UsageError. */
async function checkOwn(path: string, forbidden: number): Promise<void> {
  const found = await lstat(path);
  const why = found.isDirectory() ? ownerProblem(found, forbidden) : 'is a link, or no folder';
  if (why === null) return;
  throw new UsageError(
    `${path} ${why}: expected one that only this user may use. ` +
      'Set ONBOARD_HOME to a folder of your own, or correct owner and mode (chmod 700).',
  );
}
