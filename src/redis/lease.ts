/**
 * Which machine the embedded Redis of a home belongs to, where containers or machines share the home. Each taking has a number and
 * a folder `<home>/redis/<number>` of its own, with all that its server ever writes: whose mkdir of the next number succeeds has the
 * home, so no clock and no lock decides. While anybody there uses the server, the folder's file `lease` changes every second; one that
 * has stood still for 15 s of another machine's own looking is removed, and its data copied. A machine that stood still meanwhile
 * finds its lease gone before it sends (`isOurs`), and its server writes where nobody reads any more.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.ts';
import { isSameMachine, type Machine, shownHost } from '../lib/machine.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { isServing } from './server-process.ts';

export type Lease = {
  /** All that the server writes, except for its log. */
  readonly folder: string;
  /** Whether no other machine has taken the home. What was durable in the folder before a `true` is seen by whoever takes it later. */
  isOurs(): Promise<boolean>;
  /** The same as far as this machine knows at once. */
  isThere(): boolean;
  /** The server has ended: any machine may have the home. */
  release(): Promise<void>;
  /** Ends the heartbeat of this process. */
  stop(): void;
};

/** `removed`: with all that was in the home. */
type Loss = 'taken' | 'removed';

export type LeaseOptions = {
  readonly machine: Machine;
  /** Told once when another machine has taken the home meanwhile, another process has given it back while this one stood still, or it was removed. */
  onLost(how: Loss): void;
  /** Told something that the user should know, in a sentence. */
  tell(text: string): void;
  /** 1,000 by default. */
  readonly beatMs?: number;
};

const BEAT_MS = 1_000;
/** As long as a worker that doesn't check in is waited for. Counted in looks: a machine that sleeps between two has seen nothing. */
const LOOKS = 15;

const LEASE = 'lease';
/** What becomes of the file when its holder is done. */
const RELEASED = 'released';
const DATA = 'appendonlydir';
const GONE = ['ENOENT', 'ENOTDIR', 'ESTALE'] as const;

/**
 * Takes the home of this `<home>/redis`, or joins what this machine has already; throws a UsageError where another machine has it.
 * To be called under a lock among the processes of this machine.
 */
export async function holdLease(folder: string, options: LeaseOptions): Promise<Lease> {
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
    await bringData(folder, number);
    return openLease(join(folder, String(number)), options);
  }
}

function openLease(folder: string, { machine, beatMs = BEAT_MS, onLost }: LeaseOptions): Lease {
  const path = join(folder, LEASE);
  let beating: Promise<void> | null = null;
  let isMissing = false;
  const stop = () => clearInterval(timer);
  const beat = async () => {
    const wasMissing = isMissing;
    isMissing = !(await renew(path, machine));
    if (!isMissing) return;
    // A home that is being removed loses its files before its folders: what has no trace of another holder is told one beat later.
    const isTaken = await hasNewHolder(folder);
    if (!isTaken && !wasMissing) return;
    stop();
    onLost(isTaken || (await isThere(dirname(folder))) ? 'taken' : 'removed');
  };
  const timer = setInterval(() => {
    // A disk that can't be written to now may be well again at the next beat.
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = null;
      });
  }, beatMs);
  timer.unref();
  return {
    folder,
    isOurs: () => canOpen(path),
    isThere: () => existsSync(path),
    async release() {
      stop();
      await beating;
      await rename(path, join(folder, RELEASED)).catch(insteadOf(GONE, undefined));
    },
    stop,
  };
}

/** Whether the home was given back, or taken: whoever takes it makes the next folder before the lease goes. */
async function hasNewHolder(folder: string): Promise<boolean> {
  const [top = 0] = await numbers(dirname(folder)).catch(insteadOf(GONE, []));
  return top > Number(basename(folder)) || isThere(join(folder, RELEASED));
}

/** Never makes the file anew: once removed it stays so. False where it is gone. */
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

/** A network file system asks its server when a file is opened, and answers `stat` from memory. */
async function canOpen(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(insteadOf(GONE, null));
  await file?.close();
  return file !== null;
}

/** Always of one length on one machine: several processes write it over each other. */
function leaseText({ host, boot, pidSpace }: Machine): string {
  return `${JSON.stringify({ host, boot, pidSpace, beat: randomUUID() })}\n`;
}

/** The text of a lease, empty where its taker has not written it yet; `null`: it was released. */
async function readLease(at: string): Promise<string | null> {
  const text = await readFile(join(at, LEASE), 'utf8').catch(insteadOf(GONE, ''));
  if (text !== '') return text;
  return (await isThere(join(at, RELEASED))) ? null : '';
}

