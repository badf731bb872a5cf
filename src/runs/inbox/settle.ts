/**
 * How a file's way ends: in `done` or `failed`, in a rehearsal back in its inbox. The claim is
 * dropped last: a kill before that repeats the ending and loses nothing.
 */
import { rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newRunId } from '../../engine/ledger/run-store.ts';
import { errorCode, hasCode, insteadOf } from '../../lib/errors.ts';
import { stampOf, writtenOfStamp } from '../../lib/file-stamp.ts';
import { makeFolder, syncFolder, writeDurably } from '../../lib/make-folder.ts';
import type { Io } from '../../lib/terminal.ts';
import { EXIT, exitCodeOf } from '../../model/exit.ts';
import { dataEnding } from '../../model/file-format.ts';
import type { Run } from '../../model/run.ts';
import { reportDirectory } from '../../session.ts';
import type { Summary } from '../report/summary.ts';
import { pagesOf } from '../report/words.ts';
import { type Claim, dropClaim, returnFile, withinClaim } from './claim.ts';
import { NOTE_ENDING } from './entry.ts';
import { inboxesOf, isInboxOf } from './job-book.ts';
import {
  changedNote,
  doneNote,
  endedWords,
  knownNote,
  type Note,
  type Origin,
  type Refusal,
  refusedNote,
  renderNote,
} from './note.ts';
import { inFolder, openItself, withinFolder } from './shared-folder.ts';
import type { Refused } from './sort-out.ts';
import type { Watcher } from './watcher.ts';

type End =
  /** Its run is over, whatever became of its rows. */
  | { readonly kind: 'done'; readonly run: Run; readonly summary: Summary }
  /** This run took a file with the same content before: nothing is sent. */
  | { readonly kind: 'known'; readonly run: Run }
  /** The file was written to after its run had begun. */
  | { readonly kind: 'changed'; readonly run: Run }
  | ({ readonly kind: 'refused' } & Refusal);

/** Ends the claim and reports it; answers its exit status. `isNeedless`: the file is not kept. */
export async function settle(claim: Claim, end: End, watcher: Watcher, isNeedless = false): Promise<number> {
  const verdict = verdictOf(claim, end, watcher);
  const away = await endClaim(claim, { ...verdict, isNeedless }, watcher);
  const words = away.words === '' ? verdict.words : `${verdict.words.replace(/\.$/, '')}. ${away.words}`;
  watcher.teller.ended(endedFile(claim.info, verdict, away, watcher), words);
  if (verdict.result === 'failed' && away.file !== null) watcher.teller.refused(claim.id);
  return verdict.exitCode;
}

type FileEnd = {
  /** `done`: its run is over; `failed`: not taken to its end; `paused`: waits for its run. */
  readonly result: 'done' | 'failed' | 'paused';
  readonly why: readonly string[];
  readonly run: Run | null;
  readonly exitCode: number;
};

/** Where the file and its note went. */
type Gone = { readonly file: string | null; readonly note: string | null };

/** As `--json` prints it. */
function endedFile(
  { path, job }: { readonly path: string; readonly job: string | null },
  { result, why, run, exitCode }: FileEnd,
  { file, note }: Gone,
  { session }: Pick<Watcher, 'session'>,
) {
  return {
    file: path,
    job,
    result,
    why,
    run: run?.id ?? null,
    state: run?.state ?? null,
    reason: run?.reason ?? null,
    rows: run?.rows ?? null,
    outcomes: run?.outcomes ?? null,
    exitCode,
    report: run === null ? null : reportDirectory(session.env, run.id),
    moved: file,
    note,
  };
}

type Verdict = FileEnd & {
  readonly result: 'done' | 'failed';
  /** Depends on where the file goes. */
  note(file: string): Note;
  readonly words: string;
};

