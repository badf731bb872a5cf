import { access, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { createRunView } from '../ledger/run-view.ts';
import type { Run } from '../model/run.ts';
import { isTable } from '../model/source.ts';
import { writeReport } from '../report/report.ts';
import type { Summary } from '../report/summary.ts';
import { type Ledger, reportDirectory } from '../session.ts';
import { readDecisions } from './resolve-file.ts';
import type { Resolved } from './resolve-outcome.ts';
import type { ResolveRequest } from './resolve-request.ts';

/** The report after rows were resolved. */
export type Rewritten =
  | {
      readonly kind: 'written';
      readonly directory: string;
      readonly summary: Summary;
      /** The file of rows in doubt that was left as it is: decisions that were not carried out are in it. */
      readonly kept: string | null;
    }
  /** A process is carrying the run on, and writes its report. */
  | { readonly kind: 'of-another' };

type Desk = { readonly env: Environment; readonly ledger: Ledger };
type Done = { readonly request: ResolveRequest; readonly resolved: Resolved };

/** Writes the run's report again, but for a file of rows in doubt that somebody is working on. */
export async function rewriteReport(run: Run, done: Done, { env, ledger }: Desk): Promise<Rewritten> {
  const { keys, store } = ledger.of(run.target);
  const underWay = run.state === 'running' || run.state === 'queued';
  if (underWay && (await store.hasLease(run.id))) return { kind: 'of-another' };
  const directory = reportDirectory(env, run.id);
  const name = `in-doubt.${isTable(run.source) ? 'csv' : 'ndjson'}`;
  const kept = (await isInWork(join(directory, name), run, done)) ? name : null;
  const view = createRunView(ledger.redis, keys, run);
  const keep = kept === null ? [] : [kept];
  const summary = await writeReport({ run, view, directory, now: () => new Date(), keep });
  return { kind: 'written', directory, summary, kept };
}

async function isInWork(path: string, run: Run, { request, resolved }: Done): Promise<boolean> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (!there) return false;
  if (request.kind === 'file' && (await realpath(resolve(request.path))) === (await realpath(path)))
    return resolved.refused.length > 0;
  return hasDecisions(path, run);
}

/** A file that can't be read as it should be is in somebody's work too. */
async function hasDecisions(path: string, run: Run): Promise<boolean> {
  return readDecisions(path, run, null).then(
    ({ decisions }) => decisions.length > 0,
    () => true,
  );
}
