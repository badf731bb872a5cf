/**
 * What a person says of rows in doubt, before it is recorded. In a form (`POST /runs/:id/resolve`):
 * one row in the fields `row`, `as` (`created`, `created:<id>` of a found record, `not-created`)
 * and `id`; many in a field `decision` each, `17 created:<id>` or `17 not-created`. Or in an edited
 * in-doubt file, checked as `onboard resolve` does; no part of the file is kept.
 */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHomeFolder } from '../../config/environment.ts';
import type { RowDecision } from '../../engine/ledger/resolve.ts';
import { readDoubts } from '../../engine/ledger/run-view.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { isTable } from '../../model/source.ts';
import { checkDecisions } from '../../runs/decisions.ts';
import { NOTHING_RESOLVED, parseDecision, readDecisions } from '../../runs/resolve-file.ts';
import type { Session } from '../../session.ts';
import { namesOf, type RunRows, rowNumber } from './run-rows.ts';

type Decided =
  | { readonly kind: 'decided'; readonly decisions: readonly RowDecision[] }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

export function decisionsIn(form: URLSearchParams): Decided {
  const row = form.get('row');
  const chosen = form.get('as') ?? '';
  const id = (form.get('id') ?? '').trim();
  const typed = `created:${id}`;
  // Either may have been meant.
  if (id !== '' && !['', 'created', typed].includes(chosen))
    return {
      kind: 'problems',
      problems: [`The id ${id} is given, and ${chosen} is chosen: expected one of them.`],
    };
  const said = row === null ? form.getAll('decision') : [`${row} ${id === '' ? chosen : typed}`];
  const read = said.map(decisionIn);
  const problems = read.filter((one) => typeof one === 'string');
  if (said.length === 0 || problems.length > 0)
    return { kind: 'problems', problems: problems.length > 0 ? problems : [UNDECIDED] };
  return { kind: 'decided', decisions: read.filter((one) => typeof one !== 'string') };
}

const UNDECIDED =
  'Say what became of the row: that it was created, with the id that it has at the service, or that it was not.';

/** A text: what is wrong with it. */
function decisionIn(text: string): RowDecision | string {
  const [number = '', ...words] = text.split(' ');
  const [row, said] = [rowNumber(number), words.join(' ')];
  if (row === null || said === '' || said === 'created') return UNDECIDED;
  const decision = parseDecision(said);
  return typeof decision === 'string' ? `Row ${row}: ${decision}` : { row, decision };
}

export function decisionField({ row, decision }: RowDecision): string {
  return `${row} ${decision.kind === 'created' ? `created:${decision.id}` : decision.kind}`;
}

const MOST_BYTES = 8 * 1024 * 1024;
/** A form has 64 kB. */
const AT_ONCE = 300;

export type FileOfDecisions = Awaited<ReturnType<typeof readDecisionFile>>;

/** A UsageError lists all that can't be right in the file. */
export async function readDecisionFile(
  { env, ledger }: Pick<Session, 'env' | 'ledger'>,
  open: RunRows,
  bytes: AsyncIterable<Uint8Array>,
) {
  const { run, definition, redis, k } = open;
  const file = await gather(bytes);
  if (definition === null)
    throw new UsageError('The ledger no longer has the run’s definition: settle its rows one by one.');
  // Among the uploads, so that what a crash leaves is removed with them.
  const folder = await makeHomeFolder(env.home, 'uploads', randomBytes(16).toString('hex'));
  const path = join(folder, isTable(run.source) ? 'in-doubt.csv' : 'in-doubt.ndjson');
  try {
    await writeFile(path, file, { flag: 'wx', mode: 0o600 });
    const told = await readDecisions(path, run, definition.key ?? null);
    const { decisions, members } = await checkDecisions(run, told, definition, ledger);
    const rows = decisions.map(({ row }) => row);
    const doubts = await readDoubts(redis, k, rows);
    const left = decisions.filter(({ row }) => doubts.has(row));
    const listed = left.slice(0, AT_ONCE);
    const names = await namesOf(
      open,
      listed.map(({ row }) => row),
    );
    const shown = listed.map((one) => ({
      ...one,
      key: doubts.get(one.row)?.key ?? '',
      name: names.get(one.row) ?? '',
    }));
    return {
      run,
      decisions: shown,
      more: left.length - shown.length,
      /** Rows that are not named, but one record with a named one. */
      members: members.length,
      /** Lines without a decision, and rows no longer in doubt. */
      open: told.filter(({ decision }) => decision === null).length,
      settled: decisions.length - left.length,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const problems = error.all.map((one) =>
      (typeof one === 'string' ? one : one()).replaceAll(path, 'the file'),
    );
    throw new UsageError(problems.filter((one) => one !== NOTHING_RESOLVED));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > MOST_BYTES)
      throw new UsageError('The file is larger than 8 MiB: use `onboard resolve --file`, which takes any.');
    parts.push(part);
  }
  const file = Buffer.concat(parts);
  const kind = file.subarray(0, 2).toString('latin1');
  // Compressed files could be of any size.
  if (size === 0 || kind === 'PK' || kind === '\x1f\x8b')
    throw new UsageError('Expected in-doubt.csv or in-doubt.ndjson as plain text: save it as CSV.');
  return file;
}