function verdictOf(claim: Claim, end: End, watcher: Watcher): Verdict {
  if (end.kind === 'refused') return refusedVerdict(claim, end);
  const { path } = claim.info;
  const { run } = end;
  const report = reportDirectory(watcher.session.env, run.id);
  const origin = originOf(claim);
  switch (end.kind) {
    case 'done': {
      const exitCode = end.summary.exitCode ?? exitCodeOf(run);
      const note = () => doneNote(origin, end, report);
      const [page = report] = pagesOf(end.summary, report);
      return { result: 'done', note, why: [], run, exitCode, words: endedWords(path, run, page) };
    }
    case 'known': {
      const why = `the same content was taken as run ${run.id}: nothing is sent`;
      const note = (file: string) => knownNote(origin, run, { report, file });
      const words = `${path}: ${why}. Report: ${report}`;
      return { result: 'done', note, why: [why], run, exitCode: exitCodeOf(run), words };
    }
    case 'changed': {
      const why = 'the file was changed after it was taken: what came since was not sent';
      const note = () => changedNote(origin, run, report);
      const words = `${path}: run ${run.id}: ${why}. Report: ${report}`;
      return { result: 'failed', note, why: [why], run, exitCode: EXIT.stopped, words };
    }
    default:
      return end satisfies never;
  }
}

function refusedVerdict(claim: Claim, { why: given, fault }: Refusal): Verdict {
  // The file's place in its claim means nothing to its sender.
  const why = given.map((one) => one.replaceAll(claim.file, () => claim.name));
  const note = () => refusedNote(originOf(claim), { why, fault });
  const words = `${claim.info.path}: not taken: ${why.join('; ')}`;
  return { result: 'failed', note, why, run: null, exitCode: EXIT.notStarted, words };
}

function originOf({ inbox, info }: Claim): Origin {
  return { path: info.path, inbox, written: writtenOfStamp(info.stamp) };
}

export function pausedFile({ info }: Claim, run: Run, watcher: Watcher) {
  const end = { result: 'paused', why: [], run, exitCode: exitCodeOf(run) } as const;
  return endedFile(info, end, { file: null, note: null }, watcher);
}

type Away = Gone & { readonly words: string };

type Ending = Pick<Verdict, 'result' | 'note'> & { readonly isNeedless?: boolean };
type Folders = Pick<Watcher, 'places' | 'rehearsal' | 'book' | 'home'> & {
  readonly session: { readonly io: Pick<Io, 'command'> };
};

export async function endClaim(claim: Claim, ending: Ending, folders: Folders): Promise<Away> {
  const { rehearsal, book, home } = folders;
  // Not an upload: in an inbox it would be sent for real one day.
  const { inbox, info } = claim;
  const isReturned = rehearsal.isOn && isInboxOf({ inbox, job: info.job }, inboxesOf(book.jobs(), home));
  const back = isReturned ? await putBack(claim, ending, folders) : null;
  const isNeedless = ending.isNeedless === true && !rehearsal.isOn;
  const away = back ?? (await (isNeedless ? remove(claim) : moveAway(claim, ending, folders)));
  await dropClaim(claim);
  return away;
}

/** `null`: its place is another file's by now, or gone. */
async function putBack(claim: Claim, { result, note }: Ending, folders: Folders): Promise<Away | null> {
  const { inbox, info } = claim;
  folders.rehearsal.remember(inbox, info.path, info.stamp);
  if (!(await returnFile(claim))) return null;
  const text = renderNote(note(join(inbox, info.path)), folders.session.io);
  const path = await writeNote(join(folders.places[result], awayName(claim.name, claim.id)), text);
  const words = `A rehearsal: the file is back in ${inbox}, the note about it is ${path}`;
  return { file: null, note: path, words };
}

async function moveAway(claim: Claim, { result, note }: Ending, { places, session }: Folders): Promise<Away> {
  const folder = places[result];
  const { id, name } = claim;
  const text = renderNote(note(join(folder, awayName(name, id))), session.io);
  const moving = withinClaim(claim, (path) =>
    putAway({ from: inFolder(path, name), folder, name, id, text }),
  );
  // The file may have been removed from its claim: then there is nothing to move.
  const away = await moving.catch(insteadOf('ENOENT', { file: null, note: null }));
  return { ...away, words: away.file === null ? '' : `Moved to ${away.file}` };
}

/** The report tells what became of it. */
async function remove(claim: Claim): Promise<Away> {
  await withinClaim(claim, (path) => unlink(inFolder(path, claim.name))).catch(
    insteadOf('ENOENT', undefined),
  );
  return { file: null, note: null, words: 'The file is removed, as its job says (keep: none)' };
}

type Moving = {
  readonly from: Buffer | string;
  readonly folder: string;
  readonly name: Buffer | string;
  readonly id: string;
  readonly text: string;
};