const holderSchema = z.object({ host: z.string(), boot: z.string(), pidSpace: z.string() });

function parseHolder(text: string): Machine | null {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

type Foreign = { readonly at: string; readonly said: string; readonly holder: Machine | null };

/** Returns where another machine's lease was released or has stood still; clocks of two machines are never compared. */
async function untilFree(
  { at, said, holder }: Foreign,
  { tell, beatMs = BEAT_MS }: LeaseOptions,
): Promise<void> {
  const where =
    holder === null ? 'another machine' : `another machine or container (${shownHost(holder.host)})`;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (looks === 2)
      tell(`${where} has had this home; waiting ${(LOOKS * beatMs) / 1000} s to see that it is gone.`);
    await sleep(beatMs);
    const now = await readLease(at);
    if (now === null) return;
    if (now !== said) throw refusal(where, at, 'its lease was renewed a moment ago');
  }
  if (await isServing(at)) throw refusal(where, at, 'its server holds the socket');
}

function refusal(where: string, at: string, evidence: string): UsageError {
  return new UsageError(
    `This ONBOARD_HOME is in use on ${where}: ${evidence} (${at}). An embedded Redis serves one machine or container at a time: ` +
      'end what runs there, or give all of them one Redis by REDIS_URL.',
  );
}

/** `null`: somebody else was first. */
async function take(folder: string, top: number, machine: Machine): Promise<number | null> {
  const number = top + 1;
  const mine = join(folder, String(number));
  const isMade = await mkdir(mine, { mode: 0o700 }).then(() => true, insteadOf('EEXIST', false));
  if (!isMade) return null;
  await writeFile(join(mine, LEASE), leaseText(machine), { flag: 'wx', mode: 0o600, flush: true });
  const [highest, ...lower] = await numbers(folder);
  if (highest !== number) {
    // A taker that stood still between its look and its mkdir: others have had the home since.
    await rm(mine, { recursive: true });
    return null;
  }
  // Before the data is copied: what a former holder records after this, it finds itself not allowed to act upon.
  for (const one of lower) await rm(join(folder, String(one), LEASE), { force: true });
  await syncFolder(folder);
  return number;
}

/** The former holder's data, copied unless its server has surely ended: one that comes to itself later goes on writing to its own. */
async function bringData(folder: string, number: number): Promise<void> {
  const mine = join(folder, String(number));
  const lower = (await numbers(folder)).filter((one) => one < number).map((one) => join(folder, String(one)));
  if (lower.length === 0) return;
  const source = (await isThere(join(mine, DATA))) ? undefined : await firstWithData(lower);
  if (source !== undefined && (await isThere(join(source, RELEASED)))) {
    await rename(join(source, DATA), join(mine, DATA));
  } else if (source !== undefined) {
    await copyData(source, mine);
  }
  await syncFolder(mine);
  for (const one of lower) await rm(one, { recursive: true, force: true });
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

/** Of a file too. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The folder of whoever has the home's server now, or had it last; `null`: nobody had. */
export async function takenFolder(folder: string): Promise<string | null> {
  const [latest] = await numbers(folder).catch(insteadOf('ENOENT', []));
  return latest === undefined ? null : join(folder, String(latest));
}

/** The numbers taken so far, the highest first. */
async function numbers(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => /^[1-9]\d{0,14}$/.test(name));
  return names.map(Number).sort((a, b) => b - a);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(() => true, insteadOf(GONE, false));
}

const OTHERS_MAY_ANYTHING = 0o077;
/** A group may be given the folders of a volume by whoever mounts it. */
const OTHERS_MAY_WRITE = 0o002;

/** Whoever can put a folder in the place of the server's own would get every row. Throws a UsageError. */
async function checkOwn(path: string, forbidden: number): Promise<void> {
  if (process.getuid === undefined) return;
  const found = await lstat(path);
  const why = !found.isDirectory()
    ? 'is a link, or no folder'
    : found.uid !== process.getuid()
      ? `belongs to user ${found.uid}`
      : (found.mode & forbidden) !== 0
        ? 'is open to other users'
        : null;
  if (why === null) return;
  throw new UsageError(
    `${path} ${why}: expected a folder that only the user of this program may use. Set ONBOARD_HOME to a folder of your own, ` +
      'or correct its owner and mode (chmod 700) where you know how that came about.',
  );
}
