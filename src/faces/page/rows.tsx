/**
 * The rows of a run, 50 a page: of an outcome or a cause, or found by number, key or any text. The
 * address holds all that is shown, so that it can be sent to somebody; the same list comes as a CSV
 * file.
 */
import { basename } from 'node:path';
import { cut, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { OUTCOMES, type Outcome } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { Dot, kindWords, Table, Time } from '../../runs/report/html/parts.tsx';
import { runOf } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Empty } from '../web/words.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import {
  csvOf,
  type ListedRow,
  lookDirectly,
  nextRows,
  openSearch,
  type RowsAsked,
  type Search,
} from './row-search.ts';
import { type KnownKey, namesOf, rowNumber } from './run-rows.ts';
import { runPath, SandboxBadge, withQuery } from './runs.tsx';

export const rowsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/rows', role: 'viewer', answer },
  { method: 'GET', path: '/runs/:id/rows.csv', role: 'viewer', answer: download },
];

export const NO_RUN: Reply = { kind: 'missing', words: 'There is no such run in the ledger.' };

/** For pages of `/runs/:id`. */
export function ofRun(show: (run: Run, visit: PageVisit) => Promise<Reply>) {
  return async (visit: PageVisit): Promise<Reply> => {
    const run = await runOf(visit.page.ledger, visit.params.id ?? '');
    return run === null ? NO_RUN : show(run, visit);
  };
}

const MOST_CHARACTERS = 200;

async function answer(visit: PageVisit): Promise<Reply> {
  const { page, visitor } = visit;
  const search = await openSearch(page, { asked: askedIn(visit), visitor, digestOf: page.digests });
  if (search === null) return NO_RUN;
  const found = await findRows(page, search);
  const named = visitor.role === 'operator' ? found.rows.map(({ row }) => row) : [];
  const body = <Rows search={search} found={found} names={await namesOf(search, named)} />;
  return { kind: 'page', title: `Rows of ${search.run.id}`, body };
}

/** `isDirect`: the text is a row's number or a known key. */
async function findRows({ turnOf, clock }: PageContext, search: Search) {
  const { text, isLiteral } = search.asked;
  const direct = text === '' || isLiteral ? null : await lookDirectly(search);
  if (direct !== null) return { ...direct, next: null, stoppedAt: null, isDirect: true };
  const mine = turnOf(search.visitor.name);
  const found = await nextRows(search, () => mine.aborted, clock.now);
  return { ...found, keys: [], isDirect: false };
}

async function download(visit: PageVisit): Promise<Reply> {
  const { page, visitor } = visit;
  const asked = { ...askedIn(visit), after: 0 };
  const search = await openSearch(page, { asked, visitor, digestOf: page.digests });
  if (search === null) return NO_RUN;
  const body = csvOf(search, page.turnOf(visitor.name));
  return { kind: 'download', name: `rows-${asked.run}.csv`, type: 'text/csv; charset=utf-8', body };
}

function askedIn({ params, query }: PageVisit): RowsAsked {
  const outcome = query.get('outcome');
  return {
    run: params.id ?? '',
    outcome: OUTCOMES.find((one) => one === outcome) ?? null,
    cause: query.get('cause') || null,
    text: (query.get('q') ?? '').trim().slice(0, MOST_CHARACTERS),
    after: rowNumber(query.get('after') ?? '') ?? 0,
    isLiteral: query.get('in') === 'text',
  };
}

function addressOf(asked: RowsAsked, change: Partial<RowsAsked> = {}, path = 'rows'): string {
  const { run, outcome, cause, text, after, isLiteral } = { ...asked, after: 0, ...change };
  const where = isLiteral && text !== '' ? 'text' : null;
  return withQuery(runPath(run, `/${path}`), { outcome, cause, q: text, in: where, after });
}

export function rowPath(run: string, row: number): string {
  return runPath(run, `/rows/${row}`);
}

type Props = { readonly search: Search; readonly found: Awaited<ReturnType<typeof findRows>> };
type Names = Awaited<ReturnType<typeof namesOf>>;

function Rows({ search, found, names }: Props & { readonly names: Names }) {
  const { run, asked } = search;
  const { rows, next, keys, isDirect } = found;
  return (
    <>
      <RunTitle run={run} here="rows" />
      <Filters search={search} />
      <Keys keys={keys} />
      {rows.length === 0 ? (
        <Nothing search={search} found={found} />
      ) : (
        <RowTable run={run.id} rows={rows} names={names} />
      )}
      <Stopped search={search} found={found} />
      <p class="pager">
        {rows.length > 0 && isDirect ? literally(asked) : null}
        {asked.after > 0 ? <a href={addressOf(asked)}>First page</a> : null}
        {next === null ? null : (
          <a href={addressOf(asked, { after: next })} rel="next">
            {`After row ${numberShown(next)}`}
          </a>
        )}
        {rows.length === 0 || isDirect ? null : (
          <a href={addressOf(asked, {}, 'rows.csv')}>This list as CSV</a>
        )}
      </p>
    </>
  );
}

export function RunTitle({
  run,
  here,
}: {
  readonly run: Run;
  readonly here: 'run' | 'rows' | 'doubts' | 'row';
}) {
  const doubts = run.outcomes['in-doubt'];
  const tabs = [
    ['run', '', `Run ${run.id}`],
    ['rows', '/rows', `Rows (${numberShown(run.rows)})`],
    ...(doubts === 0 && here !== 'doubts'
      ? []
      : [['doubts', '/doubts', `In doubt (${numberShown(doubts)})`]]),
  ];
  return (
    <>
      <h1>
        <SandboxBadge target={run.target} /> <Text of={run.job} /> · <Text of={basename(run.file)} />
      </h1>
      {run.purged === undefined ? null : (
        <p class="notice">
          {`Its cells, keys and messages were ${run.purged.isDone ? '' : 'being '}purged by `}
          <Text of={run.purged.by} />, <Time at={run.purged.at} />.
        </p>
      )}
      <nav class="tabs" aria-label="Of this run">
        {tabs.map(([place, under, words]) => (
          <a href={runPath(run.id, under)} aria-current={here === place ? 'page' : undefined}>
            {words}
          </a>
        ))}
      </nav>
    </>
  );
}

