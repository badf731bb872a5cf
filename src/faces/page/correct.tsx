/**
 * Rows of a run, corrected where they are seen: the key, the name and the columns at fault, each
 * change checked at once, and those that can be sent become a file with their origins, which goes
 * the way of every upload. What is typed is kept nowhere until then.
 */
import type { JobDefinition } from '../../config/job-definition.ts';
import { mappingFor } from '../../delivery/run-mapping.ts';
import { Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import type { Issue } from '../../model/issue.ts';
import type { Mapping } from '../../model/mapping.ts';
import type { CellsRow } from '../../model/row.ts';
import { isOver, type Run } from '../../model/run.ts';
import { issueWords, messageOf } from '../../model/sentence.ts';
import { isTable, REPORT_COLUMN_PREFIX } from '../../model/source.ts';
import {
  type Changes,
  correctedFile,
  isChanged,
  issuesIn,
  spread,
  type WrongRow,
  withChanges,
  wrongRows,
} from '../../runs/correcting.ts';
import { Wide } from '../../runs/report/html/parts.tsx';
import { reasonOf } from '../../runs/report/remainder.ts';
import type { Reply } from '../web/visit.ts';
import { beginCheck } from './checking.tsx';
import type { PageRoute, PageVisit } from './page-context.ts';
import { ofRun } from './rows.tsx';
import { nameColumns } from './run-rows.ts';
import { runPath } from './runs.tsx';

export const correctRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/correct', role: 'operator', answer: ofRun(show) },
  { method: 'POST', path: '/runs/:id/correct', role: 'operator', answer: ofRun(change) },
];

export function correctPath(run: string, code: string | null): string {
  const query = code === null ? '' : `?code=${encodeURIComponent(code)}`;
  return runPath(run, `/correct${query}`);
}

/** A screen; with all columns fewer rows, so that a form stays small. */
const ROWS = 100;
const ROWS_IN_FULL = 10;
const COLUMNS = 6;

/** A row as it stands in the form. */
type Edited = {
  readonly wrong: WrongRow;
  readonly now: CellsRow;
  readonly issues: readonly Issue[];
  readonly isChanged: boolean;
};

type Screen = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly edited: readonly Edited[];
  readonly total: number;
  readonly next: number | null;
  /** Of the file, by their places. */
  readonly columns: readonly number[];
  readonly keyAt: number;
  readonly nameAt: number;
  readonly asked: AskedFor;
};

type AskedFor = { readonly code: string | null; readonly after: number; readonly isWhole: boolean };

async function show(run: Run, visit: PageVisit): Promise<Reply> {
  const screen = await screenOf(run, visit, visit.query, new Map());
  return typeof screen === 'string' ? notHere(run, screen) : shown(screen);
}

async function change(run: Run, visit: PageVisit): Promise<Reply> {
  const { form } = visit;
  const screen = await screenOf(run, visit, form, changesIn(form));
  if (typeof screen === 'string') return notHere(run, screen);
  return form.has('send') ? send(screen, visit) : shown(screen);
}

function notHere(run: Run, why: string): Reply {
  const body = (
    <>
      <h1>Correct rows</h1>
      <p>{why}</p>
      <p>
        <a href={runPath(run.id)}>Back to the run</a>
      </p>
    </>
  );
  return { kind: 'page', title: 'Correct rows', body };
}

/** `changes`: by row, as typed. A text: why nothing can be corrected here. */
async function screenOf(
  run: Run,
  { page: { ledger } }: PageVisit,
  asked: URLSearchParams,
  changes: ReadonlyMap<number, Changes>,
): Promise<Screen | string> {
  if (!isOver(run)) return 'The run is not over: its rows can be corrected once it is.';
  if (!isTable(run.source)) return 'Its file is JSON: correct failed.ndjson of its report.';
  const definition = await ledger.of(run.target).store.definition(run.id);
  if (definition === null) return 'The ledger no longer has the definition that its rows were read by.';
  const of = { code: asked.get('code') || null, isWhole: asked.has('all') };
  const after = Number(asked.get('after') ?? 0) || 0;
  const most = of.isWhole ? ROWS_IN_FULL : ROWS;
  const found = await wrongRows(run, { code: of.code, after, most }, ledger);
  if (found.rows.length === 0) return 'No open row of this run can be corrected here.';

  const mapping = mappingFor(definition, run.source);
  const [, row, at] = FIELD.exec(asked.get('same') ?? '') ?? [];
  const all = row === undefined ? changes : spread(found.rows, changes, { row: Number(row), at: Number(at) });
  const edited = editedRows(found.rows, all, { mapping, definition });
  const places = placesIn(run, definition, edited, of.isWhole);
  return {
    run,
    definition,
    edited,
    ...places,
    asked: { ...of, after },
    total: found.total,
    next: found.next,
  };
}

type Means = { readonly mapping: Mapping; readonly definition: JobDefinition };

