/**
 * What the page asks the process that started it to do; each act calls the very function of the
 * command of the same name. Permission is checked here, whatever the page has let people do, and a
 * page that was loaded before a change changes nothing. The audit says who asked for each act.
 */

import { keepNote } from '../../engine/ledger/display.ts';
import { messageOf } from '../../lib/errors.ts';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Ask, AskAnswer, Asked } from '../../model/ask.ts';
import { atPage } from '../../model/audit.ts';
import { NOTE_CHARACTERS } from '../../model/note.ts';
import { isOver, type Run } from '../../model/run.ts';
import { writeOff } from '../../runs/account.ts';
import { examine } from '../../runs/check/doctor.ts';
import { createRowCheck } from '../../runs/check/file.ts';
import {
  approveRun,
  assertCanGo,
  assertForActor,
  cancelRun,
  letGo,
  pauseRun,
  resumeRun,
  windUpCancelled,
} from '../../runs/control.ts';
import { releaseAccounts } from '../../runs/held-accounts.ts';
import { sharedIo } from '../../runs/inbox/watcher.ts';
import { changeJob, confirmJob } from '../../runs/job-versions.ts';
import { makeReply } from '../../runs/reply.ts';
import { replyLanguages } from '../../runs/report/reply.ts';
import { writeReportOf } from '../../runs/report.ts';
import { rerunOutcomes, rerunRows } from '../../runs/rerun.ts';
import { type Resolved, type ResolveRequest, resolveRun, rewriteReport } from '../../runs/resolve.ts';
import { findRun } from '../../runs/status.ts';
import { actingAs, type TargetSession } from '../../session.ts';
import { rowsOfCause } from './row-search.ts';
import type { Taking } from './taking.ts';

type Acting = {
  readonly session: TargetSession;
  readonly ownRuns: ReturnType<typeof createOwnRuns>;
  /** `null`: this process watches no inbox. */
  readonly taking: Taking | null;
};

export function createActs(
  session: TargetSession,
  taking: Taking | null,
): (asked: Asked) => Promise<AskAnswer> {
  const acting = { session, ownRuns: createOwnRuns(session), taking };
  return async (asked) => {
    const { by, maker, ask } = asked;
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const own = actingAs({ ...session, ledger: { ...session.ledger, warn } }, atPage(by, maker));
    const answer = withWarnings(await answered(asked, { ...acting, session: own }), warnings);
    // The page's own doctor calls change nothing.
    if (ask.kind !== 'doctor')
      session.log.info('asked for at the page', { by, what: ask.kind, result: answer.kind });
    return answer;
  };
}

function withWarnings(answer: AskAnswer, warnings: readonly string[]): AskAnswer {
  return answer.kind === 'done' ? { ...answer, words: [answer.words, ...warnings].join(' ') } : answer;
}

async function answered({ by, role, maker, ask }: Asked, acting: Acting): Promise<AskAnswer> {
  if (role !== 'operator')
    return { kind: 'refused', problems: ['That is for operators: you are logged in as a viewer.'] };
  try {
    if (maker !== undefined) assertForMachines(ask);
    return await act(ask, by, acting, maker);
  } catch (error) {
    if (error instanceof UsageError) return { kind: 'refused', problems: [...error.problems] };
    const problem = messageOf(error);
    if (maker === undefined) return { kind: 'refused', problems: [problem] };
    // It may name folders.
    acting.session.log.error('asked for by a machine', { by, what: ask.kind, problem });
    return { kind: 'refused', problems: ['Something went wrong on this side. The log has more.'] };
  }
}

const FOR_MACHINES: ReadonlySet<Ask['kind']> = new Set(['pause', 'resume', 'cancel', 'rerun', 'take']);

/** Approvals, releases, decisions and write-offs are a person's. */
function assertForMachines({ kind }: Ask): void {
  if (!FOR_MACHINES.has(kind)) throw new UsageError('That is for people: no machine may do it.');
}

