/**
 * Jobs that change: each text that a job got on the page, with who, when and why, as a file of
 * ONBOARD_HOME/jobs-history that is never written again; so is a text of somebody else's that one
 * replaces. A version is on disk and in the audit before the job's file has it, and the file gets
 * it by a rename: a kill leaves a version that is not in use, never half a job. Runs keep the
 * definition that they began with.
 */
import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  link,
  lstat,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { makeHomeFolder } from '../config/environment.ts';
import { changesBetween, type SettingChange, writtenIn } from '../config/job-change.ts';
import { parseChangedJob, readJobText } from '../config/load-job.ts';
import { definitionProblems } from '../delivery/run-mapping.ts';
import { recordAct } from '../engine/ledger/audit.ts';
import { errorCode, hasCode, insteadOf, orElse } from '../lib/errors.ts';
import { syncFolder, writeDurably } from '../lib/make-folder.ts';
import { UsageError } from '../lib/usage-error.ts';
import { whyNotConfirmed, whyUnknown } from '../model/approval.ts';
import { digestOf } from '../model/audit.ts';
import { parseRecord } from '../model/json-record.ts';
import type { TargetSession } from '../session.ts';

const FOLDER = 'jobs-history';

const versionSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  /** `''`: nobody at the page, it stood in the jobs folder. */
  by: z.string(),
  why: z.string(),
  /** SHA-256 of the text that it is made from; `''`: of none. */
  base: z.string(),
  text: z.string(),
  /** Whether another person confirms it before it is used. */
  waits: z.boolean(),
});
type Version = z.infer<typeof versionSchema>;

const confirmedSchema = z.object({ by: z.string(), at: z.string() });

export type JobVersion = Version & {
  /** From 1, the oldest. */
  readonly n: number;
  readonly confirmed: z.infer<typeof confirmedSchema> | null;
  readonly state: 'in use' | 'waits' | 'not in use';
};

/** Newest first. `current`: the text of the job's file. */
export async function versionsOf(home: string, job: string, current: string): Promise<readonly JobVersion[]> {
  const folder = join(home, FOLDER, job);
  const names = await readdir(folder).catch(insteadOf('ENOENT', []));
  const numbers = names.flatMap((name) => /^(\d{6})\.json$/.exec(name)?.[1] ?? []).sort();
  const read = numbers.map(async (digits) => {
    const version = await readAs(versionSchema, join(folder, `${digits}.json`));
    const confirmed = await readAs(confirmedSchema, join(folder, `${digits}.confirmed`));
    return version === null ? [] : [{ ...version, n: Number(digits), confirmed }];
  });
  const found = (await Promise.all(read)).flat().reverse();
  const digest = digestOf(current);
  const used = found.find(({ text }) => text === current)?.n;
  return found.map((one, i) => {
    const isOpen = i === 0 && one.waits && one.base === digest;
    if (one.n === used) return { ...one, state: 'in use' };
    return { ...one, state: isOpen ? 'waits' : 'not in use' };
  });
}

/** `null`: it isn't there. */
async function readAs<T>(schema: z.ZodType<T>, path: string): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch(insteadOf('ENOENT', null));
  return text === null ? null : schema.parse(parseRecord(text));
}

type Changing = Pick<TargetSession, 'env' | 'ledger' | 'service' | 'clock'>;
type Change = {
  readonly job: string;
  readonly base: string;
  readonly text: string;
  readonly why: string;
};

/**
 * A UsageError where the text can be no version: it says what differs where somebody was faster.
 * `isUsed`: else another person has to confirm it.
 */
export async function changeJob(change: Change, session: Changing): Promise<{ n: number; isUsed: boolean }> {
  const { job, base, text } = change;
  const why = change.why.trim();
  if (why === '') throw new UsageError('Say why the job is changed. Nothing was saved.');
  const { path, text: before } = await fileOf(job, session);
  const versions = await versionsOf(session.env.home, job, before);
  const [last] = versions;
  if (digestOf(before) !== base) throw new UsageError(overtaken(change, before, last));
  const now = session.clock.date().getTime();
  if (last?.base === base && Math.abs(now - Date.parse(last.at)) < SAVING_MS)
    throw new UsageError(underWay(last));
  if (text === before) throw new UsageError('Nothing is changed: the job says that already.');
  parseChangedJob({ name: job, text, before }, definitionProblems);
  const waits = writtenIn(before).approval === 'required';
  const unknown = waits ? whyUnknown(actorOf(session)) : null;
  if (unknown !== null) throw new UsageError(unknown);
  let n = last?.n ?? 0;
  if (versions.every((one) => one.text !== before)) {
    n += 1;
    await putVersion(job, n, { text: before, by: '', why: '', base: '', waits: false }, session);
  }
  n += 1;
  const by = actorOf(session).name;
  await putVersion(job, n, { text, by, why, base, waits }, session);
  await record(waits ? 'job-proposed' : 'job-changed', { job, n, text, why }, session);
  if (!waits) await replaceText(path, text);
  return { n, isUsed: !waits };
}

/** A version of which the file has nothing after so long was left by a kill. */
const SAVING_MS = 10_000;

