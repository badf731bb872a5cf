/**
 * What only a process that watches inboxes can do for the page: make an upload a run, and a draft a
 * job.
 */
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listJobs, parseFormJob } from '../../config/load-job.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import { whyNotBegun } from '../../engine/ledger/run-record.ts';
import { newRunId } from '../../engine/ledger/run-store.ts';
import { fileStamp } from '../../lib/file-stamp.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import type { Ask, AskAnswer } from '../../model/ask.ts';
import { atPage } from '../../model/audit.ts';
import { type ClaimInfo, claimFolder } from '../../runs/inbox/claim.ts';
import { uploadsOf } from '../../runs/inbox/job-book.ts';
import type { Watcher } from '../../runs/inbox/watcher.ts';
import { makeJob } from '../../runs/job-versions.ts';
import type { TargetSession } from '../../session.ts';
import { createNamedStarts } from './named-starts.ts';
import { createUploads } from './uploads.ts';

export type Taking = ReturnType<typeof createTaking>;

type Take = Pick<Extract<Ask, { readonly kind: 'take' }>, 'upload' | 'job' | 'again' | 'once'>;

type TakenBy = { readonly by: string; readonly maker: string | undefined; readonly again: boolean };

const TAKEN_WITHIN_MS = 15_000;
const POLL_MS = 200;

/** Both throw a UsageError where the upload or draft can't be taken. */
export function createTaking(watcher: Watcher) {
  const { session, target, book, home } = watcher;
  const { ledger, env, io, clock } = session;
  const uploads = createUploads(home, () => clock.date());
  const once = createNamedStarts({ ledger, target, uploads });

  /** Being taken: two at a time would mix who asked for it, and for which job. */
  const under = new Set<string>();

  async function take(asked: Take, as: TakenBy): Promise<AskAnswer> {
    const id = newRunId(new Date());
    if (asked.once === undefined) return takeAlone(id, asked, as);
    return once(`${as.by} ${asked.once}`, { ...asked, run: id }, (run) => takeAlone(run, asked, as));
  }

  async function takeAlone(id: string, asked: Take, as: TakenBy): Promise<AskAnswer> {
    const { upload } = asked;
    if (under.has(upload)) throw new UsageError('The upload is being started already, by another request.');
    under.add(upload);
    return takeAs(id, asked, as).finally(() => under.delete(upload));
  }

  async function takeAs(id: string, { upload, job: name }: Take, as: TakenBy): Promise<AskAnswer> {
    const found = await uploads.find(upload);
    if (found === null) throw new UsageError('There is no such upload any more: files are kept for a day.');
    await book.refresh();
    const jobs = book.jobs();
    const job = jobs.find((one) => one.name === name);
    if (job === undefined || book.problems().length > 0)
      throw new UsageError(
        `The job ${name} is none that this process can use: expected one of ${jobs.map((job) => job.name).join(', ')}.`,
      );
    const unknown = whyNotBegun(atPage(as.by, as.maker), { ...job, target });
    if (unknown !== null) throw new UsageError(unknown);
    const info = {
      job: name,
      target,
      ledger: ledger.name,
      path: found.name,
      claimedAt: new Date().toISOString(),
      stamp: await fileStamp(found.path),
      marker: null,
      ...as,
    } satisfies ClaimInfo;
    const folder = dirname(found.path);
    await rename(found.path, join(folder, found.name));
    await claimFolder(folder, { id, inbox: uploadsOf(home), info });
    return registered(id, name);
  }

  async function registered(id: string, name: string): Promise<AskAnswer> {
    const deadline = performance.now() + TAKEN_WITHIN_MS;
    while (performance.now() < deadline && !io.interrupted.aborted) {
      if ((await ledger.index.targetOf(id)) !== null)
        return { kind: 'done', words: `The file is taken through the job ${name}.`, run: id };
      await sleep(POLL_MS, io.interrupted);
    }
    const words = `The file is handed to the job ${name}, and waits for its turn.`;
    return { kind: 'done', words, run: null };
  }

  return {
    take,
    async saveJob(name: string, yaml: string, as: TargetSession): Promise<AskAnswer> {
      parseFormJob(yaml, name, definitionProblems);
      if ((await listJobs(env.jobsDirectory)).includes(name))
        throw new UsageError(`There is a job ${name} already, and it stays as it is: choose another name.`);
      const path = await makeJob(name, yaml, as);
      await book.refresh();
      return { kind: 'done', words: `The job ${name} is saved as ${path}.`, run: null };
    },
  };
}
