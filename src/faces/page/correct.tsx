/**
 * Rows of a run, corrected where they are seen: the key, the name and the columns at fault, each
 * change checked at once, and those that can be sent become a file with their origins, which goes
 * the way of every upload. What is typed is kept nowhere until then.
 */
import { columnsOf, type JobDefinition } from '../../config/job-definition.ts';
import { mappingFor } from '../../delivery/run-mapping.ts';
import { Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { CHECK_CODES, type Issue, type RightCell, rightCell } from '../../model/issue.ts';
import { identityOfKey } from '../../model/key-form.ts';
import type { FileMapping } from '../../model/mapping.ts';
import { isOver, type Run } from '../../model/run.ts';
import { isTable, REPORT_COLUMN_PREFIX } from '../../model/source.ts';
import { isUpsert, spaceOf } from '../../operations/operations.ts';
import {
  type Changes,
  correctedFile,
  correctedRow,
  isChanged,
  issuesIn,
  rowOf,
  spread,
  type WrongRow,
  withChanges,
  wrongRows,
} from '../../runs/correcting.ts';
import { HELD_CODES } from '../../runs/held-accounts.ts';
import type { RemainderRow } from '../../runs/report/remainder.ts';
import type { Reply } from '../web/visit.ts';
import { askFor, told, WHY_CHARACTERS } from './acting.tsx';
import { beginCheck } from './checking.tsx';
import {
  AllAlike,
  type Doubtful,
  type Edited,
  Grid,
  likenessOf,
  restTick,
  type Screen,
  textTick,
  tornRows,
} from './correct-grid.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { ofRun } from './rows.tsx';
import { knownIn, nameColumns } from './run-rows.ts';
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
  visit: PageVisit,
  asked: URLSearchParams,
  changes: ReadonlyMap<number, Changes>,
): Promise<Screen | string> {
  const { page } = visit;
  const { ledger } = page;
  if (!isOver(run)) return 'The run is not over: its rows can be corrected once it is.';
  const definition = await ledger.of(run.target).store.definition(run.id);
  if (definition === null) return 'The ledger no longer has the definition that its rows were read by.';
  const code = asked.get('code') || null;
  const of = { code, isWhole: asked.has('all') || code === UNREAD };
  const after = Number(asked.get('after') ?? 0) || 0;
  const most = of.isWhole ? ROWS_IN_FULL : ROWS;
  const { group, keyForm } = definition;
  const identityOf = group === undefined ? null : (key: string) => identityOfKey(key, keyForm);
  const asking = { code, after, most, identityOf };
  const found = await wrongRows(run, asking, await page.openRowsOf(run), ledger);
  // Of a line that could not be read each cell has to be looked at.
  const isShown = ({ unread }: WrongRow) => of.isWhole || unread === null;
  const rows = found.rows.filter(isShown);
  if (found.rows.length === 0)
    return 'No open row of this run can be corrected here: rows in doubt are settled, and what is no record at all is corrected in the file to correct.';

  if (rows.length === 0) return screenOf(run, visit, ofCode(asked, UNREAD), changes);

  const mapping = mappingFor(definition, run.source);
  const [, row, at] = FIELD.exec(asked.get('same') ?? '') ?? [];
  const all = row === undefined ? changes : spread(rows, changes, { row: Number(row), at: Number(at) });
  const ticked = new Set(['right', 'read', 'text'].flatMap((name) => asked.getAll(name)));
  const edited = editedRows(rows, all, { mapping, definition, run, ticked, alike: asked.get('alike') });
  const columns = await columnsNamed(page, { run, definition, code });
  const places = placesIn(run, definition, edited, { isWhole: of.isWhole, columns });
  return {
    run,
    definition,
    edited: await withKeyClashes(edited, { page, run, definition, keyAt: places.keyAt }),
    ...places,
    asked: { ...of, after, why: asked.get('why') ?? '' },
    total: found.total,
    unread: found.rows.filter((row) => !isShown(row) && row.part === 0).length,
    next: found.next,
  };
}