/** The first version of a job that isn't there yet. */
export async function makeJob(job: string, text: string, session: Changing): Promise<string> {
  const { env } = session;
  const path = join(env.jobsDirectory, `${job}.yaml`);
  await assertWritable(path);
  const [last] = await versionsOf(env.home, job, '');
  const n = (last?.n ?? 0) + 1;
  const by = actorOf(session).name;
  await putVersion(job, n, { text, by, why: '', base: '', waits: false }, session);
  await record('job-changed', { job, n, text, why: '' }, session);
  await writeFile(path, text, { flag: 'wx', flush: true });
  await syncFolder(env.jobsDirectory);
  return path;
}

/** By somebody else than who saved it: it is used from now on. */
export async function confirmJob(job: string, n: number, session: Changing): Promise<void> {
  const { path, text: before } = await fileOf(job, session);
  const version = (await versionsOf(session.env.home, job, before)).find((one) => one.n === n);
  if (version?.state !== 'waits')
    throw new UsageError(
      `Version ${n} of ${job} waits for nobody: it is used, or the job was changed since. Nothing was done.`,
    );
  const refused = whyNotConfirmed(actorOf(session), version.by);
  if (refused !== null) throw new UsageError(refused);
  const { text, why, by } = version;
  parseChangedJob({ name: job, text, before }, definitionProblems);
  const at = session.clock.date().toISOString();
  const confirmed = JSON.stringify({ by: actorOf(session).name, at });
  const place = join(session.env.home, FOLDER, job, `${digitsOf(n)}.confirmed`);
  await placeText(place, confirmed, rename);
  await record('job-changed', { job, n, text, why, proposedBy: by }, session);
  await replaceText(path, text);
}

function actorOf({ ledger, service }: Changing) {
  return ledger.of(service.target).keys.actor;
}

async function fileOf(job: string, { env }: Changing) {
  const file = await readJobText(job, env.jobsDirectory);
  if (file === null) throw new UsageError(`The jobs folder has no job ${job} any more. Nothing was saved.`);
  await assertWritable(file.path);
  return file;
}

async function putVersion(job: string, n: number, version: Omit<Version, 'at'>, { env, clock }: Changing) {
  const folder = await makeHomeFolder(env.home, FOLDER, job);
  const text = JSON.stringify({ ...version, at: clock.date().toISOString() });
  try {
    await placeText(join(folder, `${digitsOf(n)}.json`), text, link);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new UsageError('Somebody else saves this job just now. Nothing of yours was saved: look again.');
  }
}

/** Whole or not at all; a link never takes the place of a file. */
async function placeText(
  path: string,
  text: string,
  place: typeof link | typeof rename,
  mode = 0o600,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`);
  try {
    await writeDurably(draft, text);
    await chmod(draft, mode);
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
}

function digitsOf(n: number): string {
  return String(n).padStart(6, '0');
}

type Recorded = {
  readonly job: string;
  readonly n: number;
  readonly text: string;
  readonly why: string;
};

async function record(
  what: 'job-changed' | 'job-proposed',
  { n, text, ...said }: Recorded & { readonly proposedBy?: string },
  { ledger, service }: Changing,
): Promise<void> {
  const of = { ...said, version: String(n), sha256: digestOf(text) };
  await recordAct(ledger.redis, ledger.of(service.target).keys, { what, of });
}

/** As open to others as it was. */
async function replaceText(path: string, text: string): Promise<void> {
  const { mode } = await lstat(path);
  await placeText(path, text, rename, mode & 0o777);
}

async function assertWritable(path: string): Promise<void> {
  const why = await whyReadOnly(path);
  if (why === null) return;
  throw new UsageError(
    `${path} ${why}: expected a file and a folder that this process may write to. Copy the definition from the page, and save it there.`,
  );
}

/** Jobs out of Git or an image have their source there; `null`: the page may change it. */
export async function whyReadOnly(path: string): Promise<string | null> {
  const file = await lstat(path).catch(insteadOf('ENOENT', null));
  if (file?.isSymbolicLink() === true) return 'is a link';
  if (file !== null && (file.mode & WRITABLE) === 0) return 'is read-only';
  return access(dirname(path), constants.W_OK).then(
    () => null,
    (error: unknown) => `can't be written (${errorCode(error)})`,
  );
}

/** By anybody: root may write to what is meant to be read alone. */
const WRITABLE = 0o222;

const CHANGES_TOLD = 8;

function overtaken({ job, text }: Change, current: string, last: JobVersion | undefined): string[] {
  const who = last?.state === 'in use' && last.by !== '' ? ` by ${last.by}, ${last.at}: ${last.why}` : '';
  const changes = orElse([], () => changesBetween(current, text));
  return [
    `The job ${job} was changed since you opened it${who}. Nothing of yours was saved.`,
    ...changes.slice(0, CHANGES_TOLD).map(differenceWords),
  ];
}

function differenceWords({ setting, before, after }: SettingChange): string {
  return `${setting} is ${before ?? 'not there'} by now, and ${after ?? 'not there'} in yours.`;
}

function underWay({ by }: JobVersion): string {
  return `${by} has saved this job a moment ago. Nothing of yours was saved: look at it again.`;
}
