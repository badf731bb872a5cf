import type { Job } from '../config/job-definition.ts';
import { fileStamp } from '../intake/open-input.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import { REASON_ADVICE } from '../model/reason-advice.ts';
import { isOver, type Reason, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { executeRun } from '../runs/execute.ts';
import { lookUpAtEnd } from '../runs/look-up.ts';
import { registerFile } from '../runs/register.ts';
import { knownReport, reportOf } from '../runs/report.ts';
import { fileRows } from '../runs/rows.ts';
import type { TargetSession } from '../session.ts';
import type { Claim } from './claim.ts';
import { dropClaim } from './claims.ts';
import type { InboxDesk } from './desk.ts';
import { isWrittenAbroad } from './originals.ts';
import { readClaim } from './read.ts';
import { NOT_TAKEN_EXIT, settleChanged, settleDone, settleKnown, settleRefused } from './settle.ts';
import { takenWords } from './words.ts';

/** How far a claimed file got. */
type TakeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** Its run has to be gone on with by somebody. */
  | { readonly kind: 'paused'; readonly run: Run }
  /** This process ends, or the claim is another one's: whoever has it next goes on. */
  | { readonly kind: 'left' };

type Hands = {
  /** Fires when this process is to end or has lost the claim. */
  readonly signal: AbortSignal;
  /** Told which run it is. */
  onRun(run: string): void;
  /** Whether this process carries that run on for another file. */
  isUnderWay(run: string): boolean;
};

/** Takes a claimed file through its job as far as it goes; every step may be done again. */
export async function takeClaim(claim: Claim, desk: InboxDesk, hands: Hands): Promise<TakeEnd> {
  const read = await readClaim(claim, desk, hands.signal);
  switch (read.kind) {
    case 'left':
      return read;
    case 'gone':
      await dropClaim(claim);
      desk.teller.line(`${claim.info.path}: was removed from ${claim.folder} by somebody`);
      return { kind: 'ended', exitCode: NOT_TAKEN_EXIT };
    case 'refused':
      return { kind: 'ended', exitCode: await settleRefused(claim, read, desk) };
    case 'changed':
      return { kind: 'ended', exitCode: await settleChanged(claim, read.stamp, read.run, desk) };
    case 'read':
      return takeRead(claim, read, { desk, hands });
    default:
      return read satisfies never;
  }
}

type Given = { readonly desk: InboxDesk; readonly hands: Hands };
type Read = { readonly facts: FileFacts; readonly job: Job };

async function takeRead(claim: Claim, { facts, job }: Read, { desk, hands }: Given): Promise<TakeEnd> {
  const runs = { ...desk.runs, io: { ...desk.runs.io, interrupted: hands.signal } };
  const { store } = runs.ledger.of(runs.service.target);
  const file = { facts, job, target: runs.service.target, again: false, id: claim.id };
  const { id } = await registerFile(file, runs);
  while (id !== claim.id && hands.isUnderWay(id) && !hands.signal.aborted) await sleep(WAIT_MS, hands.signal);
  hands.onRun(id);
  const run = await store.get(id);
  if (run === null) throw new Error(`run ${id} is gone from the ledger`);
  if (isOver(run)) {
    const exitCode =
      id === claim.id
        ? await settleDone(claim, facts.stamp, { run, summary: await knownReport(run, runs) }, desk)
        : await settleKnown(claim, facts.stamp, run, desk);
    return { kind: 'ended', exitCode };
  }
  if (!mayGoOn(run)) return { kind: 'paused', run };
  if (run.state !== 'cancelled') await store.transition(id, run.rows === 0 ? 'finished' : 'running', null);
  desk.teller.line(takenWords(claim.info.path, run));
  const ended = await carry((await store.get(id)) ?? run, facts, runs);
  return settleRun(claim, { facts, run: ended }, { desk: { ...desk, runs }, hands });
}

const WAIT_MS = 200;

/** What a person decided, or has to look at, is not gone on with by itself. */
const LEFT_ALONE: readonly (Reason | null)[] = ['requested', 'file-changed'];

function mayGoOn({ state, reason }: Run): boolean {
  return state !== 'stopped' && !(state === 'paused' && LEFT_ALONE.includes(reason));
}

/** The run where it ends or stays, with its rows in doubt looked up where the definition says how. */
async function carry(run: Run, facts: FileFacts, runs: TargetSession): Promise<Run> {
  if (isOver(run)) return run;
  try {
    return await lookUpAtEnd(await executeRun(run, fileRows(facts), runs, { isQuiet: true }), runs);
  } catch (error) {
    const left = error instanceof UsageError ? await runs.ledger.of(run.target).store.get(run.id) : null;
    // It could not be read any more, as its run says now.
    if (left?.reason === 'file-changed') return left;
    throw error;
  }
}

async function settleRun(
  claim: Claim,
  { facts, run }: { readonly facts: FileFacts; readonly run: Run },
  { desk, hands }: Given,
): Promise<TakeEnd> {
  const summary = await reportOf(run, desk.runs);
  if (isOver(run)) {
    const isWhole = (await fileStamp(claim.file)) === facts.stamp && !(await isWrittenAbroad(claim));
    const exitCode = isWhole
      ? await settleDone(claim, facts.stamp, { run, summary }, desk)
      : await settleChanged(claim, facts.stamp, run, desk);
    return { kind: 'ended', exitCode };
  }
  if (run.reason === 'file-changed')
    return { kind: 'ended', exitCode: await settleChanged(claim, facts.stamp, run, desk) };
  return hands.signal.aborted ? { kind: 'left' } : { kind: 'paused', run };
}

/** What a person is told of a file whose run waits for somebody. */
export function pausedWords({ info }: Claim, { id, state, reason }: Run): string {
  const advice = reason === null ? '' : ` ${REASON_ADVICE[reason]}`;
  return `${info.path}: run ${id} is ${state}${reason === null ? '' : ` (${reason})`}.${advice} To go on: onboard resume ${id}`;
}
