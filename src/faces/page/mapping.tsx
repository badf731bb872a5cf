/**
 * Which column is which field: the file's columns beside what would really be sent of them. The
 * form holds its whole state. The result is a job definition, a file to be reviewed and reused.
 */
import type { Child } from 'hono/jsx';
import { listJobs } from '../../config/load-job.ts';
import { cut, Lines, Text } from '../../lib/html-text.tsx';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sourceWords } from '../../model/source.ts';
import { PURPOSES } from '../../operations/operations.ts';
import { keylessWords } from '../../readers/mapping/proposal/job-yaml.ts';
import { fieldLabel } from '../../readers/mapping/request-field.ts';
import type { FileSample } from '../../runs/check/proposal.ts';
import { Table } from '../../runs/report/html/parts.tsx';
import type { Reply } from '../web/visit.ts';
import { COLUMNS_SHOWN, MoreColumns, Problems } from '../web/words.tsx';
import { askFor, refusedFor } from './acting.tsx';
import { beginCheck } from './checking.tsx';
import { type Draft, type DraftColumn, type DraftForm, draftOf, type KeyChoice } from './draft.ts';
import { GONE, Steps, sampleOf } from './files.tsx';
import type { PageRoute, PageVisit } from './page-context.ts';
import { HiddenReading, type Reading, readingIn } from './reading.tsx';

const TITLE = 'Which column is which field?';

export const mappingRoutes: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/uploads/:id/map',
    role: 'operator',
    readsFile: true,
    answer: (visit) => show(visit, null),
  },
  {
    method: 'POST',
    path: '/uploads/:id/map',
    role: 'operator',
    answer: (visit) => show(visit, formOf(visit)),
  },
  { method: 'POST', path: '/uploads/:id/save', role: 'operator', answer: save },
];

/** A UsageError where the file can't be read. */
async function draftFor({ params, query, form, page }: PageVisit, choices: DraftForm | null) {
  const upload = await page.uploads.find(params.id ?? '');
  if (upload === null) return null;
  // From an address, or from the form that it leads to.
  const reading = { ...readingIn(query), ...readingIn(form) };
  const sample = await sampleOf(page, upload, reading);
  if (!('source' in sample)) throw new UsageError([...sample.problems]);
  const operation = choices?.operation ?? query.get('operation');
  const taken = await listJobs(page.env.jobsDirectory);
  return { id: upload.id, reading, sample, draft: draftOf(sample, operation, choices, taken) };
}

async function show(visit: PageVisit, choices: DraftForm | null): Promise<Reply> {
  const found = await draftFor(visit, choices);
  if (found === null) return GONE;
  const body = <Mapping {...found} problems={found.draft.problems} saves={visit.page.ask !== null} />;
  return { kind: 'page', title: TITLE, body };
}

/** The process that acts writes the definition. */
async function save(visit: PageVisit): Promise<Reply> {
  const choices = formOf(visit);
  // Columns proposed anew are looked at before they are saved.
  if (choices.mappedFor !== choices.operation) return show(visit, choices);
  const found = await draftFor(visit, choices);
  if (found === null) return GONE;
  const { id, draft } = found;
  const { job, yaml } = draft;
  const open = [draft.key.problem ?? [], draft.unconfirmed, draft.problems].flat();
  const answer =
    open.length > 0 ? refusedFor(open) : await askFor(visit, { kind: 'save-job', name: job, yaml });
  const upload = answer.kind === 'done' ? await visit.page.uploads.find(id) : null;
  if (upload !== null) return { kind: 'redirect', to: await beginCheck(visit.page, upload, job) };
  const problems = answer.kind === 'refused' ? answer.problems : [];
  return {
    kind: 'page',
    title: TITLE,
    status: 409,
    body: <Mapping {...found} problems={problems} saves={true} />,
  };
}

function formOf({ form }: PageVisit): DraftForm {
  const columns = Math.min(COLUMNS_SHOWN, Number(form.get('columns') ?? 0)) || 0;
  const [answered, ...answer] = (form.get('answer') ?? '').split(' ');
  return {
    operation: form.get('operation') ?? '',
    mappedFor: form.get('mapped-for') ?? '',
    job: (form.get('job') ?? '').trim(),
    key: keyIn(form),
    columns: Array.from({ length: columns }, (_, i) => {
      const isConfirmed = form.get(`c${i}`) !== null;
      const [field = '', ...reading] = answer;
      if (answered === String(i)) return { field, reading: reading.join(' '), isConfirmed };
      const [own, read] = [form.get(`f${i}`) ?? '', form.get(`r${i}`) ?? ''];
      return { field: own.trim(), reading: read, isConfirmed };
    }),
  };
}

function keyIn(form: URLSearchParams): KeyChoice {
  const key = form.get('key') ?? '';
  if (/^\d+$/.test(key)) return { kind: 'column', at: Number(key) };
  return { kind: key === 'none' ? 'none' : 'open', isUnderstood: form.get('no-key') !== null };
}

