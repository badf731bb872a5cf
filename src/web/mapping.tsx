/**
 * Which column is which field: the file's columns beside what would really be sent of them, changed by a form whose every state is in
 * the form itself. What comes of it is a job definition, a file that is reviewed and used again like any other.
 */
import { Lines, Text } from '../lib/html-text.tsx';
import { countOf } from '../lib/terminal.ts';
import { HiddenReading, type Reading, readingIn } from './reading.tsx';
import type { Route, Visit } from './visit.ts';
import { COLUMNS_SHOWN, MoreColumns } from './words.tsx';

/** What the form says of a column. */
export type ColumnChoice = {
  /** A field of the request; '' where it is not sent. */
  readonly field: string;
  /** One of those that are offered; '' as the field itself is read. */
  readonly reading: string;
};

export type DraftForm = {
  readonly operation: string;
  readonly job: string;
  /** The number of the column that is the rows' own key; `null`: none. */
  readonly key: number | null;
  readonly columns: readonly ColumnChoice[];
};

/** What is to become a job: a file, read so. */
export type DraftSource = { readonly upload: string; readonly reading: Reading };

export type DraftColumn = ColumnChoice & {
  readonly column: string;
  /** The ways of reading that are offered for it. */
  readonly readings: ReadonlyArray<{ readonly value: string; readonly words: string }>;
  /** Share of the rows looked at that have something in it, 0 to 1. */
  readonly filled: number;
  readonly samples: readonly string[];
  readonly isKey: boolean;
  readonly notes: readonly string[];
  /** What would be sent of the samples, as JSON. */
  readonly sent: readonly string[];
  readonly refused: readonly { readonly expected: string; readonly got: string; readonly rows: number }[];
};

/** A job definition on its way. */
export type Draft = {
  readonly operation: string;
  readonly job: string;
  readonly rows: number;
  readonly understood: string;
  readonly columns: readonly DraftColumn[];
  /** How many the file has behind these: they are not sent. */
  readonly more: number;
  /** The fields that a column may become. */
  readonly fields: readonly string[];
  /** The first request, as it would be sent; `null` where no row can be. */
  readonly request: string | null;
  readonly yaml: string;
  /** What keeps it from being a job definition. */
  readonly problems: readonly string[];
};

export type MappingPart = {
  /** What there is to be done with rows, by name, and what that is. */
  readonly operations: Readonly<Record<string, string>>;
  /** `form`: `null` for what the file itself suggests. Throws a UsageError where the file can't be read. */
  draft(source: DraftSource, operation: string, form: DraftForm | null): Promise<Draft | null>;
};

export const mappingRoutes: readonly Route<MappingPart>[] = [
  { method: 'GET', path: '/uploads/:id/map', role: 'operator', answer: (visit) => show(visit, null) },
  {
    method: 'POST',
    path: '/uploads/:id/map',
    role: 'operator',
    answer: (visit) => show(visit, formOf(visit)),
  },
  { method: 'POST', path: '/uploads/:id/save', role: 'operator', answer: save },
];

async function show(visit: Visit<MappingPart>, form: DraftForm | null) {
  const { query, page } = visit;
  const source = sourceOf(visit);
  const draft = await page.draft(
    source,
    form?.operation ?? query.get('operation') ?? 'subclient.create',
    form,
  );
  if (draft === null) return { kind: 'missing', words: 'There is no such upload any more.' } as const;
  return {
    kind: 'page',
    title: 'Which column is which field?',
    body: <Mapping source={source} draft={draft} operations={page.operations} saves={page.ask !== null} />,
  } as const;
}

/** The definition is written by the process that acts; then the file is checked with it. */
async function save(visit: Visit<MappingPart>) {
  const { page, visitor } = visit;
  const source = sourceOf(visit);
  const form = formOf(visit);
  const draft = await page.draft(source, form.operation, form);
  if (draft === null || page.ask === null)
    return { kind: 'missing', words: 'There is no such upload any more.' } as const;
  const answer =
    draft.problems.length > 0
      ? { kind: 'refused' as const, problems: draft.problems }
      : await page.ask({ kind: 'save-job', name: draft.job, yaml: draft.yaml }, visitor);
  if (answer.kind === 'done')
    return {
      kind: 'redirect',
      to: `/uploads/${source.upload}?${new URLSearchParams({ ...source.reading, job: draft.job })}`,
    } as const;
  const problems = answer.kind === 'refused' ? answer.problems : [];
  return {
    kind: 'page',
    title: 'Which column is which field?',
    status: 409,
    body: (
      <Mapping source={source} draft={{ ...draft, problems }} operations={page.operations} saves={true} />
    ),
  } as const;
}

/** From an address, or from the form that it leads to. */
function sourceOf({ params, query, form }: Visit<MappingPart>): DraftSource {
  return { upload: params.id ?? '', reading: { ...readingIn(query), ...readingIn(form) } };
}