function editedRows(
  rows: readonly WrongRow[],
  changes: ReadonlyMap<number, Changes>,
  { mapping, definition }: Means,
): readonly Edited[] {
  const now = rows.map(({ source }) => withChanges(source, changes.get(source.row) ?? NO_CHANGES));
  const issues = issuesIn(now, mapping, definition);
  return rows.map((wrong, i) => {
    const row = now[i] ?? wrong.source;
    return { wrong, now: row, issues: issues.get(row.row) ?? [], isChanged: isChanged(wrong, row) };
  });
}

const NO_CHANGES: Changes = new Map();

/** Which columns are shown: those at fault first; where none is known, the first of the file. */
function placesIn(run: Run, definition: JobDefinition, edited: readonly Edited[], isWhole: boolean) {
  const { columns } = run.source;
  const own = columns.flatMap((column, at) => (column.startsWith(REPORT_COLUMN_PREFIX) ? [] : [at]));
  const keyAt = columns.indexOf(definition.key ?? '');
  const named = nameColumns(definition).flat();
  const nameAt = columns.findIndex((column) => named.includes(column));
  const atFault = new Set(edited.flatMap(({ wrong, issues }) => faultsOf(wrong, issues)));
  const faulty = own.filter((at) => atFault.has(columns[at] ?? ''));
  const some = faulty.length > 0 ? faulty : own.filter((at) => at !== keyAt && at !== nameAt);
  return { keyAt, nameAt, columns: isWhole ? own : some.slice(0, COLUMNS) };
}

function faultsOf({ settlement }: WrongRow, issues: readonly Issue[]): readonly string[] {
  return [...settlement.issues, ...issues].flatMap(({ column }) => column ?? []);
}

/** Fields of the form are `c<row>.<column's place>`. */
function changesIn(form: URLSearchParams): ReadonlyMap<number, Changes> {
  const changes = new Map<number, Map<number, string>>();
  for (const [name, text] of form) {
    const [, row, at] = FIELD.exec(name) ?? [];
    if (row === undefined || at === undefined) continue;
    const own = changes.get(Number(row)) ?? new Map<number, string>();
    changes.set(Number(row), own.set(Number(at), text));
  }
  return changes;
}

const FIELD = /^c(\d{1,15})\.(\d{1,5})$/;

/** Of the changed rows those that can be sent, with the others of their key. */
function sendable({ edited, definition, run }: Screen): readonly WrongRow[] {
  const good = edited.filter((row) => row.isChanged && row.issues.length === 0);
  const mapping = mappingFor(definition, run.source);
  const keys = new Set(good.map(({ now }) => mapping.groupOf(now)));
  const isMeant = (row: Edited) =>
    good.includes(row) || (definition.group !== undefined && keys.has(mapping.groupOf(row.now)));
  return edited.filter(isMeant).map(({ wrong, now }) => ({ ...wrong, source: now }));
}

async function send(screen: Screen, visit: PageVisit): Promise<Reply> {
  const { run } = screen;
  const { page, visitor } = visit;
  const rows = sendable(screen);
  if (rows.length === 0) return shown(screen, 'No changed row can be sent yet: nothing was done.');
  const text = correctedFile(run, rows);
  const upload = await page.uploads.receive(`corrected-${run.id}.csv`, visitor.name, piecesOf(text));
  return { kind: 'redirect', to: await beginCheck(page, upload, run.job) };
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function shown(screen: Screen, problem?: string): Reply {
  const { run, edited, asked, total, next } = screen;
  const { length: ready } = sendable(screen);
  const body = (
    <>
      <h1>Correct rows</h1>
      <p>
        {`${countOf(total, 'open row')} of `}
        <a href={runPath(run.id)}>
          <Text of={run.job} /> {run.id}
        </a>
        . What is typed here is checked at once and kept nowhere before you send it.
      </p>
      {problem === undefined ? null : (
        <p role="status" class="bad">
          {problem}
        </p>
      )}
      <form method="post" action={runPath(run.id, '/correct')} data-preview data-grid>
        {asked.code === null ? null : <input type="hidden" name="code" value={asked.code} />}
        {asked.isWhole ? <input type="hidden" name="all" value="1" /> : null}
        <input type="hidden" name="after" value={String(asked.after)} />
        <Grid screen={screen} />
        <p class="acts">
          <button type="submit">Check</button>{' '}
          <button type="submit" name="send" value="1" class="go" disabled={ready === 0}>
            {ready === 0 ? 'Send the corrected rows' : `Send ${countOf(ready, 'corrected row')}…`}
          </button>{' '}
          <span role="status" class="dim">
            {stateWords(edited)}
          </span>
        </p>
      </form>
      <Further screen={screen} next={next} />
    </>
  );
  return { kind: 'page', title: 'Correct rows', body };
}

function stateWords(edited: readonly Edited[]): string {
  const changed = edited.filter((row) => row.isChanged);
  if (changed.length === 0) return 'Nothing is changed yet.';
  const wrong = changed.filter(({ issues }) => issues.length > 0).length;
  return wrong === 0 ? '' : `${countOf(wrong, 'changed row')} can't be sent yet.`;
}

function Further({ screen, next }: { readonly screen: Screen; readonly next: number | null }) {
  const { run, asked } = screen;
  const path = (over: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ ...(asked.code !== null && { code: asked.code }), ...over });
    return runPath(run.id, `/correct?${query}`);
  };
  const all = asked.isWhole ? { all: '1' } : {};
  return (
    <p>
      {asked.isWhole ? (
        <a href={path({ after: String(asked.after) })}>Only the columns at fault</a>
      ) : (
        <a href={path({ after: String(asked.after), all: '1' })}>
          All columns, {ROWS_IN_FULL} rows at a time
        </a>
      )}
      {next === null ? null : (
        <>
          {' '}
          · <a href={path({ ...all, after: String(next) })}>The rows after {numberShown(next)}</a>
        </>
      )}
    </p>
  );
}

