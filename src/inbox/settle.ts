/**
 * How a file's way ends: one rename takes it to `done` or `failed`, its note is there first, and
 * its end is reported; a rehearsal puts it back into its inbox. The claim is dropped last: a kill
 * before that repeats the ending and loses nothing. A file in `done` that is written to within an
 * hour goes to `failed`.
 */
import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newRunId } from '../ledger/run-store.ts';
import { errorCode, insteadOf } from '../lib/errors.ts';
import { fileStamp, type Written, writtenOf, writtenOfStamp } from '../lib/file-stamp.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { Io } from '../lib/terminal.ts';
import { EXIT, exitCodeOf } from '../model/exit.ts';
import type { Run } from '../model/run.ts';
import type { Summary } from '../report/summary.ts';
import { type Claim, dropClaim, returnFile } from './claim.ts';
import { NOTE_ENDING } from './entry.ts';
import { inboxesOf, isInboxOf } from './job-book.ts';
import {
  changedNote,
  doneNote,
  endedWords,
  knownNote,
  lateNote,
  type Note,
  type Origin,
  type Refusal,
  refusedNote,
  renderNote,
  withoutName,
  writtenIn,
} from './note.ts';
import {
  isOriginalWritten,
  keepOriginal,
  lateOriginals,
  originalOf,
  removeOriginal,
  WATCHED_MS,
} from './other-file-system.ts';
import { inFolder, withinFolder } from './shared-folder.ts';
import type { Refused } from './sort-out.ts';
import { type EndedFile, reportPlace, type Watcher } from './watcher.ts';

/** `stamp`: the file as it was read. */
type End =
  /** Its run is over, whatever became of its rows. */
  | { readonly kind: 'done'; readonly stamp: string; readonly run: Run; readonly summary: Summary }
  /** This run took a file with the same content before: nothing is sent. */
  | { readonly kind: 'known'; readonly stamp: string; readonly run: Run }
  /** The file was written to after its run had begun. */
  | { readonly kind: 'changed'; readonly stamp: string; readonly run: Run }
  /** No run came of it. */
  | ({ readonly kind: 'refused' } & Refusal);

/** Ends the claim and reports it; answers the file's exit status. */
export async function settle(claim: Claim, end: End, watcher: Watcher): Promise<number> {
  const verdict = verdictOf(claim, end, watcher);
  const away = await endClaim(claim, verdict, watcher);
  const words = away.words === '' ? verdict.words : `${verdict.words.replace(/\.$/, '')}. ${away.words}`;
  const file = endedFile(claim.info, verdict, watcher);
  watcher.teller.ended({ ...file, moved: away.file, note: away.note }, words);
  if (verdict.result === 'failed') watcher.teller.refused(away);
  return verdict.exitCode;
}

type Told = Pick<EndedFile, 'result' | 'why' | 'exitCode'> & { readonly run: Run | null };
type Verdict = Told & {
  readonly result: 'done' | 'failed';
  /** Depends on where the file goes. */
  note(file: string): Note;
  readonly words: string;
};

