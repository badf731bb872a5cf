/**
 * Rows of a run, corrected where they are seen: the key, the name and the columns at fault, each
 * change checked at once, and those that can be sent become a file with their origins, which goes
 * the way of every upload. What is typed is kept nowhere until then.
 */
import type { JobDefinition } from '../../config/job-definition.ts';
import { mappingFor } from '../../delivery/run-mapping.ts';
import { Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { CHECK_CODES, type Issue, type RightCell, rightCell } from '../../model/issue.ts';
import { identityOfKey } from '../../model/key-form.ts';
import type { FileMapping } from '../../model/mapping.ts';
import type { CellsRow, Row } from '../../model/row.ts';
import { isOver, type Run } from '../../model/run.ts';
import { issueWords, messageOf } from '../../model/sentence.ts';
import { isTable, REPORT_COLUMN_PREFIX } from '../../model/source.ts';
import {
  type Changes,
  correctedFile,
  correctedRow,
  isChanged,
  issuesIn,
  spread,
  type WrongRow,
  withChanges,
  wrongRows,
} from '../../runs/correcting.ts';
import { Wide } from '../../runs/report/html/parts.tsx';
import { type RemainderRow, reasonOf } from '../../runs/report/remainder.ts';
import type { Reply } from '../web/visit.ts';
import { askFor, told, WHY_CHARACTERS } from './acting.tsx';
import { beginCheck } from './checking.tsx';
import type { PageRoute, PageVisit } from './page-context.ts';
import { ofRun } from './rows.tsx';
import { nameColumns } from './run-rows.ts';
import { runPath } from './runs.tsx';

export const correctRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/correct', role: 'operator', answer: ofRun(show) },
  {
    method: 'POST',
    path: '/runs/:id/correct',
    role: 'operator',
    formBytes: 1024 * 1024,
    answer: ofRun(change),
  },
];

export function correctPath(run: string, code: string | null): string {
  const query = code === null ? '' : `?code=${encodeURIComponent(code)}`;
  return runPath(run, `/correct${query}`);
}

/** A screen; with all columns fewer rows, so that a form stays small. */
const ROWS = 200;
const ROWS_IN_FULL = 10;
const COLUMNS = 6;

/** A row as it stands in the form. */
type Edited = {
  readonly wrong: WrongRow;
  readonly now: CellsRow;
  /** As it would be loaded. */
  readonly row: Row;
  /** But for those of cells that are ticked as right. */
  readonly issues: readonly Issue[];
  readonly isChanged: boolean;
  /** Of cells that only look damaged; none where something of its request is changed. */
  readonly doubtful: readonly Doubtful[];
};

