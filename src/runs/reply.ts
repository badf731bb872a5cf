/**
 * The answer to a partner: `reply.xlsx` beside the report of his delivery's run, with the rows that
 * he can mend, and a mail's text. Rows that only we can settle are a number in it, and nothing else
 * is said of them.
 */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JobDefinition } from '../config/job-definition.ts';
import { recordAct } from '../engine/ledger/audit.ts';
import { makeTags, type TagOf } from '../engine/ledger/reply-tags.ts';
import { typedText } from '../lib/typed-cells.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Account, Standing } from '../model/account.ts';
import { isOver, type Run } from '../model/run.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_TYPED_COLUMN, swappedIn } from '../model/source.ts';
import { taggedRun } from '../readers/intake/origins.ts';
import { type Ledger, reportDirectory, type Session } from '../session.ts';
import { accountOf, accountsAt, lastRows, otherColumns } from './account.ts';
import { claimReportDirectory } from './report/files.ts';
import { keptColumns, type RemainderRow } from './report/remainder.ts';
import {
  bookWords,
  type Counts,
  correctionOf,
  fateOf,
  type Language,
  mailOf,
  sumLine,
  type Telling,
} from './report/reply.ts';
import { type ReplyRow, writeReply } from './report/reply-book.ts';
import { definitionKnown } from './report.ts';

export const REPLY_FILE = 'reply.xlsx';

type Reply = {
  /** The delivery's, beside whose report it lies. */
  readonly run: string;
  /** `null`: there is nothing to correct. */
  readonly path: string | null;
  readonly mail: ReturnType<typeof mailOf>;
};

/** Of the delivery that the run belongs to. A UsageError where it can have none. */
export async function makeReply(
  run: Run,
  language: Language,
  { env, ledger }: Pick<Session, 'env' | 'ledger'>,
): Promise<Reply> {
  const account = await accountOf(run, ledger);
  const { keys, store } = ledger.of(run.target);
  const delivery = await store.get(account.delivery);
  if (delivery === null) throw new Error(`run ${account.delivery} is gone from the ledger`);
  const definition = await definitionKnown(delivery, store);
  const refused = whyNone(delivery, account, definition);
  if (refused !== null) throw new UsageError(refused);

  const { key, reply } = definition ?? {};
  const telling = { language, key, serviceWords: reply?.serviceWords === true };
  const { counts, rows } = await sortedOut(delivery, account, ledger);
  const folder = reportDirectory(env, delivery.id);
  const mail = mailOf(basename(delivery.file), counts, language);
  await claimReportDirectory(folder, delivery.id);
  await rm(join(folder, REPLY_FILE), { force: true });
  if (rows.length > 0) {
    const tagOf = await makeTags(ledger.redis, keys);
    const book = bookOf(delivery, rows, { ...telling, tagOf, sum: sumLine(counts, language) });
    await place(folder, await writeReply(book));
  }
  const of = { rows: String(rows.length), language };
  await recordAct(ledger.redis, keys, { what: 'replied', run: delivery.id, of });
  const path = rows.length === 0 ? null : join(folder, REPLY_FILE);
  return { run: delivery.id, path, mail };
}

/** `null`: it can have one. */
function whyNone(delivery: Run, { purgedRows }: Account, definition: JobDefinition | null): string | null {
  const { id, file, state } = delivery;
  const ask = `\`onboard account ${id} --open FILE\` writes the open rows for you.`;
  if (!isTable(delivery.source))
    return (
      `${basename(file)} is JSON: expected a file with columns, ` + `which a workbook can answer. ${ask}`
    );
  if (!isOver(delivery))
    return (
      `Run ${id} is ${state}: expected one that is over. ` +
      `\`onboard status ${id}\` says what it waits for.`
    );
  if (delivery.purged !== undefined || purgedRows > 0)
    return (
      `Rows of run ${id} were purged: their cells are gone, ` +
      'and nobody can correct them. Expected the file again.'
    );
  if (definition?.report.originals === false)
    return (
      `The job ${delivery.job} keeps cells out of its reports ` +
      '(report.originals: false), ' +
      `and an answer is made of them. ${ask}`
    );
  if (definition?.decrypt !== undefined)
    return (
      `Files of the job ${delivery.job} come encrypted, ` +
      `and a workbook would go and come in clear. ${ask}`
    );
  return null;
}