async function act(ask: Ask, by: string, acting: Acting, maker?: string): Promise<AskAnswer> {
  switch (ask.kind) {
    case 'pause':
    case 'resume':
    case 'approve':
    case 'cancel':
      return control(ask, by, acting);
    case 'rerun':
      return rerun(ask, acting);
    case 'right':
      return sendRight(ask, acting);
    case 'resolve':
      return settle(ask, { kind: 'rows', rows: ask.decisions }, by, acting);
    case 'write-off':
      return writeRowsOff(ask, by, acting);
    case 'held':
      return decideHeld(ask, by, acting);
    case 'reply':
      return reply(ask, acting);
    case 'look-up':
      return settle(ask, { kind: 'lookup' }, by, acting);
    case 'take':
      return taker(acting).take(ask, { by, maker, again: ask.again });
    case 'save-job':
      return taker(acting).saveJob(ask.name, ask.yaml, acting.session);
    case 'change-job':
      return change(ask, acting);
    case 'confirm-job':
      await confirmJob(ask.job, ask.version, acting.session);
      return { kind: 'done', words: `Version ${ask.version} of ${ask.job} is used from now on.`, run: null };
    case 'note':
      return note(ask, by, acting);
    case 'doctor':
      return doctor(acting);
    default:
      return ask satisfies never;
  }
}

function taker({ taking }: Acting): Taking {
  if (taking !== null) return taking;
  throw new UsageError(
    'This process watches no inbox: expected the page of `onboard start` or `onboard watch`.',
  );
}

/** Only runs of this process' own target can go on in it. */
async function runOf(id: string, { session }: Acting): Promise<Run> {
  const run = await findRun(session.ledger, id);
  if (run.target === session.service.target) return run;
  throw new UsageError(
    `Run ${id} goes to ${run.target}, and this process works for ${session.service.target}: expected the page of a process for it, or the command.`,
  );
}

type Control = Extract<Ask, { readonly kind: 'pause' | 'resume' | 'approve' | 'cancel' }>;

async function control(ask: Control, by: string, acting: Acting): Promise<AskAnswer> {
  const { session, ownRuns } = acting;
  const run = await runOf(ask.run, acting);
  if (run.state !== ask.seen) return { kind: 'moved-on', state: run.state };
  const { id } = run;
  const at = new Date().toISOString();
  const done = (words: string) => ({ kind: 'done', words, run: id }) as const;
  const { ledger } = session;
  switch (ask.kind) {
    case 'pause':
      await pauseRun(run, { by, at, why: ask.why }, session);
      return done('The run is paused: nothing more of it is sent. Rows in flight are settled.');
    case 'approve':
      await ownRuns.begin(id, (quiet, begun) =>
        approveRun(run, ask.plan, { ...quiet, ledger }, () => begun(id)),
      );
      return done('The run is approved, and goes on.');
    case 'resume':
      assertForActor(run, ledger);
      // Whoever clicks has the reason before his eyes.
      assertCanGo(run, true);
      await letGo(run, { by, at, why: '' }, session);
      await ownRuns.begin(id, (quiet, begun) => resumeRun(run, { ...quiet, ledger }, () => begun(id)));
      return done('The run goes on.');
    case 'cancel': {
      const cancelled = await cancelRun(run, { by, at, why: ask.why }, session);
      if (!isOver(cancelled)) ownRuns.follow(id, (quiet) => windUpCancelled(cancelled, quiet));
      return done('The run is cancelled: nothing more of it is sent. Its other rows get their outcomes.');
    }
    default:
      return ask satisfies never;
  }
}

type Rerun = Extract<Ask, { readonly kind: 'rerun' }>;

async function rerun(ask: Rerun, acting: Acting): Promise<AskAnswer> {
  const parent = await runOf(ask.run, acting);
  const outcomes = rerunOutcomes(ask.only);
  const rows = ask.cause === null ? null : await rowsOfCause(acting.session, parent, ask.cause);
  const job = ask.isCorrected ? parent.job : undefined;
  return sendAgain(parent, { outcomes, rows, job }, acting);
}

