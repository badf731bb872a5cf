/**
 * Purges: runs that are over lose what is personal, in the ledger and in this home; what became of
 * each row stays, and its key known. Killed at any moment, the next purge goes on; several at once
 * are harmless. Of a run that another home purged, files here go with the next purge of this one.
 */
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ledgerName } from '../../engine/ledger/keys.ts';
import { openPurge } from '../../engine/ledger/purge.ts';
import { type RunBrief, readBriefs } from '../../engine/ledger/run-record.ts';
import { newRunId } from '../../engine/ledger/run-store.ts';
import { createChunkQueue } from '../../engine/queue/chunk-queue.ts';
import { KEPT_AFTER_END_MS, removeJournals } from '../../engine/recovery/registration.ts';
import { rewriteFiles } from '../../engine/redis/append-only-file.ts';
import { batchesOf } from '../../lib/batches.ts';
import { insteadOf, messageOf } from '../../lib/errors.ts';
import { countOf, shownTime, tell } from '../../lib/terminal.ts';
import { sleep } from '../../lib/waiting.ts';
import { countUnsuccessful } from '../../model/outcome.ts';
import { isOver, type Run } from '../../model/run.ts';
import { spaceOf } from '../../operations/operations.ts';
import { type Ledger, reportDirectory, type Session } from '../../session.ts';
import { accountsAt } from '../account.ts';
import { waitForReplica } from '../replicas.ts';
import { purgeReport } from '../report/purged.ts';
import { definitionKnown } from '../report.ts';
import { findRun } from '../status.ts';
import { NOTE_ENDING } from './entry.ts';
import { PROCESSING } from './shared-folder.ts';

type PurgeAsked = {
  /** By id, ending or `latest`; `null`: all that are old enough. */
  readonly run: string | null;
  readonly olderThanMs: number | null;
  /** Also where rows of its file are open. */
  readonly isOpenToo?: boolean;
  readonly isDry?: boolean;
  readonly by: string;
};

type PurgeSession = Pick<Session, 'env' | 'io' | 'ledger'>;

/**
 * `others`: files in done/ and failed/ of no run, or of one that was purged before. `problem`: why
 * Redis has not written its file anew. `copied`: to a replica, if there is one.
 */
export async function purge(asked: PurgeAsked, session: PurgeSession) {
  const { isOpenToo = false, isDry = false, by } = asked;
  const { env, io, ledger } = session;
  const before = asked.olderThanMs === null ? 0 : Date.now() - asked.olderThanMs;
  const here = await filesByRun(env.home);
  const runs: Array<Pick<RunBrief, 'job' | 'rows' | 'finishedAt'> & { readonly run: string }> = [];
  const journals: string[] = [];
  const notPurged: Array<{ readonly run: string; readonly job: string; readonly why: string }> = [];
  for await (const run of runsMeant(asked.run, before, ledger)) {
    if (io.interrupted.aborted) break;
    const { id, job, rows, finishedAt } = run;
    const purging = async () =>
      (await whyKept(run, isOpenToo, session)) ??
      (isDry ? null : purgeRun(run, { by, files: here.get(id) }, session));
    // One that can't be read keeps no other from being purged.
    const why = await purging().catch((error: unknown) => `it can't be read: ${messageOf(error)}`);
    if (why === null) runs.push({ run: id, job, rows, finishedAt });
    else notPurged.push({ run: id, job, why });
    if (why === null && !isDry) journals.push(...(await journalsLeft(run, ledger)));
  }
  for (const { run } of runs) here.delete(run);
  const otherFiles = await removeLeft(here, before, isDry, session);
  const told = { runs, notPurged, journals, otherFiles };
  if (isDry) return { ...told, problem: null, isCopied: true };
  // Each time: one that was killed may not have come so far.
  const problem = await rewriteFiles(ledger.redis, io.interrupted);
  return { ...told, problem, isCopied: await areCopied(ledger) };
}

const ALL = 10_000_000;

/** Also what was purged before: a purge that no replica had is given again. */
async function areCopied(ledger: Ledger): Promise<boolean> {
  const runs = await ledger.index.latest(ALL);
  for (const target of new Set(runs.map((run) => run.target)))
    if (!(await waitForReplica(ledger, target))) return false;
  return true;
}

