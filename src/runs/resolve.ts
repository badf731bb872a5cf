/**
 * Settles what a person says became of rows in doubt, once all of it proves possible
 * (decisions.ts), and writes the run's report again. The same decisions again change nothing; rows
 * that were decided otherwise before are refused one by one.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { JobDefinition } from '../config/job-definition.ts';
import { type RowDecision, type RowResolved, resolveRows } from '../engine/ledger/resolve.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import { isUnderWay, type Run } from '../model/run.ts';
import { outcomeOfCreated } from '../operations/operations.ts';
import { type Ledger, reportDirectory, type Session } from '../session.ts';
import { checkDecisions } from './decisions.ts';
import { lookUpOnDemand } from './look-up.ts';
import { waitForReplica } from './replicas.ts';
import type { Summary } from './report/summary.ts';
import { writeReportOf } from './report.ts';
import { readDecisions, type Told } from './resolve-file.ts';
import { isRead } from './status.ts';

export type ResolveRequest =
  | {
      readonly kind: 'rows';
      readonly rows: ReadonlyArray<{ readonly row: number; readonly decision: Decision }>;
    }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'lookup' };

export type Resolved = {
  readonly created: number;
  /** The report's word for created rows of this job. */
  readonly createdAs: string;
  readonly notCreated: number;
  /** Decided so before. */
  readonly unchanged: number;
  /** Left alone, in doubt as before. */
  readonly undecided: number;
  /** Settled rows that nobody named: they are one record with a named row. */
  readonly mates: number;
  readonly refused: ReadonlyArray<{ readonly row: number; readonly why: string }>;
};

type ResolveSession = Pick<Session, 'io' | 'env' | 'ledger' | 'times' | 'releasers'>;

/** Before anything is recorded; throws where a person says no. */
type Ask = (counts: { readonly created: number; readonly notCreated: number }) => Promise<void>;

/** `by`: who decides. */
export async function resolveRun(
  run: Run,
  request: ResolveRequest,
  by: string,
  session: ResolveSession,
  ask: Ask = async () => undefined,
): Promise<Resolved> {
  const definition = await session.ledger.of(run.target).store.definition(run.id);
  const deciding = { by, definition, ledger: session.ledger, ask };
  switch (request.kind) {
    case 'lookup': {
      const { created, notCreated, ...looked } = await lookUpOnDemand(run, session);
      await waitForReplica(session.ledger, run.target);
      const undecided = looked.open + looked.keyless + looked.left;
      const createdAs = outcomeOfCreated(run.operation);
      return { created, createdAs, notCreated, unchanged: 0, undecided, mates: 0, refused: [] };
    }
    case 'rows': {
      const told = request.rows.map((one) => ({ where: `row ${one.row}`, key: null, ...one }));
      return decide(run, told, deciding);
    }
    case 'file': {
      if (definition === null) {
        throw new UsageError(`The ledger has no definition of run ${run.id}: resolve its rows one by one.`);
      }
      return decide(run, await readDecisions(request.path, run, definition.key ?? null), deciding);
    }
    default:
      return request satisfies never;
  }
}

type Deciding = {
  readonly by: string;
  readonly definition: JobDefinition | null;
  readonly ledger: Ledger;
  readonly ask: Ask;
};

async function decide(
  run: Run,
  told: readonly Told[],
  { by, definition, ledger, ask }: Deciding,
): Promise<Resolved> {
  const { decisions, members } = await checkDecisions(run, told, definition, ledger);
  const created = decisions.filter(({ decision }) => decision.kind === 'created').length;
  await ask({ created, notCreated: decisions.length - created });
  const { keys } = ledger.of(run.target);
  const answers = await resolveRows(ledger.redis, keys, { run, by, at: new Date(), decisions });
  await waitForReplica(ledger, run.target);
  // Undecided lines are settled with the others of their key.
  const undecided = told.filter(({ row, decision }) => decision === null && !members.includes(row));
  return {
    ...countAnswers(decisions, answers),
    createdAs: outcomeOfCreated(run.operation),
    undecided: undecided.length,
    mates: members.length,
    refused: answers.flatMap((answer) => {
      const why = refusal(answer);
      return why === null ? [] : [{ row: answer.row, why }];
    }),
  };
}

function countAnswers(decisions: readonly RowDecision[], answers: readonly RowResolved[]) {
  const counts = { created: 0, notCreated: 0, unchanged: 0 };
  decisions.forEach(({ decision }, i) => {
    const kind = answers[i]?.kind;
    if (kind === 'unchanged') counts.unchanged += 1;
    else if (kind === 'resolved') counts[decision.kind === 'created' ? 'created' : 'notCreated'] += 1;
  });
  return counts;
}

function refusal(answer: RowResolved): string | null {
  switch (answer.kind) {
    case 'resolved':
    case 'unchanged':
      return null;
    case 'otherwise': {
      const { decision, id, by, at } = answer.earlier;
      return `was resolved as ${describeDecision({ kind: decision, id })}, by ${by} at ${at}`;
    }
    case 'not-in-doubt':
      return 'is not in doubt, or the run has no such row: results.csv says what became of it';
    default:
      return answer satisfies never;
  }
}

export type Rewritten =
  | { readonly kind: 'written'; readonly directory: string; readonly summary: Summary }
  /** A process is following the run, and writes its report. */
  | { readonly kind: 'of-another' };

type Done = { readonly request: ResolveRequest; readonly resolved: Resolved };

/** Keeps files that a person is working on. */
export async function rewriteReport(
  run: Run,
  { request, resolved }: Done,
  session: Pick<Session, 'env' | 'io' | 'ledger'>,
): Promise<Rewritten> {
  const { store } = session.ledger.of(run.target);
  if (isUnderWay(run) && (await isRead(run.id, store))) return { kind: 'of-another' };
  const directory = reportDirectory(session.env, run.id);
  // Where every decision of a file was taken, replacing it loses nobody's work.
  const isFollowed = request.kind === 'file' && resolved.refused.length === 0;
  const followed = isFollowed ? await nameWithin(directory, request.path) : [];
  return { kind: 'written', directory, summary: await writeReportOf(run, session, { followed }) };
}

/** The name of a file that lies in the folder; none for one that lies elsewhere. */
async function nameWithin(folder: string, path: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found = await realpath(path);
  return dirname(found) === (await realpath(folder)) ? [basename(found)] : [];
}