function verdictOf(claim: Claim, end: End, watcher: Watcher): Verdict {
  if (end.kind === 'refused') return refusedVerdict(claim, end);
  const { path } = claim.info;
  const { run, stamp } = end;
  const report = reportPlace(watcher, run);
  const origin = originOf(claim, stamp);
  switch (end.kind) {
    case 'done': {
      const exitCode = end.summary.exitCode ?? exitCodeOf(run);
      const note = () => doneNote(origin, end.summary, report);
      return { result: 'done', note, why: [], run, exitCode, words: endedWords(path, run, report) };
    }
    case 'known': {
      const why = `the same content was taken as run ${run.id}: nothing is sent`;
      const note = (file: string) => knownNote(origin, run, { report, file });
      const words = `${path}: ${why}. Report: ${report}`;
      return { result: 'done', note, why: [why], run, exitCode: exitCodeOf(run), words };
    }
    case 'changed': {
      const why = 'the file was changed after it was taken: what was written to it since was not sent';
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
  const why = given.map((one) =>
    withoutName(
      one.replaceAll(claim.file, () => claim.name),
      claim.name,
    ),
  );
  const note = () => refusedNote(originOf(claim, claim.info.stamp), { why, fault });
  const words = `${claim.info.path}: not taken: ${why.join('; ')}`;
  return { result: 'failed', note, why, run: null, exitCode: EXIT.notStarted, words };
}

function originOf({ info }: Claim, stamp: string): Origin {
  return { path: info.path, inbox: info.inbox, written: writtenOfStamp(stamp) };
}

/** Its run waits for a person. */
export function pausedFile({ info }: Claim, run: Run, watcher: Watcher): EndedFile {
  return endedFile(info, { result: 'paused', why: [], run, exitCode: exitCodeOf(run) }, watcher);
}

/** As reported; where it went comes on top. */
function endedFile(
  { path, job }: { readonly path: string; readonly job: string | null },
  { result, why, run, exitCode }: Told,
  watcher: Watcher,
): EndedFile {
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
    report: run === null ? null : reportPlace(watcher, run),
    moved: null,
    note: null,
  };
}

type Away = {
  readonly file: string | null;
  readonly note: string | null;
  /** A sentence on that for people. */
  readonly words: string;
};

type Ending = Pick<Verdict, 'result' | 'note'>;
type Folders = Pick<Watcher, 'places' | 'rehearsal' | 'book' | 'home'> & {
  readonly session: { readonly io: Pick<Io, 'command'> };
};

/** To `done` or `failed`, in a rehearsal back to its inbox, with a note. */
export async function endClaim(claim: Claim, ending: Ending, folders: Folders): Promise<Away> {
  // An upload put into an inbox would be sent for real one day.
  const isReturned = folders.rehearsal.isOn && claim.info.isUpload !== true;
  const back = isReturned ? await putBack(claim, ending, folders) : null;
  const away = back ?? (await moveAway(claim, ending, folders));
  await dropClaim(claim);
  return away;
}

/** `null`: its place is another file's by now, or gone. */
async function putBack(
  claim: Claim,
  { result, note }: Ending,
  { places, rehearsal, book, home, session }: Folders,
): Promise<Away | null> {
  const { info, copied } = claim;
  if (!isInboxOf(info, inboxesOf(book.jobs(), home))) return null;
  const stamp = result === 'done' ? await fileStamp(claim.file).catch(() => null) : null;
  for (const one of [info.stamp, copied, stamp])
    if (one !== null) rehearsal.remember(info.inbox, info.path, one);
  if (!(await returnFile(claim))) return null;
  const text = renderNote(note(join(info.inbox, info.path)), session.io);
  const path = await writeNote(join(places[result], awayName(claim.name, claim.id)), text);
  const words = `A rehearsal: the file is back in ${info.inbox}, the note about it is ${path}`;
  return { file: null, note: path, words };
}

async function moveAway(claim: Claim, { result, note }: Ending, { places, session }: Folders): Promise<Away> {
  const folder = places[result];
  const original = (await isOriginalWritten(claim))
    ? [`The file as it is by now lies in ${originalOf(claim)}`]
    : [];
  const text = renderNote(note(join(folder, awayName(claim.name, claim.id))), session.io);
  const moving = {
    from: claim.file,
    folder,
    name: claim.name,
    id: claim.id,
    text: [text, ...original.map((line) => `${line}\n`)].join(''),
  };
  // The file may have been removed from its claim: then there is nothing to move.
  const away = await putAway(moving).catch(insteadOf('ENOENT', null));
  if (away !== null && result === 'done') await keepOriginal(claim, places.processing, basename(away.file));
  else await removeOriginal(claim);
  const moved = away === null ? [] : [`Moved to ${away.file}`];
  return { file: away?.file ?? null, note: away?.note ?? null, words: [...moved, ...original].join('. ') };
}

type Moving = {
  readonly from: Buffer | string;
  /** `done` or `failed`. */
  readonly folder: string;
  /** The sender's name for it. */
  readonly name: Buffer | string;
  /** Unique: the run's id. */
  readonly id: string;
  readonly text: string;
};

/** Moves any entry by one rename; its note is there first. Throws the error of the rename. */
export async function putAway({ from, folder, name, id, text }: Moving) {
  const file = join(folder, awayName(name, id));
  const note = await writeNote(file, text);
  try {
    await rename(from, file);
  } catch (error) {
    await rm(note, { force: true });
    throw error;
  }
  return { file, note };
}

/** Whole or not at all; answers its path. */
async function writeNote(file: string, text: string): Promise<string> {
  const note = `${file}${NOTE_ENDING}`;
  await makeFolder(dirname(note));
  await writeFile(`${note}.tmp`, text, { mode: 0o600 });
  await rename(`${note}.tmp`, note);
  return note;
}

const ENDING = /(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx))?(?:\.gz)?$/i;
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd/\\]/gu;
/** File systems take 255 bytes; the id and the note's ending come on top. */
const MAX_BYTES = 180;

/** `portfolio.<id>.csv`: unique, without anything that acts on a terminal or shell. */
export function awayName(name: Buffer | string, id: string): string {
  const text = name.toString('utf8').replaceAll(UNSAFE, '_').replaceAll('..', '__');
  const ending = ENDING.exec(text)?.[0] ?? '';
  let stem = text.slice(0, text.length - ending.length);
  while (Buffer.byteLength(stem) > MAX_BYTES) stem = stem.slice(0, -1);
  return `${stem.replace(/\.$/, '_')}.${id}${ending}`;
}

/** `left`: it can't be moved, or a rehearsal leaves it. `gone`: another watcher was faster. */
type RefuseEnd = 'moved' | 'left' | 'gone';