type MappingProps = {
  readonly id: string;
  readonly reading: Reading;
  readonly sample: FileSample;
  readonly draft: Draft;
  readonly problems: readonly string[];
  readonly saves: boolean;
};

function Mapping({ id, reading, sample, draft, problems, saves }: MappingProps) {
  return (
    <>
      <Steps here="Map" id={id} />
      <h1>{TITLE}</h1>
      <p class="dim">
        <Text of={sourceWords(sample.source)} />; the first {countOf(sample.rows.length, 'row')} are shown as
        they would be sent.
      </p>
      {sample.source.notes.map((note) => (
        <p>
          <Text of={note} bytes={500} />
        </p>
      ))}
      <Problems of={problems} />
      <form method="post" action={`/uploads/${id}/map`} data-preview>
        <HiddenReading reading={reading} />
        <input type="hidden" name="mapped-for" value={draft.operation} />
        <input type="hidden" name="columns" value={String(draft.columns.length)} />
        <JobInputs draft={draft} />
        <KeyInputs draft={draft} />
        <ColumnTable draft={draft} />
        <h2>The first request</h2>
        <FirstRequest of={draft.request} />
        {draft.key.problem === null ? <Definition yaml={draft.yaml} /> : null}
        <p class="acts">
          <button type="submit">Show what is sent</button> <SaveButton id={id} saves={saves} />
        </p>
      </form>
    </>
  );
}

type DraftProps = Pick<MappingProps, 'draft'>;

function JobInputs({ draft: { operation, job } }: DraftProps) {
  return (
    <p class="row">
      <label>
        What is to be done{' '}
        <select name="operation">
          {PURPOSES.map(([name, purpose]) => (
            <option value={name} selected={name === operation}>
              {`${name}: ${purpose}`}
            </option>
          ))}
        </select>
      </label>{' '}
      <label>
        Name of the job <input name="job" value={job} required pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" />
      </label>
    </p>
  );
}

/** Columns that hardly look like a key are chosen in the table: radio buttons of the same group. */
function KeyInputs({ draft: { operation, columns, key } }: DraftProps) {
  const { choice, candidates } = key;
  const isNone = choice.kind === 'none';
  const isTicked = choice.kind !== 'column' && choice.isUnderstood;
  return (
    <fieldset class="card key" aria-describedby="key-state">
      <legend>Which column is the rows' own key?</legend>
      <p>
        It names one record, and the same one in every file that comes. Of two rows with one key the later is
        not sent.
      </p>
      {candidates.map(({ at, column, seen }) => (
        <label>
          <input type="radio" name="key" value={String(at)} checked={columns[at]?.isKey} />{' '}
          <b>
            <Text of={column} bytes={150} />
          </b>{' '}
          <span class="mono">
            <Text of={columns[at]?.samples.map(({ cell }) => cell).join(' · ') ?? ''} bytes={150} />
          </span>
          <small class="dim">
            <Text of={seen} bytes={500} />
          </small>
        </label>
      ))}
      <p class="dim">
        {candidates.length === 0 ? 'No column looks like it. ' : ''}
        {'Any other column: by its “key” in the table below.'}
      </p>
      <label>
        <input type="radio" name="key" value="none" checked={isNone} /> <b>no key</b>
      </label>
      <label class="tick">
        <input type="checkbox" name="no-key" checked={isTicked} /> {keylessWords(operation).join(' ')}
      </label>
      <KeyState of={key} />
    </fieldset>
  );
}

const LOOKS = { open: ['bad', '✗'], doubtful: ['doubt', '!'], decided: ['ok', '✓'] } as const;

function KeyState({ of: { state, problem, chosen } }: { readonly of: Draft['key'] }) {
  const decided = chosen === null ? 'The job has no key.' : `“${chosen.column}” is the key. ${chosen.seen}`;
  const [look, sign] = LOOKS[state];
  return (
    <p id="key-state" role="status" class={`verdict ${look}`}>
      <b aria-hidden="true">{sign}</b> <Text of={problem ?? decided} bytes={700} />
    </p>
  );
}

function Definition({ yaml }: { readonly yaml: string }) {
  return (
    <details>
      <summary>The job definition</summary>
      <pre tabindex={0}>
        <Lines of={yaml} bytes={100_000} />
      </pre>
    </details>
  );
}

function ColumnTable({ draft: { columns, fields, more } }: DraftProps) {
  return (
    <>
      <datalist id="fields">
        {fields.map((field) => (
          <option value={field} label={fieldLabel(field)} />
        ))}
      </datalist>
      <Table name="Columns and fields" class="list map" heads={COLUMN_HEADS} rows={columns.map(cellsOf)} />
      <MoreColumns more={more} />
      <p class="dim">{notSentWords(columns, more)}</p>
    </>
  );
}

const COLUMN_HEADS = ['column', 'field', 'read as', 'in the file, and as it is sent'];

function notSentWords(columns: readonly DraftColumn[], more: number): string {
  const count = columns.filter(({ field }) => field === '').length + more;
  if (count === 0) return 'Every column is sent.';
  return `${countOf(count, 'column')} without a field ${count === 1 ? 'is' : 'are'} not sent.`;
}