function formOf({ form }: Visit<MappingPart>): DraftForm {
  const columns = Math.min(COLUMNS_SHOWN, Number(form.get('columns') ?? 0)) || 0;
  const key = form.get('key') ?? '';
  return {
    operation: form.get('operation') ?? '',
    job: (form.get('job') ?? '').trim(),
    key: /^\d+$/.test(key) ? Number(key) : null,
    columns: Array.from({ length: columns }, (_, i) => ({
      field: (form.get(`f${i}`) ?? '').trim(),
      reading: form.get(`r${i}`) ?? '',
    })),
  };
}

type MappingProps = {
  readonly source: DraftSource;
  readonly draft: Draft;
  readonly operations: Readonly<Record<string, string>>;
  readonly saves: boolean;
};

function Mapping({ source, draft, operations, saves }: MappingProps) {
  const { upload: id, reading } = source;
  const waiting = draft.columns.filter(({ field }) => field === '').length + draft.more;
  return (
    <>
      <h1>Which column is which field?</h1>
      <p class="dim">
        <Text of={draft.understood} />; the first {countOf(draft.rows, 'row')} are shown as they would be
        sent.
      </p>
      <Problems of={draft.problems} />
      <form method="post" action={`/uploads/${id}/map`} data-preview>
        <HiddenReading reading={reading} />
        <input type="hidden" name="columns" value={String(draft.columns.length)} />
        <p class="row">
          <label>
            What is to be done{' '}
            <select name="operation">
              {Object.entries(operations).map(([name, purpose]) => (
                <option value={name} selected={name === draft.operation}>
                  {`${name}: ${purpose}`}
                </option>
              ))}
            </select>
          </label>{' '}
          <label>
            Name of the job{' '}
            <input name="job" value={draft.job} required pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" />
          </label>
        </p>
        <datalist id="fields">
          {draft.fields.map((field) => (
            <option value={field} />
          ))}
        </datalist>
        <section class="scroll" tabindex={0} aria-label="Columns and fields">
          <table class="list map">
            <thead>
              <tr>
                <th scope="col">column</th>
                <th scope="col" class="n">
                  filled
                </th>
                <th scope="col">in the file</th>
                <th scope="col">key</th>
                <th scope="col">field</th>
                <th scope="col">read as</th>
                <th scope="col">sent as</th>
              </tr>
            </thead>
            <tbody>
              {draft.columns.map((column, i) => (
                <Column column={column} at={i} />
              ))}
            </tbody>
          </table>
        </section>
        <MoreColumns more={draft.more} />
        <p>
          <label>
            <input type="radio" name="key" value="" checked={draft.columns.every(({ isKey }) => !isKey)} /> no
            column is the rows' own key
          </label>
        </p>
        <p class="dim">
          {waiting === 0
            ? 'Every column is sent.'
            : `${countOf(waiting, 'column')} without a field ${waiting === 1 ? 'is' : 'are'} not sent.`}
        </p>
        <h2>The first request</h2>
        {draft.request === null ? (
          <p>None of the rows looked at can be sent yet.</p>
        ) : (
          <pre tabindex={0}>
            <Lines of={draft.request} bytes={20_000} />
          </pre>
        )}
        <details>
          <summary>The job definition</summary>
          <pre tabindex={0}>
            <Lines of={draft.yaml} bytes={100_000} />
          </pre>
        </details>
        <p class="acts">
          <button type="submit">Show what is sent</button>{' '}
          {saves ? (
            <button type="submit" class="go" formaction={`/uploads/${id}/save`}>
              Save the job and go on
            </button>
          ) : (
            <span class="dim">This page stands alone: it can't save a job.</span>
          )}
        </p>
      </form>
    </>
  );
}

export function Problems({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="alarm" role="alert">
      {of.map((problem) => (
        <li>
          <Text of={problem} bytes={1_000} />
        </li>
      ))}
    </ul>
  );
}

type ColumnProps = {
  readonly column: DraftColumn;
  readonly at: number;
};

function Column({ column, at }: ColumnProps) {
  return (
    <tr>
      <td>
        <b>
          <Text of={column.column} bytes={150} />
        </b>
        {column.notes.map((note) => (
          <small class="dim">
            <br />
            <Text of={note} />
          </small>
        ))}
      </td>
      <td class="n">{Math.round(column.filled * 100)} %</td>
      <td class="mono">
        <Text of={column.samples.join(' · ')} bytes={150} />
      </td>
      <td>
        <input
          type="radio"
          name="key"
          value={String(at)}
          checked={column.isKey}
          aria-label={`${column.column} is the key`}
        />
      </td>
      <td>
        <input
          name={`f${at}`}
          value={column.field}
          list="fields"
          placeholder="not sent"
          aria-label={`field of ${column.column}`}
        />
      </td>
      <td>
        <select name={`r${at}`} aria-label={`how ${column.column} is read`}>
          {column.readings.map(({ value, words }) => (
            <option value={value} selected={value === column.reading}>
              {words}
            </option>
          ))}
        </select>
      </td>
      <td class="mono">
        <Text of={column.sent.join(' · ')} bytes={200} />
        {column.refused.map(({ expected, got, rows }) => (
          <div class="bad">
            ✗{' '}
            <Text
              of={`${got === '' ? 'nothing' : `"${got}"`} (${countOf(rows, 'row')}): expected ${expected}`}
              bytes={400}
            />
          </div>
        ))}
      </td>
    </tr>
  );
}
