/**
 * The rows of a run, 50 a page: those of an outcome or of a cause, and what is looked for, be it a
 * row's number, a key or any text. What is shown stands in the address alone, so that it can be
 * sent to somebody; the same list comes as a CSV file.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../model/outcome.ts';
import type { RunState } from '../model/run.ts';
import { kindWords } from '../report/html/parts.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { Empty } from './words.tsx';

/** What pages about rows say of their run. */
export type RunHead = {
  readonly id: string;
  readonly job: string;
  readonly file: string;
  readonly rows: number;
  readonly state: RunState;
  readonly outcomes: OutcomeCounts;
};

export type RowsAsked = {
  readonly run: string;
  /** `null`: any. */
  readonly outcome: Outcome | null;
  /** The id of a cause; `null`: any. */
  readonly cause: string | null;
  /** Empty: none. */
  readonly text: string;
  /** Only rows behind that one. */
  readonly after: number;
  /** The text is looked for as it is, also where it is a number or a key. */
  readonly isLiteral: boolean;
};

export type ListedRow = {
  readonly row: number;
  readonly line: number;
  readonly key: string;
  readonly outcome: Outcome | 'open';
  readonly id: string;
  readonly code: string;
  readonly words: string;
};

/** What the ledger knows of a key, in whatever run. */
export type KnownKey = {
  /** Whose keys they are: `subclient`. */
  readonly space: string;
  readonly is: 'known' | 'held' | 'in-doubt' | 'given-back';
  readonly run: string;
  readonly row: number;
  /** Empty where none is known. */
  readonly id: string;
};

export type RowsFound = {
  readonly run: RunHead;
  /** To choose from; empty where the run's causes are not known yet. */
  readonly causes: readonly { readonly id: string; readonly words: string; readonly count: number }[];
  readonly rows: readonly ListedRow[];
  /** Behind which row the list goes on; `null`: it is at its end. */
  readonly next: number | null;
  /** The time was up: so far was looked. */
  readonly stoppedAt: number | null;
  readonly keys: readonly KnownKey[];
  /** The text is a row's number or a known key: nothing else was looked through. */
  readonly isDirect: boolean;
};

export type RowsPart = {
  /** `null`: there is no such run. */
  rows(asked: RowsAsked, visitor: Visitor): Promise<RowsFound | null>;
  /** All rows of the list as CSV text. */
  rowsFile(asked: RowsAsked, visitor: Visitor): Promise<AsyncIterable<Uint8Array> | null>;
};

export const rowsRoutes: readonly Route<RowsPart>[] = [
  { method: 'GET', path: '/runs/:id/rows', role: 'viewer', answer: list },
  { method: 'GET', path: '/runs/:id/rows.csv', role: 'viewer', answer: download },
];

async function list(visit: Visit<RowsPart>): Promise<Reply> {
  const asked = askedIn(visit);
  const found = await visit.page.rows(asked, visit.visitor);
  if (found === null) return { kind: 'missing', words: NO_RUN };
  return { kind: 'page', title: `Rows of ${found.run.id}`, body: <Rows asked={asked} found={found} /> };
}

async function download(visit: Visit<RowsPart>): Promise<Reply> {
  const asked = askedIn(visit);
  const body = await visit.page.rowsFile(asked, visit.visitor);
  if (body === null) return { kind: 'missing', words: NO_RUN };
  return { kind: 'download', name: `rows-${asked.run}.csv`, type: 'text/csv; charset=utf-8', body };
}

export const NO_RUN = 'There is no such run in the ledger.';
const MOST_CHARACTERS = 200;