/** Its note is there first. Throws the error of the move. */
export async function putAway({ from, folder, name, id, text }: Moving) {
  const file = join(folder, awayName(name, id));
  const note = await writeNote(file, text);
  try {
    await rename(from, file).catch((error: unknown) => {
      if (!hasCode(error, 'EXDEV')) throw error;
      return moveCopied(from, file, error);
    });
  } catch (error) {
    await rm(note, { force: true });
    throw error;
  }
  return { file, note };
}

/** The copy is durable, under its name, before the original goes. */
async function moveCopied(from: Buffer | string, to: string, otherwise: unknown): Promise<void> {
  const source = await openItself(from);
  try {
    const before = await source.stat({ bigint: true });
    // Nothing else has content of its own: it stays where it is.
    if (!before.isFile() || before.nlink > 1n) throw otherwise;
    const copy = `${to}.tmp`;
    await writeDurably(copy, source.createReadStream({ autoClose: false }), 'w');
    if (stampOf(await source.stat({ bigint: true })) !== stampOf(before))
      throw new Error(`it was written to while it was copied to ${to}`);
    await rename(copy, to);
    await syncFolder(dirname(to));
  } finally {
    await source.close();
  }
  await unlink(from);
}

async function writeNote(file: string, text: string): Promise<string> {
  const note = `${file}${NOTE_ENDING}`;
  await makeFolder(dirname(note));
  await writeFile(`${note}.tmp`, text, { mode: 0o600 });
  await rename(`${note}.tmp`, note);
  return note;
}

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd/\\]/gu;
/** File systems take 255 bytes; the id and the note's ending come on top. */
const MAX_BYTES = 180;

/** Where a run's file may lie: where it was, or where a watcher has put it away. */
export function placesOfFile({ id, file }: Pick<Run, 'id' | 'file'>, home: string): readonly string[] {
  const away = awayName(basename(file), id);
  return [file, join(home, 'done', away), join(home, 'failed', away)];
}

/** `portfolio.<id>.csv`; nothing in it acts on a terminal or shell. */
export function awayName(name: Buffer | string, id: string): string {
  const text = name.toString('utf8').replaceAll(UNSAFE, '_').replaceAll('..', '__');
  const ending = dataEnding(text);
  let stem = text.slice(0, text.length - ending.length);
  while (Buffer.byteLength(stem) > MAX_BYTES) stem = stem.slice(0, -1);
  return `${stem.replace(/\.$/, '_')}.${id}${ending}`;
}

/** `left`: it can't be moved, or a rehearsal leaves it. `gone`: its sender was faster. */
type RefuseEnd = 'moved' | 'left' | 'gone';

export function createRefuse(watcher: Watcher): (refused: Refused) => Promise<RefuseEnd> {
  const { teller, places, rehearsal } = watcher;
  const left = new Set<string>();
  return async (refused) => {
    const { inbox, entry, why } = refused;
    const key = [inbox.folder, entry.path, entry.stamp].join('\n');
    if (left.has(key)) return 'left';
    const notTaken = `${entry.path}: not taken: ${why}`;
    const end = { result: 'failed', why: [why], run: null, exitCode: EXIT.notStarted } as const;
    const ended = (away: Gone) => endedFile({ path: entry.path, job: null }, end, away, watcher);
    if (rehearsal.isOn) {
      left.add(key);
      teller.ended(ended({ file: null, note: null }), `${notTaken}. A rehearsal: it stays where it is`);
      return 'left';
    }
    try {
      const id = newRunId(new Date());
      const away = await moveRefused(refused, places.failed, id);
      teller.ended(ended(away), `${notTaken}. Moved to ${away.file}`);
      teller.refused(id);
      return 'moved';
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT') return 'gone';
      left.add(key);
      const because = code === 'EXDEV' ? 'it is on another file system' : code || String(error);
      teller.line(`${notTaken}. It can't be moved to ${places.failed} (${because}): move it by hand`);
      return 'left';
    }
  };
}

function moveRefused({ inbox, entry, why, fault }: Refused, failed: string, id: string) {
  const origin = { path: entry.path, inbox: inbox.folder, written: null };
  return withinFolder(inbox.folder, entry.parts, (path) =>
    putAway({
      from: inFolder(path, entry.name),
      folder: failed,
      name: entry.name,
      id,
      text: renderNote(refusedNote(origin, { why: [why], fault })),
    }),
  );
}