async function sendRight(ask: Extract<Ask, { readonly kind: 'right' }>, acting: Acting): Promise<AskAnswer> {
  const why = ask.why.trim();
  if (why === '') throw new UsageError('Say how you know that the cells are right. Nothing was sent.');
  const parent = await runOf(ask.run, acting);
  const outcomes = rerunOutcomes(['invalid']);
  const right = { cells: ask.cells, why };
  return sendAgain(parent, { outcomes, rows: new Set(ask.rows), job: undefined, right }, acting);
}

type Again = Omit<Parameters<typeof rerunRows>[1], 'check' | 'jobFile'>;

async function sendAgain(parent: Run, again: Again, acting: Acting): Promise<AskAnswer> {
  const { ledger } = acting.session;
  const asked = { ...again, jobFile: undefined, check: createRowCheck(ledger) };
  const begun = await acting.ownRuns.begin(`rerun of ${parent.id}`, async (quiet, onBegun) => {
    const done = await rerunRows(parent, asked, { ...quiet, ledger }, ({ id }) => onBegun(id));
    if (done.kind === 'nothing') throw new UsageError([...done.lines]);
  });
  return {
    kind: 'done',
    words: `The rows are a run of their own now${begun === null ? '' : `: ${begun}`}.`,
    run: begun,
  };
}

async function writeRowsOff(
  ask: Extract<Ask, { readonly kind: 'write-off' }>,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  const { session } = acting;
  const why = ask.why.trim();
  if (why === '') throw new UsageError('Say why the rows shall never be loaded. Nothing was written off.');
  const run = await runOf(ask.run, acting);
  const rows = ask.cause === null ? null : [...(await rowsOfCause(session, run, ask.cause))];
  const meant = { kind: rows === null ? 'rows' : 'open', rows: rows ?? ask.rows } as const;
  const at = session.clock.date().toISOString();
  const written = await writeOff(run, meant, { by, at, why }, session.ledger);
  await writeReportOf(run, session);
  return { kind: 'done', words: `${countOf(written, 'row')} written off.`, run: run.id };
}

async function change(
  ask: Extract<Ask, { readonly kind: 'change-job' }>,
  { session }: Acting,
): Promise<AskAnswer> {
  const { n, isUsed } = await changeJob(ask, session);
  const words = isUsed
    ? `Version ${n} of ${ask.job} is saved: files that come from now on go by it. Runs keep theirs.`
    : `Version ${n} of ${ask.job} waits: it is used once another person has confirmed it.`;
  return { kind: 'done', words, run: null };
}

/** Answers with the mail, and the run beside whose report the workbook lies. */
async function reply(ask: Extract<Ask, { readonly kind: 'reply' }>, acting: Acting): Promise<AskAnswer> {
  const languages = replyLanguages();
  if (!languages.includes(ask.language))
    throw new UsageError(`Expected a language: ${languages.join(', ')}.`);
  const { run, mail } = await makeReply(await runOf(ask.run, acting), ask.language, acting.session);
  return { kind: 'done', words: [mail.subject, '', ...mail.lines].join('\n'), run };
}

async function decideHeld(
  ask: Extract<Ask, { readonly kind: 'held' }>,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  const { session } = acting;
  const why = ask.why.trim();
  if (why === '') throw new UsageError('Say how you know that the account is right. Nothing was changed.');
  const run = await runOf(ask.run, acting);
  const request = { by, at: session.clock.date().toISOString(), why };
  if (ask.code === 'account_shared') {
    const { changed } = await releaseAccounts(
      run,
      { rows: ask.rows, request, areShared: true },
      session.ledger,
    );
    const words = `Several payees may have ${countOf(changed, 'more account')} from now on: send the rows again.`;
    return { kind: 'done', words, run: run.id };
  }
  const meant = { kind: 'rows', rows: ask.rows } as const;
  const written = await writeOff(run, meant, request, session.ledger, { areMoved: true });
  await writeReportOf(run, session);
  const words = `${countOf(written, 'row')} written off; what they say is the known account from now on.`;
  return { kind: 'done', words, run: run.id };
}