/** Without those that are purged. */
async function* runsMeant(named: string | null, before: number, ledger: Ledger) {
  const ids =
    named === null
      ? (await ledger.index.latest(ALL)).map(({ run }) => run)
      : [(await findRun(ledger, named)).id];
  for (const id of ids) {
    const run = await briefOf(id, ledger);
    if (run !== null && run.purged?.isDone !== true && (named !== null || endOf(run) < before)) yield run;
  }
}

async function briefOf(id: string, { redis, index, of }: Ledger): Promise<RunBrief | null> {
  const target = await index.targetOf(id);
  return target === null ? null : ((await readBriefs(redis, of(target).keys, [id]))[0] ?? null);
}

function endOf({ finishedAt, createdAt }: RunBrief): number {
  return Date.parse(finishedAt ?? createdAt);
}

/** `null`: it may be purged. */
async function whyKept(run: RunBrief, isOpenToo: boolean, { env, ledger }: PurgeSession) {
  const { id, target, state, outcomes } = run;
  if (!isOver(run) || run.closedChunks < run.chunks) return `it is ${state}, and not over`;
  if (outcomes['in-doubt'] > 0)
    return `${countOf(outcomes['in-doubt'], 'row')} in doubt: \`onboard status ${id}\` says how to settle them`;
  const due = endOf(run) + KEPT_AFTER_END_MS;
  if (due >= Date.now())
    return (
      'it ended less than ten minutes ago, and its journals may be ' +
      `needed: purge it after ${shownTime(new Date(due), 'UTC', { seconds: true })}`
    );
  const claim = await claimOf(run, env.home, ledger);
  if (claim !== null) return `its file is still in ${claim}: \`onboard start\` puts it away first`;
  if (isOpenToo || run.purged !== undefined) return null;
  const accounts = accountsAt(target, ledger);
  const account = await accounts.accountOf(await accounts.deliveryOf(id));
  // Rows that stand for those of several files are in none of their accounts' own.
  const stand = countUnsuccessful(outcomes) === 0 ? [] : (await accounts.standOf(id)).open.values();
  const open = Math.max(account.open, [...stand].filter((one) => !one.isWrittenOff).length);
  if (open === 0) return null;
  return `${countOf(open, 'row')} of its file open: \`onboard account ${id}\` names them, --open purges it all the same`;
}

/** Where its file lies until a watcher puts it away; `null`: nowhere in this home. */
async function claimOf(run: RunBrief, home: string, ledger: Ledger): Promise<string | null> {
  const definition = await definitionKnown(run, ledger.of(run.target).store);
  for (const inbox of ['inbox', 'uploads', definition?.inbox ?? 'inbox']) {
    const path = join(resolve(home, inbox), PROCESSING, run.id);
    const names = await readdir(path).catch(insteadOf(['ENOENT', 'ENOTDIR'], []));
    if (names.some((name) => !name.startsWith('.'))) return path;
  }
  return null;
}

type Purging = {
  readonly by: string;
  readonly files: readonly string[] | undefined;
};

/** `null`: done; else why not yet. */
async function purgeRun(run: RunBrief, { by, files = [] }: Purging, { env, io, ledger }: PurgeSession) {
  const { keys, store } = ledger.of(run.target);
  const steps = openPurge(ledger.redis, keys, run);
  const purged = { by, at: new Date().toISOString(), isDone: true };
  await steps.begin(purged);
  if (!(await emptyQueue(run, ledger))) return 'a worker has a part of it in hand: purge it again later';
  const definition = await definitionKnown(run, store);
  const known = await store.get(run.id);
  const purgedKeys = {
    space: known === null ? null : spaceOf(known.operation),
    form: definition?.keyForm,
    isGuarded: definition?.guard.accounts !== 'off',
  };
  if (!(await steps.writeBlocks(purgedKeys, io.interrupted))) return 'interrupted: it goes on next time';
  const journals = join(env.home, 'journal', ledgerName(run.target));
  await removeFiles(files);
  await removeJournals(journals, run.id, { redis: ledger.redis, keys });
  await purgeReport(reportDirectory(env, run.id), purged);
  await steps.complete(purged);
  return null;
}

/** In words: where a purged run's rows still lie, since nobody has come by since. */
export async function journalsLeft({ id, target }: Pick<Run, 'id' | 'target'>, { redis, of }: Ledger) {
  const journals = Object.values(await redis.hgetall(of(target).keys.run(id).journals));
  return journals.map(
    (path) =>
      `Run ${id}: its rows are still in another home, ${path}: the ` +
      'next process that sends rows there removes it',
  );
}

async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

const JOBS_AT_ONCE = 64;