/** A row to correct, with its number in the delivery. */
type ToCorrect = {
  readonly nth: number;
  readonly of: Run;
  readonly row: RemainderRow;
};

async function sortedOut(delivery: Run, { delivery: id, rows, atService }: Account, ledger: Ledger) {
  const { open, isOwn } = await accountsAt(delivery.target, ledger).standOf(id);
  const own = [...open].flatMap(([row, last]) => (isOwn(row) ? [{ row, last }] : []));
  const places = new Map(own.map((one) => [placeOf(one.last), one]));
  const columns = String(keptColumns(delivery.source).names);
  const found: ToCorrect[] = [];
  let refused = 0;
  const lasts = own.map(({ last }) => last);
  for await (const { run, rows: some } of lastRows(lasts, delivery.target, ledger))
    for (const row of some) {
      const one = places.get(placeOf({ run: run.id, row: row.settlement.row }));
      const fate = one === undefined ? 'checked' : fateOf(one.last, row.settlement);
      if (fate === 'correct') found.push({ nth: one?.row ?? 0, of: run, row });
      if (fate === 'refused') refused += 1;
    }
  const other = found.find(({ of }) => String(keptColumns(of.source).names) !== columns);
  if (other !== undefined) throw new UsageError(otherColumns(delivery, other.of));
  const correct = found.length;
  const checked = rows - atService - correct - refused;
  const counts: Counts = { received: rows, accepted: atService, correct, refused, checked };
  return { counts, rows: found.toSorted((a, b) => a.nth - b.nth) };
}

function placeOf({ run, row }: Pick<Standing, 'run' | 'row'>): string {
  return `${run} ${row}`;
}

type Making = Telling & { readonly tagOf: TagOf; readonly sum: string };

function bookOf(delivery: Run, rows: readonly ToCorrect[], making: Making) {
  const { names } = keptColumns(delivery.source);
  const { sheet, rows: name, column, please } = bookWords(making.language);
  const swapped = swappedIn(delivery.source).map((at) => `swapped ${delivery.source.columns[at]}`);
  const hasTyped = isTyped(delivery);
  const hidden = ['run', 'row', ...(hasTyped ? ['typed', ...swapped] : [])];
  const added = [column, ...hidden].map((one) => REPORT_COLUMN_PREFIX + one);
  return {
    sum: { sheet, lines: [`${making.sum}.`, '', please] },
    rows: {
      sheet: name,
      columns: [...names, ...added],
      hiddenFrom: names.length + 1,
      rows: rows.map((one) => rowOf(one, { names, hasTyped, folder: delivery.folder ?? '' }, making)),
    },
  };
}

/** Its numbers and dates were no texts: come back unchanged, they are read as they were. */
function isTyped({ source: { type, columns } }: Run): boolean {
  return type === 'xlsx' || columns.includes(REPORT_TYPED_COLUMN);
}

type Shape = {
  readonly names: readonly string[];
  readonly hasTyped: boolean;
  readonly folder: string;
};

function rowOf({ of, row }: ToCorrect, { names, hasTyped, folder }: Shape, making: Making): ReplyRow {
  const { settlement, source } = row;
  const { places } = keptColumns(of.source);
  const own = places.map((at) => (source?.kind === 'cells' ? (source.cells[at] ?? '') : ''));
  const { words, columns } = correctionOf(row, making);
  const run = taggedRun(of.id, making.tagOf(of.id, settlement.row, folder));
  const typed = hasTyped && source?.kind === 'cells' ? typedText(source, of.source.columns) : '';
  const wrong = names.flatMap((name, at) => (columns.has(name) ? [at] : []));
  const hidden = [run, String(settlement.row), ...(hasTyped ? [typed] : [])];
  return { cells: [...own, words, ...hidden], wrong: new Set(wrong) };
}

/** Whole, or not at all; readable by its owner only. */
async function place(folder: string, bytes: Buffer): Promise<void> {
  const draft = join(folder, `.${REPLY_FILE}.${randomBytes(6).toString('hex')}.tmp`);
  await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true });
  await rename(draft, join(folder, REPLY_FILE));
}