async function settle(
  { run: id }: { readonly run: string },
  request: ResolveRequest,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  const { session } = acting;
  const run = await runOf(id, acting);
  const resolved = await resolveRun(run, request, by, session);
  const after = await findRun(session.ledger, run.id);
  await rewriteReport(after, { request, resolved }, session);
  const { created, notCreated, unchanged, undecided, refused } = resolved;
  if (refused.length > 0 && created + notCreated + unchanged + undecided === 0)
    return { kind: 'refused', problems: refusedWords(resolved) };
  return { kind: 'done', words: resolvedWords(resolved, after), run: run.id };
}

const REFUSED_TOLD = 5;

function refusedWords({ refused }: Resolved): string[] {
  return refused.slice(0, REFUSED_TOLD).map(({ row, why }) => `Row ${row} ${why}.`);
}

function resolvedWords(resolved: Resolved, run: Run): string {
  const { created, createdAs, notCreated, unchanged, refused } = resolved;
  const parts = [
    [created, createdAs],
    [notCreated, 'not created'],
    [unchanged, 'unchanged'],
    [refused.length, 'refused'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return [
    `${told.join(', ') || 'Nothing was settled'}.`,
    ...refusedWords(resolved),
    `${run.outcomes['in-doubt']} still in doubt.`,
  ].join(' ');
}

async function note(
  ask: Extract<Ask, { readonly kind: 'note' }>,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  const text = ask.text.trim();
  if (text.length > NOTE_CHARACTERS)
    throw new UsageError(
      `The note has ${text.length} characters: expected at most ${NOTE_CHARACTERS}. Nothing was changed.`,
    );
  const { ledger, clock } = acting.session;
  const run = await runOf(ask.run, acting);
  const { keys } = ledger.of(run.target);
  await keepNote(ledger.redis, keys, ask.cause, { text, by, at: clock.date().toISOString() });
  return { kind: 'done', words: text === '' ? 'The note is removed.' : 'The note is kept.', run: run.id };
}

async function doctor({ session: { io } }: Acting): Promise<AskAnswer> {
  const findings = await examine(io);
  const words = findings.map(({ check, status, finding }) => `${status} ${check}: ${finding}`).join('\n');
  return { kind: 'done', words, run: null };
}

/** `begun`: to be called with the run once nothing stands in its way. */
type Work = (session: TargetSession, begun: (run: string) => void) => Promise<unknown>;

const AT_ONCE = 8;

/** Runs begun or resumed at the page, beside other work. */
function createOwnRuns(session: TargetSession) {
  const { io, log, releasers } = session;
  const under = new Map<string, Promise<void>>();
  // They share the terminal.
  const quiet = { ...session, io: sharedIo(io) };
  releasers.push(async () => void (await Promise.allSettled(under.values())));

  function start(name: string, work: Promise<unknown>): Promise<void> {
    const ended = work.then(() => undefined).finally(() => under.delete(name));
    // Whoever waits for the start sees the error; later only the log does.
    const kept = ended.catch((error: unknown) =>
      log.warn('a run begun at the page', { run: name, problem: messageOf(error) }),
    );
    under.set(name, kept);
    return ended;
  }

  return {
    /** The begun run, or `null` where it is over; rejects where it can't begin. */
    begin(name: string, work: Work): Promise<string | null> {
      if (under.has(name))
        throw new UsageError('That is under way already: look at the run, and ask again when it has ended.');
      if (under.size >= AT_ONCE)
        throw new UsageError(
          `${AT_ONCE} runs were begun here and are under way: expected one of them to end first.`,
        );
      return new Promise((resolve, reject) => {
        start(name, work(quiet, resolve)).then(() => resolve(null), reject);
      });
    },
    follow(name: string, work: (session: TargetSession) => Promise<unknown>): void {
      if (!under.has(name)) start(name, work(quiet)).catch(() => undefined);
    },
  };
}