/** Of what a killed worker left there; false: a worker has some of it. */
async function emptyQueue({ id, target, chunks }: RunBrief, { redis, of }: Ledger): Promise<boolean> {
  const { keys } = of(target);
  const sealOf = (run: string) => keys.run(run).seal();
  const queue = createChunkQueue(redis, keys.queuePrefix, () => undefined, sealOf);
  try {
    const numbers = Array.from({ length: chunks }, (_, i) => i + 1);
    for (const batch of batchesOf(numbers, JOBS_AT_ONCE))
      if ((await Promise.all(batch.map((n) => queue.takeOut(id, n)))).includes(null)) return false;
    return true;
  } finally {
    await queue.close();
  }
}

/** Of runs purged before, what came since or lies here; of no run, what is so old: so many. */
async function removeLeft(
  here: FilesByRun,
  before: number,
  isDry: boolean,
  { env, ledger }: PurgeSession,
): Promise<number> {
  const oldest = newRunId(new Date(before));
  let count = 0;
  for (const [id, files] of here) {
    const run = await briefOf(id, ledger);
    const purged = run?.purged?.isDone === true ? run.purged : null;
    if (purged === null && (run !== null || id >= oldest)) continue;
    count += files.length;
    if (isDry) continue;
    await removeFiles(files);
    if (purged !== null) await purgeReport(reportDirectory(env, id), purged);
  }
  return count;
}

type FilesByRun = Map<string, readonly string[]>;

/** A run's id, or that of a file that got none, as `settle.ts` names files. */
const ID = /.*\.(\d{8}-\d{6}-[a-z0-9]{4})(?:\.|$)/s;
/** What a purge leaves of a report. */
const LEFT = 'digest.json,summary.json';

/** What came by inboxes, with its notes; none for runs that have a report alone. */
async function filesByRun(home: string): Promise<FilesByRun> {
  const found: FilesByRun = new Map();
  const list = (...path: string[]) =>
    readdir(join(home, ...path)).catch(insteadOf(['ENOENT', 'ENOTDIR'], []));
  for (const id of await list('reports'))
    if ((await list('reports', id)).sort().join() !== LEFT) found.set(id, []);
  for (const folder of ['done', 'failed'])
    for (const name of await list(folder)) {
      const path = join(home, folder, name);
      const note = name.endsWith(NOTE_ENDING) ? path : path + NOTE_ENDING;
      // A file that was given again belongs to the run that took its content.
      const text = await readFile(note, 'utf8').catch(insteadOf('ENOENT', ''));
      const id = /^ {2}run +([^\s,]+),/m.exec(text)?.[1] ?? ID.exec(name)?.[1] ?? (await idByAge(path));
      if (id !== undefined) found.set(id, [...(found.get(id) ?? []), path]);
    }
  return found;
}

/** Of a file that somebody put there: as one that came when it was written last. */
async function idByAge(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(insteadOf('ENOENT', null));
  return stats?.isFile() === true ? newRunId(stats.mtime) : undefined;
}

export function otherFilesWords(files: number): string {
  return (
    `Beside them: ${countOf(files, 'file')} in done/ and failed/ ` +
    'of no run, or of one that was purged before'
  );
}

const DAY_MS = 86_400_000;

/** As ONBOARD_RETENTION says, until the process is interrupted. Never throws. */
export async function purgeDaily(isOnce: boolean, session: PurgeSession & Pick<Session, 'log'>) {
  const { env, io, log } = session;
  const asked = { run: null, olderThanMs: env.retentionMs, by: 'retention' };
  while (env.retentionMs !== null && !io.interrupted.aborted) {
    try {
      const { runs, notPurged, journals, otherFiles, problem } = await purge(asked, session);
      if (runs.length > 0) tell(io, `Purged ${countOf(runs.length, 'run')}, as ONBOARD_RETENTION says.`);
      if (otherFiles > 0) tell(io, otherFilesWords(otherFiles));
      tell(io, ...journals);
      const due = `Kept, though due: ${countOf(notPurged.length, 'run')}`;
      if (notPurged.length > 0) tell(io, `${due}; \`onboard purge --dry-run\` lists what is kept, and why.`);
      if (problem !== null) log.warn('purge', { problem });
    } catch (error) {
      log.warn('runs could not be purged: that is tried again in a day', { problem: messageOf(error) });
    }
    if (isOnce) return;
    await sleep(DAY_MS, io.interrupted);
  }
}