const UNREAD = 'unreadable_row';

type OfCode = { readonly run: Run; readonly definition: JobDefinition; readonly code: string | null };

/** That no cell's own finding tells: the service named their fields, or the guard looks at them. */
async function columnsNamed(page: PageContext, { run, definition, code }: OfCode) {
  const isHeld = HELD_CODES.some((one) => one === code);
  const accounts = isHeld ? accountColumns(definition, run.source.columns) : [];
  const { causes } = await page.digests(run);
  const named = causes.filter((one) => code === null || one.code === code);
  return new Set([...accounts, ...named.flatMap((one) => one.columns)]);
}

function accountColumns({ fields }: JobDefinition, columns: readonly string[]): readonly string[] {
  const isAccount = (path: string) => /^accounts[.[]/.test(path);
  const mapped = Object.entries(fields).flatMap(([path, from]) => (isAccount(path) ? columnsOf(from) : []));
  return [...mapped, ...columns.filter(isAccount)];
}

function ofCode(asked: URLSearchParams, code: string): URLSearchParams {
  const own = new URLSearchParams(asked);
  own.set('code', code);
  return own;
}

type KeysOf = {
  readonly page: PageContext;
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly keyAt: number;
};

/** A key that was typed here may be another record's: that is said at once. */
async function withKeyClashes(
  rows: readonly Edited[],
  { page, run, definition, keyAt }: KeysOf,
): Promise<readonly Edited[]> {
  const space = spaceOf(run.operation);
  const typed = rows.filter((row) => isKeyTyped(row, keyAt));
  const updates = isUpsert(run.operation) || definition.onKnownKey === 'update';
  if (space === null || updates || typed.length === 0) return rows;
  const { redis, of } = page.ledger;
  const own = { redis, keys: of(run.target).keys };
  const keyOf = ({ now }: Edited) => identityOfKey(now.cells[keyAt] ?? '', definition.keyForm);
  const clashes = typed.map(async (row): Promise<readonly [Edited, Issue[]]> => {
    const states = await knownIn(own, row.now.cells[keyAt] ?? '', [space]);
    const known = states.find(({ kind }) => kind !== 'given-back');
    const here = rows.find((one) => one !== row && keyOf(one) === keyOf(row));
    const other = here?.now.row ?? known?.row;
    const where = here === undefined && known?.run !== run.id ? ` of run ${known?.run}` : '';
    const { row: number, line } = row.now;
    const column = run.source.columns[keyAt] ?? null;
    const expected = `a key that no other record has, but row ${other}${where} has this one`;
    const clash = { row: number, line, column, value: null, expected, code: 'key_known' as const };
    return [row, other === undefined ? [] : [clash]];
  });
  const found = new Map(await Promise.all(clashes));
  return rows.map((row) => ({ ...row, issues: [...row.issues, ...(found.get(row) ?? [])] }));
}

function isKeyTyped({ wrong, now, isChanged }: Edited, keyAt: number): boolean {
  const key = now.cells[keyAt] ?? '';
  if (key === '') return false;
  return wrong.unread === null ? key !== wrong.source.cells[keyAt] : isChanged;
}

type Means = {
  readonly mapping: FileMapping;
  readonly definition: JobDefinition;
  readonly run: Run;
  /** Names of cells that are right or text, and of unreadable rows whose cells are read right. */
  readonly ticked: ReadonlySet<string>;
  /** What the cells that are ticked by one button have in common. */
  readonly alike: string | null;
};

function editedRows(
  rows: readonly WrongRow[],
  changes: ReadonlyMap<number, Changes>,
  means: Means,
): readonly Edited[] {
  const { mapping, definition, run } = means;
  const corrected = rows.map((wrong) => {
    const { row: number, cells } = wrong.source;
    const texts = new Set(cells.flatMap((_, at) => (means.ticked.has(textTick(number, at)) ? [at] : [])));
    const now = withChanges(wrong.source, changes.get(number) ?? NO_CHANGES, texts);
    const isRead = means.ticked.has(String(now.row));
    const row = isRead ? now : (wrong.unread ?? correctedRow(wrong, now, run.source));
    const isRestNone = means.ticked.has(restTick(rowOf(wrong)));
    return { wrong, now, row, isRestNone, isChanged: wrong.unread === null ? isChanged(wrong, now) : isRead };
  });
  const found = issuesIn(
    corrected.map(({ row }) => row),
    mapping,
    definition,
  );
  const edited = corrected.map((one) => ({ ...one, issues: found.get(one.now.row) ?? [], doubtful: [] }));
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
  const isMeant = ({ name, issue }: Doubtful) => ticked.has(name) || likenessOf(issue) === alike;
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
function placesIn(
  run: Run,
  definition: JobDefinition,
  edited: readonly Edited[],
  /** `columns`: behind the fields that the service names. */
  asked: { readonly isWhole: boolean; readonly columns: ReadonlySet<string> },
) {
  const { columns } = run.source;
  const all = columns.flatMap((column, at) => (column.startsWith(REPORT_COLUMN_PREFIX) ? [] : [at]));
  const keyAt = columns.indexOf(definition.key ?? '');
  const named = nameColumns(definition).flat();
  const nameAt = columns.findIndex((column) => named.includes(column));
  const own = new Set(edited.flatMap(({ wrong, issues }) => faultsOf(wrong, issues)));
  const isAtFault = (at: number) => own.has(columns[at] ?? '') || asked.columns.has(columns[at] ?? '');
  const others = all.filter((at) => at !== keyAt && at !== nameAt);
  const faulty = others.filter(isAtFault);
  const some = faulty.length > 0 ? faulty : others;
  return { keyAt, nameAt, columns: asked.isWhole ? all : some.slice(0, COLUMNS) };
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
  const torn = tornRows(edited);
  const isWhole = ({ wrong }: Edited) => wrong.unread === null || !torn.has(rowOf(wrong));
  const good = edited.filter((row) => isMeant(row) && row.issues.length === 0 && isWhole(row));
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
      {screen.unread === 0 ? null : (
        <p>
          <a href={correctPath(run.id, UNREAD)}>
            {`${countOf(screen.unread, 'row')} that could not be read`}
          </a>
          : corrected apart, with all cells.
        </p>
      )}
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
      </button>{' '}
      {screen.edited.some((row) => row.isChanged) ? (
        <span class="t-doubt">
          ! They go by themselves, and what is typed here is not kept: send the corrected rows first.
        </span>
      ) : null}
    </p>
  );
}

function stateWords(edited: readonly Edited[]): string {
  const changed = edited.filter((row) => row.isChanged);
  if (changed.length === 0) return 'Nothing is changed yet.';
  const torn = tornRows(edited);
  const isTorn = ({ wrong }: Edited) => wrong.unread !== null && torn.has(rowOf(wrong));
  const wrong = changed.filter((row) => row.issues.length > 0 || isTorn(row)).length;
  return wrong === 0 ? '' : `${countOf(wrong, 'changed row')} can't be sent yet.`;
}

function Further({ screen, next }: { readonly screen: Screen; readonly next: number | null }) {
  const { run, asked } = screen;
  const path = (over: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ ...(asked.code !== null && { code: asked.code }), ...over });
    return runPath(run.id, `/correct?${query}`);
  };
  const all = asked.isWhole ? { all: '1' } : {};
  const after = String(asked.after);
  const otherwise = asked.isWhole
    ? { to: path({ after }), words: 'Only the columns at fault' }
    : { to: path({ after, all: '1' }), words: `All columns, ${ROWS_IN_FULL} rows at a time` };
  return (
    <p>
      {asked.code === UNREAD ? null : <a href={otherwise.to}>{otherwise.words}</a>}
      {next === null ? null : (
        <>
          {' '}
          · <a href={path({ ...all, after: String(next) })}>The rows after {numberShown(next)}</a>
        </>
      )}
    </p>
  );
}
