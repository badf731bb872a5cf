import { writtenOfStamp } from '../lib/file-stamp.ts';
import { exitCodeOf, type Run } from '../model/run.ts';
import type { Summary } from '../report/summary.ts';
import { reportDirectory } from '../session.ts';
import { type Away, endClaim } from './away.ts';
import type { Claim } from './claim.ts';
import type { InboxDesk } from './desk.ts';
import { type Note, renderNote } from './note.ts';
import { withoutName } from './sender-words.ts';
import type { EndedFile } from './teller.ts';
import {
  changedNote,
  doneNote,
  endedWords,
  knownNote,
  type Origin,
  type Refusal,
  refusedNote,
} from './words.ts';

/** Exit status of a file of which no run came about. */
export const NOT_TAKEN_EXIT = 3;

/** Its run is over: the file goes to `done`, whatever became of its rows. */
export async function settleDone(
  claim: Claim,
  stamp: string,
  ended: Ended,
  desk: InboxDesk,
): Promise<number> {
  const { run, summary } = ended;
  const report = reportDirectory(desk.runs.env, run.id);
  const exitCode = summary.exitCode ?? exitCodeOf(run);
  const words = endedWords(claim.info.path, run, report);
  const note = doneNote(originOf(claim, stamp), summary, report);
  return settle(claim, { result: 'done', note: () => note, why: [], run, exitCode, words }, desk);
}

type Ended = { readonly run: Run; readonly summary: Summary };

/** Another file with the same content was taken before: nothing is sent. */
export async function settleKnown(claim: Claim, stamp: string, run: Run, desk: InboxDesk): Promise<number> {
  const report = reportDirectory(desk.runs.env, run.id);
  const why = [`the same content was taken as run ${run.id}: nothing is sent`];
  const note = (file: string) => knownNote(originOf(claim, stamp), run, { report, file });
  const words = `${claim.info.path}: ${why.join('')}. Report: ${report}`;
  return settle(claim, { result: 'done', note, why, run, exitCode: exitCodeOf(run), words }, desk);
}

/** No run of the file came about. */
export async function settleRefused(claim: Claim, given: Refusal, desk: InboxDesk): Promise<number> {
  // Where the file is while it is taken says nothing to its sender.
  const why = given.why.map((one) => withoutName(one.replaceAll(claim.file, claim.name), claim.name));
  const note = refusedNote(originOf(claim, claim.info.stamp), { why, fault: given.fault });
  const words = `${claim.info.path}: not taken: ${why.join('; ')}`;
  return settle(
    claim,
    { result: 'failed', note: () => note, why, run: null, exitCode: NOT_TAKEN_EXIT, words },
    desk,
  );
}

/** Somebody wrote to the file after its run had begun. */
export async function settleChanged(claim: Claim, stamp: string, run: Run, desk: InboxDesk): Promise<number> {
  const report = reportDirectory(desk.runs.env, run.id);
  const why = ['the file was changed after it was taken: what was written to it since was not sent'];
  const note = changedNote(originOf(claim, stamp), run, report);
  const words = `${claim.info.path}: run ${run.id}: ${why.join('')}. Report: ${report}`;
  return settle(claim, { result: 'failed', note: () => note, why, run, exitCode: 2, words }, desk);
}

type Verdict = Pick<EndedFile, 'why' | 'exitCode'> & {
  readonly result: 'done' | 'failed';
  /** By where the file goes. */
  note(file: string): Note;
  readonly run: Run | null;
  readonly words: string;
};

async function settle(claim: Claim, verdict: Verdict, desk: InboxDesk): Promise<number> {
  const away = await endClaim(
    claim,
    { result: verdict.result, textFor: (file) => renderNote(verdict.note(file)) },
    desk,
  );
  const words = away.words === '' ? verdict.words : `${verdict.words.replace(/\.$/, '')}. ${away.words}`;
  desk.teller.ended(endedFile(claim, verdict, { away, desk }), words);
  return verdict.exitCode;
}

/** A file that waits for somebody to go on with its run. */
export function pausedFile(claim: Claim, run: Run, desk: InboxDesk): EndedFile {
  const verdict = { result: 'paused', why: [], run, exitCode: exitCodeOf(run) } as const;
  return endedFile(claim, verdict, { away: null, desk });
}

function endedFile(
  { info }: Claim,
  { result, why, run, exitCode }: Pick<EndedFile, 'result' | 'why' | 'exitCode'> & Pick<Verdict, 'run'>,
  { away, desk }: { readonly away: Pick<Away, 'file' | 'note'> | null; readonly desk: InboxDesk },
): EndedFile {
  return {
    file: info.path,
    job: info.job,
    result,
    why,
    run: run?.id ?? null,
    state: run?.state ?? null,
    reason: run?.reason ?? null,
    rows: run?.rows ?? null,
    outcomes: run?.outcomes ?? null,
    exitCode,
    moved: away?.file ?? null,
    note: away?.note ?? null,
    report: run === null ? null : reportDirectory(desk.runs.env, run.id),
  };
}

function originOf({ info }: Claim, stamp: string): Origin {
  return { path: info.path, inbox: info.inbox, written: writtenOfStamp(stamp) };
}
