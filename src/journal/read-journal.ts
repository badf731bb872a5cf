/**
 * Reads a journal back for a ledger that lost something; its process may go on writing. The last
 * word on a row holds. Each file is read twice, up to where it ended the first time: nearly all
 * rows are settled only once, and go to the ledger as they are read, so that memory grows with the
 * rows in flight, not with the journal.
 */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf } from '../lib/batches.ts';
import { insteadOf } from '../lib/errors.ts';
import { runFile, runsIn } from './folder.ts';
import {
  decodeLine,
  type IntendedRow,
  isForeign,
  isTorn,
  type JournalRecord,
  type SettleEntry,
  type StoredRecord,
} from './record.ts';
import { createFold, createSurvey } from './row-fold.ts';

/**
 * In the order to put back: the run's record, its highest added chunk, what was settled, and last
 * the intents without a known end. At most 200 entries or rows in one.
 */
export type Replayed =
  | Extract<JournalRecord, { kind: 'run' | 'added' }>
  | { readonly kind: 'intended'; readonly run: string; readonly rows: readonly IntendedRow[] }
  | { readonly kind: 'settled'; readonly run: string; readonly entries: readonly SettleEntry[] };

/** A line, from 1, that isn't what was written: it is left out. */
export type Damage = { readonly file: string; readonly line: number };
type OnDamage = (damage: Damage) => void;

const BATCH = 200;

/**
 * What a worker's journal has of a run: of each row its intents neither withdrawn nor ended, else
 * its last settle entry, else nothing; a later look puts no accepted row in doubt. A damaged or
 * unknown line is left out and reported: such a journal is not whole. A killed process' torn last
 * line was acknowledged to nobody. Nothing where the file was removed.
 */
export async function* readRun(
  folder: string,
  { worker, run }: { readonly worker: string; readonly run: string },
  onDamage: OnDamage = () => undefined,
): AsyncGenerator<Replayed> {
  const file = runFile(join(folder, worker), run);
  const bytes = (await stat(file).catch(insteadOf('ENOENT', null)))?.size ?? 0;
  const survey = createSurvey();
  for await (const record of recordsIn(file, bytes, onDamage)) survey.see(record);
  const { record, added } = survey.found();
  if (record !== null) yield record;
  if (added > 0) yield { kind: 'added', run, chunk: added };
  const rows = createFold(survey.isRepeated);
  let entries: SettleEntry[] = [];
  for await (const one of recordsIn(file, bytes)) {
    entries.push(...rows.take(one));
    if (entries.length < BATCH) continue;
    for (const batch of batchesOf(entries, BATCH)) yield { kind: 'settled', run, entries: batch };
    entries = [];
  }
  entries.push(...rows.settled());
  for (const batch of batchesOf(entries, BATCH)) yield { kind: 'settled', run, entries: batch };
  for (const batch of batchesOf(rows.open(), BATCH)) yield { kind: 'intended', run, rows: batch };
}

/**
 * Of a file's first bytes; anything else in it is reported, but for the torn last line of a crash.
 */
async function* recordsIn(
  file: string,
  bytes: number,
  onDamage: OnDamage = () => undefined,
): AsyncGenerator<StoredRecord> {
  let line = 0;
  for await (const { text, isEnded } of linesOf(file, bytes)) {
    line += 1;
    const record = decodeLine(text);
    if (record !== null) yield record;
    else if (isEnded || !isTorn(text)) onDamage({ file, line });
  }
}

/** `isEnded`: a line feed follows. */
type Line = { readonly text: string; readonly isEnded: boolean };

/** None where the file was removed meanwhile: its run is forgotten. */
async function* linesOf(file: string, bytes: number): AsyncGenerator<Line> {
  let rest = '';
  try {
    for await (const piece of bytes === 0
      ? []
      : createReadStream(file, { encoding: 'utf8', end: bytes - 1 })) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) yield { text, isEnded: true };
    }
  } catch (error) {
    return insteadOf('ENOENT', undefined)(error);
  }
  if (rest !== '') yield { text: rest, isEnded: false };
}

/** Whether another version of the program wrote it. */
export async function isForeignJournal(folder: string, worker: string): Promise<boolean> {
  const path = join(folder, worker);
  for (const run of await runsIn(path)) if (isForeign(await firstLineOf(runFile(path, run)))) return true;
  return false;
}

async function firstLineOf(file: string): Promise<string> {
  for await (const { text } of linesOf(file, Number.POSITIVE_INFINITY)) return text;
  return '';
}