const CAUSE_BYTES = 80;

function Filters({ search: { asked, run, digest } }: Pick<Props, 'search'>) {
  const present = OUTCOMES.filter((outcome) => run.outcomes[outcome] > 0 || asked.outcome === outcome);
  const causes = digest?.causes ?? [];
  return (
    <form method="get" action={addressOf({ ...asked, outcome: null, cause: null, text: '' })} class="filters">
      <label>
        Row number, key or text{' '}
        <input type="search" name="q" value={asked.text} maxlength={MOST_CHARACTERS} />
      </label>
      <label>
        Outcome{' '}
        <select name="outcome">
          <option value="">any</option>
          {present.map((outcome) => (
            <option value={outcome} selected={asked.outcome === outcome}>
              {`${kindWords(outcome)} (${numberShown(run.outcomes[outcome])})`}
            </option>
          ))}
        </select>
      </label>
      {causes.length === 0 ? null : (
        <label>
          Cause{' '}
          <select name="cause">
            <option value="">any</option>
            {causes.map(({ id, text, code, count }) => (
              <option value={id} selected={asked.cause === id}>
                {`${numberShown(count)} × ${cut(text || code, CAUSE_BYTES)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="submit">Show</button>
    </form>
  );
}

/** Where else the key is known. */
function Keys({ keys }: { readonly keys: readonly KnownKey[] }) {
  if (keys.length === 0) return null;
  return (
    <ul class="notice plain">
      {keys.map((key) => (
        <li>
          {`As the key of a ${key.space} it `}
          <Knows of={key} />
        </li>
      ))}
    </ul>
  );
}

/** `is at the service, as sub-1: row 3 of run x`. */
export function Knows({ of }: { readonly of: KnownKey }) {
  return (
    <>
      {knownWords(of)}
      {of.kind !== 'known' || of.id === '' ? null : (
        <>
          , as <Id of={of.id} />
        </>
      )}
      {': '}
      <a href={rowPath(of.run, of.row)}>{`row ${numberShown(of.row)} of run ${of.run}`}</a>
    </>
  );
}

function knownWords(key: KnownKey): string {
  switch (key.kind) {
    case 'known':
      return 'is at the service';
    case 'held':
      return `is claimed by a row ${key.inDoubt ? 'in doubt' : 'that is not done yet'}`;
    case 'given-back':
      return 'was claimed by a row that came to nothing';
    default:
      return key satisfies never;
  }
}

function literally(asked: RowsAsked) {
  return <a href={addressOf(asked, { isLiteral: true })}>Look for this text in every row</a>;
}

function Nothing({ search: { asked, cause }, found: { stoppedAt, isDirect } }: Props) {
  if (stoppedAt !== null) return null;
  return (
    <Empty>
      {asked.cause !== null && cause === null
        ? 'The run has no such cause, or its causes are not counted yet. '
        : 'No row of this run is like that. '}
      {asked.text === ''
        ? null
        : 'Of rows that succeeded only number, key and id are looked through: their cells are not kept. '}
      {isDirect ? literally(asked) : null}
    </Empty>
  );
}

function Stopped({ search: { asked, run }, found: { stoppedAt } }: Props) {
  if (stoppedAt === null) return null;
  return (
    <p class="notice" role="status">
      {`Looked through ${numberShown(stoppedAt)} of ${countOf(run.rows, 'row')} so far. `}
      <a href={addressOf(asked, { after: stoppedAt })}>{`Look on from row ${numberShown(stoppedAt + 1)}`}</a>
    </p>
  );
}

type RowTableProps = {
  readonly run: string;
  readonly rows: readonly ListedRow[];
  readonly names: Names;
};

function RowTable({ run, rows, names }: RowTableProps) {
  const named = namesShown(names);
  return (
    <Table
      name="Rows"
      class="list rows"
      heads={[{ n: 'Row' }, 'Key', ...named.heads, 'Outcome', 'What was said']}
      rows={rows.map(({ row, settlement, words }) => [
        <a href={rowPath(run, row)}>{numberShown(row)}</a>,
        <Text of={settlement?.key ?? ''} bytes={120} />,
        ...named.cells(row),
        <OutcomeMark of={settlement?.outcome ?? 'pending'} />,
        <>
          <Id of={settlement?.id ?? ''} /> <Text of={words} /> <small class="dim">{settlement?.code}</small>
        </>,
      ])}
    />
  );
}

/** A column of a table of rows; none where no name is known. */
export function namesShown(names: Names) {
  return {
    heads: names.size > 0 ? ['Name'] : [],
    cells: (row: number) => (names.size > 0 ? [<Text of={names.get(row) ?? ''} bytes={120} />] : []),
  };
}

/** An id at the service; nothing where it is empty. */
export function Id({ of }: { readonly of: string }) {
  if (of === '') return null;
  return (
    <code>
      <Text of={of} />
    </code>
  );
}

export function OutcomeMark({ of }: { readonly of: Outcome | 'pending' }) {
  return (
    <span class="outcome">
      <Dot kind={of} />
      {kindWords(of)}
    </span>
  );
}