function FirstRequest({ of }: { readonly of: Draft['request'] }) {
  if (of === null) return <p>None of the rows looked at can be sent yet.</p>;
  return (
    <pre tabindex={0}>
      <Lines of={of} bytes={20_000} />
    </pre>
  );
}

function SaveButton({ id, saves }: Pick<MappingProps, 'id' | 'saves'>) {
  if (!saves) return <span class="dim">This page stands alone: it can't save a job.</span>;
  return (
    <button type="submit" class="go" formaction={`/uploads/${id}/save`}>
      Save the job and go on
    </button>
  );
}

function cellsOf(column: DraftColumn, at: number): readonly Child[] {
  return [
    <>
      <b>
        <Text of={column.column} bytes={150} />
      </b>{' '}
      <KeyCell of={column} at={at} />
      <small class="dim note">{`${Math.round(column.filled * 100)} % filled`}</small>
      {column.notes.map((note) => (
        <small class="dim note">
          <Text of={note} />
        </small>
      ))}
    </>,
    <>
      <input
        name={`f${at}`}
        value={column.field}
        list="fields"
        placeholder="not sent"
        aria-label={`field of ${column.column}`}
      />
      <FieldWords of={column} />
    </>,
    <select name={`r${at}`} aria-label={`how ${column.column} is read`}>
      {column.readings.map(({ value, words }) => (
        <option value={value} selected={value === column.reading}>
          {words}
        </option>
      ))}
    </select>,
    <>
      <Pairs of={column} />
      <Dates of={column} at={at} />
      <Question of={column} at={at} />
    </>,
  ];
}

function FieldWords({ of: { field, fieldProblem } }: { readonly of: DraftColumn }) {
  if (field === '') return null;
  if (fieldProblem === null) return <small class="dim note">{cut(fieldLabel(field), 100)}</small>;
  return (
    <small class="bad note">
      ✗ <Text of={fieldProblem} bytes={300} />
    </small>
  );
}

const REFUSALS = 2;

function Pairs({ of: { field, samples, refused, warned } }: { readonly of: DraftColumn }) {
  return (
    <>
      <dl class="pairs mono">
        {samples.map(({ cell, sent }) => (
          <>
            <dt>
              <Text of={cell} bytes={100} />
            </dt>
            <dd>{sent === null ? <NotSent of={field} /> : <Text of={sent} bytes={120} />}</dd>
          </>
        ))}
      </dl>
      {refused.slice(0, REFUSALS).map((one) => (
        <div class="bad">
          ✗ <Text of={refusedWords(one)} bytes={400} />
        </div>
      ))}
      {warned.slice(0, REFUSALS).map((one) => (
        <div class="t-doubt">
          ! <Text of={`${refusedWords(one)}; sent all the same`} bytes={400} />
        </div>
      ))}
      <MoreFound count={refused.slice(REFUSALS).length + warned.slice(REFUSALS).length} />
    </>
  );
}

function MoreFound({ count }: { readonly count: number }) {
  return count === 0 ? null : <div class="dim">{`And ${count} more like these: the check names each.`}</div>;
}

type ColumnProps = { readonly of: DraftColumn; readonly at: number };

function Dates({ of: { dates, isConfirmed }, at }: ColumnProps) {
  if (dates === null) return null;
  return (
    <>
      {dates.forms.map((form) => (
        <small class="note">
          <Text of={form} bytes={200} />
        </small>
      ))}
      {dates.asks ? (
        <label class="tick">
          <input type="checkbox" name={`c${at}`} checked={isConfirmed} /> these forms are right
        </label>
      ) : null}
    </>
  );
}

/** A button puts its answer into the form. */
function Question({ of: { question }, at }: ColumnProps) {
  if (question === null) return null;
  return (
    <div class="question">
      <div>
        <Text of={question.words} bytes={300} />
      </div>
      {question.answers.map(({ words, field, reading }) => (
        <button type="submit" name="answer" value={`${at} ${field} ${reading}`}>
          <Text of={words} bytes={200} />
        </button>
      ))}
    </div>
  );
}

function NotSent({ of: field }: { readonly of: string }) {
  return field === '' ? <span /> : <span class="dim">not sent</span>;
}

function KeyCell({ of, at }: { readonly of: DraftColumn; readonly at: number }) {
  if (of.isCandidate) return of.isKey ? <span class="badge t-ok">key</span> : null;
  return (
    <label>
      <input
        type="radio"
        name="key"
        value={String(at)}
        checked={of.isKey}
        aria-label={`${of.column} is the key`}
      />{' '}
      key
    </label>
  );
}

function refusedWords({ expected, got, rows, isAlike }: DraftColumn['refused'][number]): string {
  const value = got === '' ? 'nothing' : `"${got}"`;
  const count = countOf(rows, 'row');
  return `${isAlike ? `${value} (${count})` : `${count}, such as ${value}`}: expected ${expected}`;
}
