/**
 * Acts: what the page asks the process that started it to do, each by the very function that the command of the same name calls. Whether
 * somebody may ask is looked at here, whatever the page has let them do; a page that was loaded before somebody else acted changes nothing.
 */
import { examine } from '../check/doctor.ts';
import { keepNote } from '../ledger/notes.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Ask, AskAnswer, Asked } from '../model/ask.ts';
import { NOTE_CHARACTERS } from '../model/note.ts';
import { isOver, type Run } from '../model/run.ts';
import { cancelRun, pauseRun, refuseEnded, resumeRun, windUpCancelled } from '../runs/control.ts';
import { rerunOutcomes, rerunRows } from '../runs/rerun.ts';
import { type Resolved, type ResolveRequest, resolveRun, rewriteReport } from '../runs/resolve.ts';
import { findRun } from '../runs/status.ts';
import type { TargetSession } from '../session.ts';
import { createAudit } from './audit.ts';
import { createErrands, type Errands } from './errands.ts';
import { rowsOfCause } from './row-search.ts';
import type { Taking } from './taking.ts';

type Acting = {
  readonly session: TargetSession;
  readonly errands: Errands;
  /** `null`: this process watches no inbox. */
  readonly taking: Taking | null;
};

/** What the session's process does for its page until the session is closed. */
export function createActs(
  session: TargetSession,
  taking: Taking | null,
): (asked: Asked) => Promise<AskAnswer> {
  const errands = createErrands(session);
  const audit = createAudit(session);
  const acting = { session, errands, taking };
  return async (asked) => {
    const answer = await answered(asked, acting);
    // What the page asks for itself, for as long as somebody looks, changes nothing.
    if (asked.ask.kind !== 'doctor') await audit(asked, answer);
    return answer;
  };
}

async function answered({ by, role, ask }: Asked, acting: Acting): Promise<AskAnswer> {
  if (role !== 'operator')
    return { kind: 'refused', problems: ['That is for operators: you are logged in as a viewer.'] };
  try {
    return await act(ask, by, acting);
  } catch (error) {
    if (error instanceof UsageError) return { kind: 'refused', problems: [...error.problems] };
    throw error;
  }
}

function act(ask: Ask, by: string, acting: Acting): Promise<AskAnswer> {
  switch (ask.kind) {
    case 'pause':
    case 'resume':
    case 'cancel':
      return control(ask, by, acting);
    case 'rerun':
      return rerun(ask, acting);
    case 'resolve':
      return resolve(ask, by, acting);
    case 'look-up':
      return lookUp(ask, by, acting);
    case 'take':
      return taker(acting).take(ask.upload, ask.job, ask.again);
    case 'save-job':
      return taker(acting).saveJob(ask.name, ask.yaml);
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

/** Only runs of the target that this process works for can be gone on with in it. */
async function runOf(id: string, { session }: Acting): Promise<Run> {
  const run = await findRun(session.ledger, id);
  if (run.target === session.service.target) return run;
  throw new UsageError(
    `Run ${id} goes to ${run.target}, and this process works for ${session.service.target}: expected the page of a process for it, or the command.`,
  );
}

type Control = Extract<Ask, { readonly kind: 'pause' | 'resume' | 'cancel' }>;

async function control(ask: Control, by: string, acting: Acting): Promise<AskAnswer> {
  const { session, errands } = acting;
  const run = await runOf(ask.run, acting);
  if (run.state !== ask.seen) return { kind: 'moved-on', state: run.state };
  const { id } = run;
  const done = (words: string) => ({ kind: 'done', words, run: id }) as const;
  switch (ask.kind) {
    case 'pause':
      await pauseRun(run, { by, at: new Date().toISOString(), why: ask.why }, session);
      return done('The run is paused: nothing more of it is sent. Rows in flight are settled.');
    case 'resume': {
      refuseEnded(run);
      await errands.begin(id, (quiet, begun) =>
        resumeRun(run, quiet, async () => {
          begun(id);
          return quiet;
        }),
      );
      return done('The run goes on.');
    }
    case 'cancel': {
      const request = { by, at: new Date().toISOString(), why: ask.why };
      const cancelled = await cancelRun(run, request, session);
      if (!isOver(cancelled)) errands.follow(id, (quiet) => windUpCancelled(cancelled, quiet));
      return done('The run is cancelled: nothing more of it is sent. Its other rows get their outcomes.');
    }
    default:
      return ask satisfies never;
  }
}

async function rerun(ask: Extract<Ask, { readonly kind: 'rerun' }>, acting: Acting): Promise<AskAnswer> {
  const { errands } = acting;
  const parent = await runOf(ask.run, acting);
  const outcomes = rerunOutcomes(ask.only);
  const rows = ask.cause === null ? null : await rowsOfCause(acting.session, parent, ask.cause);
  const job = ask.isCorrected ? parent.job : undefined;
  const asked = { outcomes, rows, job, jobFile: undefined };
  const begun = await errands.begin(`rerun of ${parent.id}`, async (quiet, onBegun) => {
    const done = await rerunRows(
      parent,
      asked,
      quiet,
      async () => quiet,
      ({ id }) => onBegun(id),
    );
    if (done.kind === 'nothing') throw new UsageError([...done.lines]);
  });
  return {
    kind: 'done',
    words: `The rows are sent again, as a run of their own${begun === null ? '' : `: ${begun}`}.`,
    run: begun,
  };
}

type Settling = { readonly run: string };

async function resolve(
  ask: Extract<Ask, { readonly kind: 'resolve' }>,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  return settle(ask, { kind: 'rows', rows: ask.decisions }, { by, acting });
}

async function lookUp(
  ask: Extract<Ask, { readonly kind: 'look-up' }>,
  by: string,
  acting: Acting,
): Promise<AskAnswer> {
  return settle(ask, { kind: 'lookup' }, { by, acting });
}

async function settle(
  { run: id }: Settling,
  request: ResolveRequest,
  { by, acting }: { readonly by: string; readonly acting: Acting },
): Promise<AskAnswer> {
  const { session } = acting;
  const run = await runOf(id, acting);
  const resolved = await resolveRun(run, request, by, session);
  const after = await findRun(session.ledger, run.id);
  await rewriteReport(after, { request, resolved }, session);
  const { created, notCreated, unchanged, open, refused } = resolved;
  if (refused.length > 0 && created + notCreated + unchanged + open === 0)
    return {
      kind: 'refused',
      problems: refused.slice(0, REFUSED_TOLD).map(({ row, why }) => `Row ${row} ${why}.`),
    };
  return { kind: 'done', words: resolvedWords(resolved, after), run: run.id };
}

function resolvedWords(resolved: Resolved, run: Run): string {
  const { created, createdAs, notCreated, unchanged, open, refused } = resolved;
  const parts = [
    [created, createdAs],
    [notCreated, 'not created'],
    [unchanged, 'unchanged'],
    [open, 'still open'],
    [refused.length, 'refused'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const why = refused.slice(0, REFUSED_TOLD).map((one) => ` Row ${one.row} ${one.why}.`);
  return `${told.join(', ') || 'Nothing was settled'}.${why.join('')} ${run.outcomes['in-doubt']} still in doubt.`;
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

const REFUSED_TOLD = 5;

async function doctor({ session: { io } }: Acting): Promise<AskAnswer> {
  const findings = await examine(io, null);
  const words = findings.map(({ check, status, finding }) => `${status} ${check}: ${finding}`).join('\n');
  return { kind: 'done', words, run: null };
}