function Grid({ screen }: { readonly screen: Screen }) {
  const { run, edited, columns, keyAt, nameAt } = screen;
  const shownAt = columns.filter((at) => at !== keyAt && at !== nameAt);
  const heads = shownAt.map((at) => run.source.columns[at] ?? '');
  return (
    <Wide name="Rows to correct">
      <table class="list grid">
        <thead>
          <tr>
            <th scope="col" class="n">
              row
            </th>
            <th scope="col">key</th>
            {nameAt === -1 ? null : (
              <th scope="col">
                <Text of={run.source.columns[nameAt] ?? ''} bytes={100} />
              </th>
            )}
            {heads.map((head) => (
              <th scope="col">
                <Text of={head} bytes={100} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {edited.map((row) => (
            <GridRow row={row} screen={screen} shownAt={shownAt} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

type GridRowProps = { readonly row: Edited; readonly screen: Screen; readonly shownAt: readonly number[] };

function GridRow({ row, screen, shownAt }: GridRowProps) {
  const { run, keyAt, nameAt } = screen;
  const { wrong, now } = row;
  const place = (at: number) => (
    <Cell row={row} at={at} column={run.source.columns[at] ?? ''} like={likeIt(screen.edited, row, at)} />
  );
  const isKeyWrong = KEY_FAULTS.has(wrong.settlement.code);
  return (
    <tr class={row.isChanged ? 'changed' : undefined}>
      <th scope="row" class="n">
        <a href={runPath(run.id, `/rows/${now.row}`)}>{numberShown(now.row)}</a>
      </th>
      <td>
        {isKeyWrong && keyAt !== -1 ? place(keyAt) : <Text of={wrong.settlement.key} bytes={120} />}
        <RowWords row={row} columns={run.source.columns} />
      </td>
      {nameAt === -1 ? null : <td>{place(nameAt)}</td>}
      {shownAt.map((at) => (
        <td>{place(at)}</td>
      ))}
    </tr>
  );
}

/** Elsewhere the key says which row it is. */
const KEY_FAULTS: ReadonlySet<string> = new Set(['duplicate_key', 'key_alike', 'empty_key', 'totals_row']);

/** What is wrong with no single cell. */
function RowWords({ row, columns }: { readonly row: Edited; readonly columns: readonly string[] }) {
  const { wrong, issues, isChanged: isNow } = row;
  const ofRow = issues.filter(({ column }) => column === null || !columns.includes(column)).map(issueWords);
  const isSaid = wrong.settlement.issues.length === 0 && !isNow;
  const said = isSaid ? [reasonOf(wrong) || messageOf(wrong.settlement)] : [];
  const words = [...said, ...ofRow];
  return (
    <>
      {words.map((one) => (
        <small class="bad">
          <Text of={one} bytes={300} />
        </small>
      ))}
    </>
  );
}

type CellProps = {
  readonly row: Edited;
  readonly at: number;
  readonly column: string;
  /** Other rows that said the same there, and still do. */
  readonly like: number;
};

function likeIt(edited: readonly Edited[], { wrong, now }: Edited, at: number): number {
  const before = wrong.source.cells[at];
  if (now.cells[at] === before) return 0;
  return edited.filter((one) => one.wrong.source.cells[at] === before && one.now.cells[at] === before).length;
}

function Cell({ row: { wrong, now, issues }, at, column, like }: CellProps) {
  const value = now.cells[at] ?? '';
  // A field of one line would lose them.
  if (/[\r\n]/.test(wrong.source.cells[at] ?? '')) return <Text of={value} bytes={300} />;
  const own = issues.filter((issue) => issue.column === column);
  const name = `c${now.row}.${at}`;
  const isNew = value !== wrong.source.cells[at];
  return (
    <>
      <span class="of" aria-hidden="true">
        <Text of={column} bytes={100} />
      </span>
      <input
        name={name}
        value={value}
        autocomplete="off"
        spellcheck={false}
        class={isNew ? 'changed' : undefined}
        aria-label={`${column} of row ${now.row}`}
        aria-invalid={own.length > 0 ? 'true' : undefined}
        aria-describedby={own.length > 0 ? `w${name}` : undefined}
      />
      {like === 0 ? null : (
        <button type="submit" name="same" value={name}>
          {`The same for ${countOf(like, 'more row')} like it`}
        </button>
      )}
      {own.length === 0 ? null : (
        <small class="bad" id={`w${name}`}>
          <Text of={own.map(issueWords).join('; ').replace(`column "${column}": `, '')} bytes={300} />
        </small>
      )}
    </>
  );
}