/** `name`: of its tick. */
type Doubtful = {
  readonly name: string;
  readonly at: number;
  readonly issue: Issue;
  readonly isRight: boolean;
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

type AskedFor = {
  readonly code: string | null;
  readonly after: number;
  readonly isWhole: boolean;
  /** How somebody knows that cells are right. */
  readonly why: string;
};

async function show(run: Run, visit: PageVisit): Promise<Reply> {
  const screen = await screenOf(run, visit, visit.query, new Map());
  return typeof screen === 'string' ? notHere(run, screen) : shown(screen);
}

async function change(run: Run, visit: PageVisit): Promise<Reply> {
  const { form } = visit;
  const screen = await screenOf(run, visit, form, changesIn(form));
  if (typeof screen === 'string') return notHere(run, screen);
  if (form.get('send') === 'right') return sendRight(screen, visit);
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
  const definition = await ledger.of(run.target).store.definition(run.id);
  if (definition === null) return 'The ledger no longer has the definition that its rows were read by.';
  const of = { code: asked.get('code') || null, isWhole: asked.has('all') };
  const after = Number(asked.get('after') ?? 0) || 0;
  const most = of.isWhole ? ROWS_IN_FULL : ROWS;
  const { group, keyForm } = definition;
  const identityOf = group === undefined ? null : (key: string) => identityOfKey(key, keyForm);
  const found = await wrongRows(run, { code: of.code, after, most, identityOf }, ledger);
  if (found.rows.length === 0)
    return 'No open row of this run can be corrected here: rows in doubt are settled, and lines that are no rows are corrected in failed.csv.';

  const mapping = mappingFor(definition, run.source);
  const [, row, at] = FIELD.exec(asked.get('same') ?? '') ?? [];
  const all = row === undefined ? changes : spread(found.rows, changes, { row: Number(row), at: Number(at) });
  const ticked = new Set(asked.getAll('right'));
  const edited = editedRows(found.rows, all, { mapping, definition, run, ticked, alike: asked.get('alike') });
  const places = placesIn(run, definition, edited, of.isWhole);
  return {
    run,
    definition,
    edited,
    ...places,
    asked: { ...of, after, why: asked.get('why') ?? '' },
    total: found.total,
    next: found.next,
  };
}

type Means = {
  readonly mapping: FileMapping;
  readonly definition: JobDefinition;
  readonly run: Run;
  readonly ticked: ReadonlySet<string>;
  /** The code of which all cells are ticked. */
  readonly alike: string | null;
};

function editedRows(
  rows: readonly WrongRow[],
  changes: ReadonlyMap<number, Changes>,
  means: Means,
): readonly Edited[] {
  const { mapping, definition, run } = means;
  const now = rows.map(({ source }) => withChanges(source, changes.get(source.row) ?? NO_CHANGES));
  const loaded = rows.map((wrong, i) => correctedRow(wrong, now[i] ?? wrong.source, run.source));
  const found = issuesIn(loaded, mapping, definition);
  const edited = rows.map((wrong, i) => {
    const cells = now[i] ?? wrong.source;
    const own = { issues: found.get(cells.row) ?? [], isChanged: isChanged(wrong, cells), doubtful: [] };
    return { wrong, now: cells, row: loaded[i] ?? cells, ...own };
  });
  return withTicks(edited, means);
}

/** Beside a lifted finding another one of the same cell may come up, to be ticked by itself. */
function withTicks(rows: readonly Edited[], means: Means): readonly Edited[] {
  const { mapping, definition, ticked, alike } = means;
  const requestOf = ({ row }: Edited) => (definition.group === undefined ? null : mapping.groupOf(row));
  const changed = rows.filter((row) => row.isChanged);
  const touched = new Set<unknown>(changed.flatMap((row) => [row.wrong, requestOf(row) ?? row.wrong]));
  const doubtfulIn = (row: Edited) =>
    touched.has(row.wrong) || touched.has(requestOf(row)) ? [] : doubtfulCells(row, means);
  const first = rows.map(doubtfulIn);
  const isMeant = ({ name, issue }: Doubtful) => ticked.has(name) || issue.code === alike;
  const meant = first.flatMap((own) => own.filter(isMeant));
  if (meant.length === 0) return rows.map((row, i) => ({ ...row, doubtful: first[i] ?? [] }));
  const right = new Set(meant.map(({ issue }) => `${issue.row} ${issue.code} ${issue.value}`));
  const lifted = mapping.lifting(({ row, code, value }) => right.has(`${row} ${code} ${value}`));
  const issues = issuesIn(
    rows.map(({ row }) => row),
    lifted,
    definition,
  );
  return rows.map((row, i) => {
    const own = { ...row, issues: issues.get(row.now.row) ?? [] };
    const said = (first[i] ?? []).filter(isMeant).map((one) => ({ ...one, isRight: true }));
    return { ...own, doubtful: [...said, ...doubtfulIn(own)] };
  });
}

function doubtfulCells(row: Edited, { run }: Pick<Means, 'run'>): readonly Doubtful[] {
  const { wrong, now, issues } = row;
  if (wrong.settlement.outcome !== 'invalid') return [];
  return issues.flatMap((issue) => {
    const at = run.source.columns.indexOf(issue.column ?? '');
    // What several cells are together made of is no cell that somebody can look at.
    const isCell = checkOf(issue) !== undefined && at !== -1 && issue.value === now.cells[at];
    return isCell ? [{ name: `${now.row}.${at}.${issue.code}`, at, issue, isRight: false }] : [];
  });
}

function checkOf({ code }: Issue) {
  return CHECK_CODES.find((one) => one === code);
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
function sendable(screen: Screen): readonly RemainderRow[] {
  return wholeGroups(screen, (row) => row.isChanged).map(({ wrong, row }) => ({ ...wrong, source: row }));
}

/** Of the rows without a change those that can be sent since their ticked cells are right. */
function rightRows(screen: Screen): readonly Edited[] {
  return wholeGroups(screen, (row) => row.doubtful.some(({ isRight }) => isRight));
}

function wholeGroups({ edited, definition, run }: Screen, isMeant: (row: Edited) => boolean) {
  const good = edited.filter((row) => isMeant(row) && row.issues.length === 0);
  if (definition.group === undefined) return good;
  const mapping = mappingFor(definition, run.source);
  const keys = new Set(good.map(({ row }) => mapping.groupOf(row)));
  return edited.filter(({ row }) => keys.has(mapping.groupOf(row)));
}

async function send(screen: Screen, visit: PageVisit): Promise<Reply> {
  const { run } = screen;
  const { page, visitor } = visit;
  const rows = sendable(screen);
  if (rows.length === 0) return shown(screen, 'No changed row can be sent yet: nothing was done.');
  const text = correctedFile(run, rows);
  const name = `corrected-${run.id}.${isTable(run.source) ? 'csv' : 'ndjson'}`;
  const upload = await page.uploads.receive(name, visitor.name, piecesOf(text));
  return { kind: 'redirect', to: await beginCheck(page, upload, run.job) };
}

/** As they stand, as a re-run that knows which of their cells are right. */
async function sendRight(screen: Screen, visit: PageVisit): Promise<Reply> {
  const { run, asked } = screen;
  const rows = rightRows(screen);
  const why = asked.why.trim().slice(0, WHY_CHARACTERS);
  if (rows.length === 0) return shown(screen, 'No row can be sent as it stands yet: nothing was done.');
  if (why === '') return shown(screen, 'Say how you know that the cells are right: nothing was done.');
  const { digest } = visit.page.ledger.of(run.target).keys.sealing;
  const cells = rows.flatMap(({ doubtful }) =>
    doubtful.flatMap(({ issue, isRight }): RightCell[] => {
      const code = checkOf(issue);
      return isRight && code !== undefined ? [rightCell(issue.row, code, issue.value ?? '', digest)] : [];
    }),
  );
  const numbers = rows.map(({ now }) => now.row);
  const answer = await askFor(visit, { kind: 'right', run: run.id, rows: numbers, cells, why });
  return told(answer, runPath(run.id));
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
        . What is typed here is checked at once and kept nowhere before you send it. What only looks damaged
        can be ticked as right, in rows that you change nowhere.
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
        <AllAlike edited={edited} />
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
        <SendRight screen={screen} />
      </form>
      <Further screen={screen} next={next} />
    </>
  );
  return { kind: 'page', title: 'Correct rows', body };
}

/** Where more than one cell looks damaged in the same way. */
function AllAlike({ edited }: Pick<Screen, 'edited'>) {
  const open = edited.flatMap(({ doubtful }) => doubtful.filter(({ isRight }) => !isRight));
  const counts = CHECK_CODES.map((code) => [code, open.filter(({ issue }) => issue.code === code).length]);
  return (
    <p class="acts">
      {counts
        .filter(([, count]) => Number(count) > 1)
        .map(([code, count]) => (
          <button
            type="submit"
            name="alike"
            value={String(code)}
          >{`These ${count} are right: ${code}`}</button>
        ))}
    </p>
  );
}

function SendRight({ screen }: { readonly screen: Screen }) {
  const { length: ready } = rightRows(screen);
  if (!screen.edited.some(({ doubtful }) => doubtful.some(({ isRight }) => isRight))) return null;
  return (
    <p class="acts">
      <label>
        How you know that the ticked cells are right{' '}
        <input name="why" value={screen.asked.why} maxlength={WHY_CHARACTERS} size={40} />
      </label>{' '}
      <button type="submit" name="send" value="right" class="go" disabled={ready === 0}>
        {ready === 0 ? 'Send the rows as they stand' : `Send ${countOf(ready, 'row')} as they stand`}
      </button>
    </p>
  );
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

function Cell({ row: { wrong, now, issues, doubtful }, at, column, like }: CellProps) {
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
      {doubtful
        .filter((one) => one.at === at)
        .map(({ name: tick, isRight, issue }) => (
          <label class="right">
            <input
              type="checkbox"
              name="right"
              value={tick}
              checked={isRight}
              aria-label={`${column} of row ${now.row} is right: ${issue.code}`}
            />{' '}
            it is right <small class="dim mono">{issue.code}</small>
          </label>
        ))}
    </>
  );
}