function askedIn({ params, query }: Visit<RowsPart>): RowsAsked {
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

/** The number of a row as somebody writes it; `null`: it is none. */
export function rowNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** The address of the list with these changes. */
function addressOf(asked: RowsAsked, change: Partial<RowsAsked> = {}, path = 'rows'): string {
  const { run, outcome, cause, text, after, isLiteral } = { ...asked, after: 0, ...change };
  const query = new URLSearchParams();
  if (outcome !== null) query.set('outcome', outcome);
  if (cause !== null) query.set('cause', cause);
  if (text !== '') query.set('q', text);
  if (isLiteral && text !== '') query.set('in', 'text');
  if (after > 0) query.set('after', String(after));
  const search = query.toString();
  return `/runs/${encodeURIComponent(run)}/${path}${search === '' ? '' : `?${search}`}`;
}

export function rowAddress(run: string, row: number): string {
  return `/runs/${encodeURIComponent(run)}/rows/${row}`;
}

type Props = { readonly asked: RowsAsked; readonly found: RowsFound };

export function Rows({ asked, found }: Props) {
  const { run, rows, next } = found;
  return (
    <>
      <RunTitle run={run} here="rows" />
      <Filters asked={asked} found={found} />
      <Keys found={found} />
      {rows.length === 0 ? <Nothing asked={asked} found={found} /> : <RowTable run={run.id} rows={rows} />}
      <Stopped asked={asked} found={found} />
      <p class="pager">
        {rows.length > 0 && found.isDirect ? literally(asked) : null}
        {asked.after > 0 ? <a href={addressOf(asked)}>First page</a> : null}
        {next === null ? null : (
          <a href={addressOf(asked, { after: next })} rel="next">
            {`After row ${numberShown(next)}`}
          </a>
        )}
        {rows.length === 0 || found.isDirect ? null : (
          <a href={addressOf(asked, {}, 'rows.csv')}>This list as CSV</a>
        )}
      </p>
    </>
  );
}

/** Which run this is about, and the way to its other pages. */
export function RunTitle({ run, here }: { readonly run: RunHead; readonly here: 'rows' | 'doubts' | 'row' }) {
  const base = `/runs/${encodeURIComponent(run.id)}`;
  const doubts = run.outcomes['in-doubt'];
  return (
    <>
      <h1>
        <Text of={run.job} /> · <Text of={run.file.split('/').at(-1) ?? run.file} />
      </h1>
      <nav class="tabs" aria-label="Of this run">
        <a href={base}>{`Run ${run.id}`}</a>
        <a href={`${base}/rows`} aria-current={here === 'rows' ? 'page' : undefined}>
          {`Rows (${numberShown(run.rows)})`}
        </a>
        {doubts === 0 && here !== 'doubts' ? null : (
          <a href={`${base}/doubts`} aria-current={here === 'doubts' ? 'page' : undefined}>
            {`In doubt (${numberShown(doubts)})`}
          </a>
        )}
      </nav>
    </>
  );
}

function Filters({ asked, found: { run, causes } }: Props) {
  const present = OUTCOMES.filter((outcome) => run.outcomes[outcome] > 0 || asked.outcome === outcome);
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
            {causes.map(({ id, words, count }) => (
              <option value={id} selected={asked.cause === id}>
                {`${numberShown(count)} × ${words}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="submit">Show</button>
    </form>
  );
}

const KEY_WORDS: Readonly<Record<KnownKey['is'], string>> = {
  known: 'is at the service',
  held: 'is claimed by a row that is not done yet',
  'in-doubt': 'is claimed by a row in doubt',
  'given-back': 'was claimed by a row that came to nothing',
};

/** Where else the key is known. */
function Keys({ found: { keys } }: Pick<Props, 'found'>) {
  if (keys.length === 0) return null;
  return (
    <ul class="notice plain">
      {keys.map((key) => (
        <li>
          {`As the key of a ${key.space} it ${KEY_WORDS[key.is]}: `}
          {key.id === '' ? null : (
            <>
              <code>
                <Text of={key.id} />
              </code>
              {', '}
            </>
          )}
          <a href={rowAddress(key.run, key.row)}>{`row ${numberShown(key.row)} of run ${key.run}`}</a>
        </li>
      ))}
    </ul>
  );
}

function literally(asked: RowsAsked) {
  return <a href={addressOf(asked, { isLiteral: true })}>Look for this text in every row</a>;
}

function Nothing({ asked, found: { stoppedAt, causes, isDirect } }: Props) {
  if (stoppedAt !== null) return null;
  return (
    <Empty>
      {asked.cause !== null && !causes.some(({ id }) => id === asked.cause)
        ? 'The run has no such cause, or its causes are not counted yet. '
        : 'No row of this run is like that. '}
      {asked.text === ''
        ? null
        : 'Of rows that succeeded only number, key and id are looked through: their cells are not kept. '}
      {isDirect ? literally(asked) : null}
    </Empty>
  );
}

function Stopped({ asked, found: { stoppedAt, run } }: Props) {
  if (stoppedAt === null) return null;
  return (
    <p class="notice" role="status">
      {`Looked through ${numberShown(stoppedAt)} of ${countOf(run.rows, 'row')} so far. `}
      <a href={addressOf(asked, { after: stoppedAt })}>{`Go on from row ${numberShown(stoppedAt + 1)}`}</a>
    </p>
  );
}

type TableProps = { readonly run: string; readonly rows: readonly ListedRow[] };

function RowTable({ run, rows }: TableProps) {
  return (
    <section class="scroll" tabindex={0} aria-label="Rows">
      <table class="list rows">
        <thead>
          <tr>
            <th class="n">Row</th>
            <th>Key</th>
            <th>Outcome</th>
            <th>What was said</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr>
              <td class="n">
                <a href={rowAddress(run, one.row)}>{numberShown(one.row)}</a>
              </td>
              <td>
                <Text of={one.key} bytes={120} />
              </td>
              <td>
                <OutcomeMark of={one.outcome} />
              </td>
              <td>
                {one.id === '' ? null : (
                  <code>
                    <Text of={one.id} />
                  </code>
                )}{' '}
                {one.code === '' ? null : <span class="dim">{one.code}</span>} <Text of={one.words} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** An outcome by its colour and its word. */
export function OutcomeMark({ of }: { readonly of: Outcome | 'open' }) {
  return (
    <span class="outcome">
      <svg viewBox="0 0 10 10" class="dot" aria-hidden="true">
        <rect width="10" height="10" class={`f-${of}`} />
      </svg>
      {kindWords(of)}
    </span>
  );
}
