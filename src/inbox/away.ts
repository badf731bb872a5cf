import { basename, join } from 'node:path';
import { fileStamp } from '../intake/file.ts';
import type { Claim } from './claim.ts';
import { dropClaim } from './claims.ts';
import type { InboxDesk } from './desk.ts';
import { errorCode } from './error-code.ts';
import { returnFile } from './give-back.ts';
import { inboxesOf } from './inbox-folder.ts';
import { isWrittenAbroad, keepOriginal, originalOf, removeOriginal } from './originals.ts';
import { awayName, type PutAway, putAway, writeNoteIn } from './put-away.ts';

/** Where the file of a claim that is over went, and the note about it. */
export type Away = {
  readonly file: string | null;
  readonly note: string | null;
  /** A sentence on that for people. */
  readonly words: string;
};

type Ending = {
  readonly result: 'done' | 'failed';
  /** The note, by where the file goes. */
  textFor(file: string): string;
};
type AwayDesk = Pick<InboxDesk, 'places' | 'rehearsal' | 'book' | 'home'>;

/** Ends a claim: its file goes to `done` or `failed`, in a rehearsal back to its inbox, with a note about it. */
export async function endClaim(claim: Claim, ending: Ending, desk: AwayDesk): Promise<Away> {
  const back = desk.rehearsal.isOn ? await putBack(claim, ending, desk) : null;
  const away = back ?? (await moveAway(claim, ending, desk));
  await dropClaim(claim);
  return away;
}

/** `null`: its place is another file's by now, or gone. */
async function putBack(claim: Claim, { result, textFor }: Ending, desk: AwayDesk): Promise<Away | null> {
  const { info, copied } = claim;
  if (!hasInbox(info, desk)) return null;
  const stamp = result === 'done' ? await fileStamp(claim.file).catch(() => null) : null;
  for (const one of [info.stamp, copied, stamp])
    if (one !== null) desk.rehearsal.remember(info.inbox, info.path, one);
  if (!(await returnFile(claim))) return null;
  const text = textFor(join(info.inbox, info.path));
  const note = await writeNoteIn(desk.places[result], awayName(claim.name, claim.id), text);
  const words = `A rehearsal: the file is back in ${info.inbox}, the note about it is ${note}`;
  return { file: null, note, words };
}

/** Whether the claim's file came from a folder that is the inbox of its job now. */
function hasInbox(
  { job, inbox }: Pick<Claim['info'], 'job' | 'inbox'>,
  { book, home }: Pick<InboxDesk, 'book' | 'home'>,
): boolean {
  return inboxesOf(book.jobs(), home).some(
    ({ folder, jobs }) => folder === inbox && jobs.some(({ name }) => name === job),
  );
}

async function moveAway(claim: Claim, { result, textFor }: Ending, { places }: AwayDesk): Promise<Away> {
  const original = (await isWrittenAbroad(claim))
    ? `The file as it is by now lies in ${originalOf(claim)}`
    : '';
  const text = textFor(join(places[result], awayName(claim.name, claim.id)));
  const away = await putAway({
    from: claim.file,
    folder: places[result],
    name: claim.name,
    id: claim.id,
    text: original === '' ? text : `${text}${original}\n`,
  }).catch(whereGone);
  if (away !== null && result === 'done') await keepOriginal(claim, places.processing, basename(away.file));
  else await removeOriginal(claim);
  const moved = away === null ? [] : [`Moved to ${away.file}`];
  const words = [...moved, ...(original === '' ? [] : [original])].join('. ');
  return { file: away?.file ?? null, note: away?.note ?? null, words };
}

/** Somebody took the file out of its claim: there is nothing left to move. */
function whereGone(error: unknown): PutAway | null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