/** Moves entries that can't be taken to `failed`, without opening or following them. */
export function createRefuse(watcher: Watcher): (refused: Refused) => Promise<RefuseEnd> {
  const { teller, places, rehearsal } = watcher;
  // What stays is reported once.
  const left = new Set<string>();
  return async (refused) => {
    const { inbox, entry, why } = refused;
    const key = [inbox.folder, entry.path, entry.stamp].join('\n');
    if (left.has(key)) return 'left';
    const notTaken = `${entry.path}: not taken: ${why}`;
    const told = { result: 'failed', why: [why], run: null, exitCode: EXIT.notStarted } as const;
    const file = endedFile({ path: entry.path, job: null }, told, watcher);
    if (rehearsal.isOn) {
      left.add(key);
      teller.ended(file, `${notTaken}. A rehearsal: it stays where it is`);
      return 'left';
    }
    try {
      const away = await moveRefused(refused, places.failed);
      teller.ended({ ...file, moved: away.file, note: away.note }, `${notTaken}. Moved to ${away.file}`);
      teller.refused(away);
      return 'moved';
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT') return 'gone';
      left.add(key);
      const because = code === 'EXDEV' ? 'it is on another file system' : code || String(error);
      teller.line(`${notTaken}. It can't be moved to ${places.failed} (${because}): move it away by hand`);
      return 'left';
    }
  };
}

function moveRefused({ inbox, entry, why, fault }: Refused, failed: string) {
  const origin = { path: entry.path, inbox: inbox.folder, written: null };
  return withinFolder(inbox.folder, entry.parts, (path) =>
    putAway({
      from: inFolder(path, entry.name),
      folder: failed,
      name: entry.name,
      id: newRunId(new Date()),
      text: renderNote(refusedNote(origin, { why: [why], fault })),
    }),
  );
}

/**
 * Finds files that were written to after they had been put away, whose ends were never read; moves
 * them from `done` to `failed`, reports them, and answers how many.
 */
export function createLookForLate(watcher: LateFolders): () => Promise<number> {
  const { places, book, home } = watcher;
  const findChanged = createFindChanged(places.done, () => new Date());
  return async () => {
    const inboxes = new Set(inboxesOf(book.jobs(), home).map(({ folder }) => folder));
    const originals = await lateOriginals(places.processing, inboxes, new Date());
    const late = [
      ...(await findChanged()).map((name) => ({ name, lines: [] })),
      ...originals.map(({ done, original }) => ({
        name: done,
        lines: [`The file as it is by now lies in ${original}`],
      })),
    ];
    for (const one of late) await putLateAway(one, watcher);
    return late.length;
  };
}

type LateFolders = Pick<Watcher, 'places' | 'book' | 'home'> & {
  readonly teller: Pick<Watcher['teller'], 'line' | 'refused'>;
};
type LateFile = { readonly name: string; readonly lines: readonly string[] };

/** The note of the file's run stays in `done`. */
async function putLateAway({ name, lines }: LateFile, { places, teller }: LateFolders): Promise<void> {
  const text = renderNote(lateNote(name, lines));
  const from = join(places.done, name);
  // `done` may have been cleared meanwhile.
  const away = await putAway({ from, folder: places.failed, ...lateName(name), text }).catch(
    insteadOf('ENOENT', null),
  );
  const where = [...(away === null ? [] : [`Moved to ${away.file}`]), ...lines].join('. ');
  if (away !== null) teller.refused(away);
  teller.line(`${name}: was written to after it was taken: what came late was not sent. ${where}`);
}

/** Its name in `failed`: cut without its id, it could be another file's there. */
function lateName(name: string): Pick<Moving, 'name' | 'id'> {
  const found = ID.exec(name);
  if (found === null) return { name, id: 'late' };
  const [id] = found;
  return {
    name: name.slice(0, found.index) + name.slice(found.index + id.length),
    id: `${id.slice(1)}.late`,
  };
}

/**
 * `<name>.20261121-034512-k3f9.csv`: when it was taken, UTC. The last match counts: the sender's
 * name may hold another.
 */
const ID = new RegExp(
  String.raw`\.(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[a-z0-9]{4}(?=${ENDING.source})`,
  ENDING.flags,
);

function createFindChanged(done: string, now: () => Date): () => Promise<string[]> {
  const known = new Map<string, Written | null>();
  const noteOf = async (name: string) => {
    const text = await readFile(join(done, `${name}${NOTE_ENDING}`), 'utf8').catch(() => null);
    return text === null ? null : writtenIn(text);
  };
  return async () => {
    const names = (await readdir(done).catch(() => [])).filter(
      (name) => !name.endsWith(NOTE_ENDING) && isRecent(name, now()),
    );
    const changed: string[] = [];
    for (const name of names) {
      const written = known.get(name) ?? (await noteOf(name));
      if (written !== null && (await differs(join(done, name), written))) changed.push(name);
      known.set(name, written);
    }
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
    return changed;
  };
}

function isRecent(name: string, now: Date): boolean {
  const [, ...parts] = ID.exec(name) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (year === undefined || month === undefined) return false;
  const at = Date.UTC(year, month - 1, day, hour, minute, second);
  return now.getTime() - at < WATCHED_MS;
}

async function differs(path: string, written: Written): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return false;
  const { bytes, ms } = writtenOf(stats);
  return bytes !== written.bytes || ms !== written.ms;
}
