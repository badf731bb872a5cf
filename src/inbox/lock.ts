/**
 * One process at a time watches the inboxes of a home. Who is killed has lost them at once for
 * processes of the same machine, and after 15 s for others.
 */
import { readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { isDeadHere, isOfAnotherMachine, newWorkerId, shownWorker } from '../journal/worker-registry.ts';
import { hasCode, insteadOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import type { Session } from '../session.ts';

const STALE_MS = 15_000;
const RENEW_MS = 3_000;
const POLL_MS = 500;

/** For the session. A UsageError where another process watches the home. */
export async function lockInboxes({
  env,
  io,
  releasers,
}: Pick<Session, 'env' | 'io' | 'releasers'>): Promise<void> {
  const lock = join(env.home, 'watching');
  const holder = join(env.home, 'watcher');
  const release = await takeLock(lock, holder, io);
  releasers.push(() => release().catch(insteadOf('ERELEASED', undefined)));
  await writeFile(holder, newWorkerId());
}

async function takeLock(lock: string, holder: string, io: Session['io']): Promise<() => Promise<void>> {
  const lost = () => {
    tell(io, 'Another process has taken the inboxes of this home over: this one ends.');
    process.kill(process.pid, 'SIGTERM');
  };
  const deadline = performance.now() + STALE_MS + RENEW_MS;
  for (let looks = 1; ; looks += 1) {
    const other = await holderOf(lock, holder);
    try {
      const how = { stale: STALE_MS, update: RENEW_MS, lockfilePath: lock, realpath: false };
      return await lockfile.lock(lock, { ...how, onCompromised: lost });
    } catch (error) {
      if (!hasCode(error, 'ELOCKED')) throw error;
    }
    const isHere = other !== '' && !isOfAnotherMachine(other);
    if (isHere || performance.now() > deadline || io.interrupted.aborted) throw new UsageError(heldBy(other));
    if (looks === 1) tell(io, `Waiting up to 20 s: ${shownHolder(other)} may still watch the inboxes here.`);
    await sleep(POLL_MS, io.interrupted);
  }
}

/**
 * `''`: nobody is known to have the lock. A dead one's name goes before the lock is taken: beside
 * a new lock it would let a third process free that. Of several that find it, one frees the lock.
 */
async function holderOf(lock: string, holder: string): Promise<string> {
  const name = await readFile(holder, 'utf8').catch(insteadOf('ENOENT', ''));
  if (!isDeadHere(name)) return name;
  const isFirst = await unlink(holder).then(() => true, insteadOf('ENOENT', false));
  if (isFirst) await rmdir(lock).catch(insteadOf('ENOENT', undefined));
  return '';
}

function heldBy(other: string): string {
  const expected = 'expected one watcher for each home; end that one, or set ONBOARD_HOME';
  return `${shownHolder(other)} watches the inboxes of this ONBOARD_HOME: ${expected}`;
}

function shownHolder(other: string): string {
  return other === '' ? 'another process' : shownWorker(other);
}
