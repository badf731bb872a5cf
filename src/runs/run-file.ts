import { resolve } from 'node:path';
import type { RunDesk } from '../cli/run-desk.ts';
import type { Job } from '../config/job-definition.ts';
import { isDeadHere, shownMember } from '../journal/member.ts';
import { newRunId } from '../ledger/run-id.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { tell } from '../lib/terminal.ts';
import { isOver, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { carryToEnd, reportAgain } from './carry-run.ts';
import { withChunkEnds } from './chunk-ends.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import { fileRows } from './row-source.ts';
import { ownerOf } from './run-owner.ts';

/** What every file of one `onboard run` shares. */
export type FileDesk = RunDesk & {
  readonly job: Job;
  /** A new run also where the file was taken to its end before. */
  readonly again: boolean;
};

/** Takes one file to its end and answers the exit status of its run. */
export async function runFile(facts: FileFacts, desk: FileDesk): Promise<number> {
  const run = await begin(await register(facts, desk), desk);
  return isOver(run) ? reportAgain(run, desk) : carryToEnd(run, fileRows(facts), desk);
}

/** Whose run a file is: its own, or the one that took the same content through the same job before. */
type Registered = { readonly kind: 'new' | 'known'; readonly id: string };

/** Registers a run of the file in the ledger; `given`: under that id. */
export async function register(facts: FileFacts, desk: FileDesk, given?: string): Promise<Registered> {
  const { ledger, service, job, again } = desk;
  const whole = await withChunkEnds(facts, job.definition);
  const createdAt = new Date();
  const id = given ?? newRunId(createdAt);
  await ledger.index.add(id, service.target, createdAt);
  const registered = await ledger.of(service.target).store.register({
    id,
    job: job.name,
    definition: job.definition,
    target: service.target,
    // The run is gone on with from any folder.
    facts: { ...whole, path: resolve(facts.path) },
    chunkRows: CHUNK_ROWS,
    createdAt,
    again,
  });
  if (registered.kind === 'known') await ledger.index.remove(id);
  return registered;
}

/** The run in the state it begins or goes on in, with a word to the user where it isn't new. */
async function begin({ kind, id }: Registered, { io, ledger, service, job }: FileDesk): Promise<Run> {
  const { store } = ledger.of(service.target);
  const before = await store.get(id);
  if (before === null) throw new Error(`run ${id} is gone from the ledger`);
  if (isOver(before)) {
    tell(
      io,
      `This file was already taken to its end as run ${id} (${before.finishedAt ?? ''}): nothing is sent. ` +
        'For another run of it: --again',
    );
    return before;
  }
  if (before.state === 'cancelled') {
    tell(io, `Run ${id} of this file was cancelled: it is wound up now. For another run of it: --again`);
    return before;
  }
  if (kind === 'known' && (await definitionChanged(id, job, store))) {
    tell(io, `warning: the job definition has changed since; the run goes on with the one it began with.`);
  }
  await store.transition(id, before.rows === 0 ? 'finished' : 'running', null);
  if (kind === 'known') tell(io, await goingOn(id, store, io.interrupted));
  return (await store.get(id)) ?? before;
}

async function goingOn(id: string, store: RunStore, interrupted: AbortSignal): Promise<string> {
  const lease = await store.leaseOf(id);
  // The lease of one that was killed lasts a while: nothing is waited for where that is known.
  const isTaken = lease !== null && !isDeadHere(lease.holder);
  const owner = isTaken ? await ownerOf({ id }, store, interrupted) : null;
  if (owner === null) return `Going on with run ${id} of this file.`;
  return `Run ${id} of this file is under way in ${shownMember(owner)}: this process helps to send its rows.`;
}

async function definitionChanged(id: string, job: Job, store: RunStore): Promise<boolean> {
  return JSON.stringify(await store.definition(id)) !== JSON.stringify(job.definition);
}
