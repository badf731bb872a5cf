import { join } from 'node:path';
import type { TargetSession } from '../session.ts';
import type { JobBook } from './job-book.ts';
import type { InboxFlags } from './options.ts';
import { createRehearsal, type Rehearsal } from './rehearsal.ts';
import { sharedIo } from './shared-io.ts';
import { createTeller, type Teller } from './teller.ts';

/** What it takes to watch inboxes and to take their files through their jobs. */
export type InboxDesk = {
  /** For the runs of the files. */
  readonly runs: TargetSession;
  readonly book: JobBook;
  readonly teller: Teller;
  readonly places: Places;
  /** ONBOARD_HOME. */
  readonly home: string;
  readonly rehearsal: Rehearsal;
  readonly restMs: number;
  readonly pollMs: number;
  readonly polling: boolean;
  readonly runsAtOnce: number;
  /** Ends when there is nothing more to take. */
  readonly once: boolean;
};

type Places = {
  readonly inbox: string;
  readonly processing: string;
  readonly done: string;
  readonly failed: string;
};

export function createInboxDesk(runs: TargetSession, book: JobBook, flags: InboxFlags): InboxDesk {
  const { env, io } = runs;
  return {
    runs: { ...runs, io: sharedIo(io) },
    book,
    teller: createTeller(io, flags.json === true),
    places: {
      inbox: join(env.home, 'inbox'),
      processing: join(env.home, 'processing'),
      done: join(env.home, 'done'),
      failed: join(env.home, 'failed'),
    },
    home: env.home,
    rehearsal: createRehearsal(runs.service.target),
    restMs: flags.rest * 1000,
    pollMs: flags.poll * 1000,
    polling: flags.polling === true,
    runsAtOnce: flags.runs,
    once: flags.once === true,
  };
}
