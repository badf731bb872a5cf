/**
 * A job that is changed: its form and its text, then what the change would have made of the last
 * deliveries, and only then is it saved, as a version. The process that acts writes it. Where the
 * jobs folder is read-only, the changed file is there to be downloaded.
 */
import { randomBytes } from 'node:crypto';
import { changesBetween, lockedSettings, writtenIn } from '../../config/job-change.ts';
import { type Job, operationOf } from '../../config/job-definition.ts';
import { loadJob, parseChangedJob, readJobText } from '../../config/load-job.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import { fieldCatalog } from '../../delivery/service/operations.ts';
import { cut, Lines, Text } from '../../lib/html-text.tsx';
import { numberShown } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { digestOf } from '../../model/audit.ts';
import { OPERATIONS } from '../../operations/operations.ts';
import { fieldLabel } from '../../readers/mapping/request-field.ts';
import { type JobVersion, versionsOf, whyReadOnly } from '../../runs/job-versions.ts';
import { Facts, Table, Time } from '../../runs/report/html/parts.tsx';
import { runsToTry } from '../../runs/trial.ts';
import type { Reply } from '../web/visit.ts';
import { COLUMNS_SHOWN, Problems } from '../web/words.tsx';
import { askFor, told, WHY_CHARACTERS } from './acting.tsx';
import { changedText, type FormField, fieldsIn, NEW_FIELDS, PARTS, SETTINGS, settingIn } from './job-form.ts';
import { type JobDraft, type Trial, trialWords, tryDraft } from './job-trial.ts';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { runPath } from './runs.tsx';

export const changingRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/jobs/:name/change', role: 'operator', answer: showEditor },
  { method: 'POST', path: '/jobs/:name/change', role: 'operator', answer: takeChange },
  { method: 'GET', path: '/jobs/:name/drafts/:draft', role: 'operator', isLive: true, answer: showDraft },
  { method: 'GET', path: '/jobs/:name/drafts/:draft/file', role: 'operator', answer: download },
  { method: 'POST', path: '/jobs/:name/drafts/:draft', role: 'operator', answer: save },
  { method: 'GET', path: '/jobs/:name/versions/:n', role: 'viewer', answer: showVersion },
  { method: 'POST', path: '/jobs/:name/versions/:n', role: 'operator', answer: lookAtVersion },
];

const NO_JOB = { kind: 'missing', words: 'There is no such job in the jobs folder.' } as const;
const NO_DRAFT = {
  kind: 'missing',
  words: 'That change is not known here any more: nothing of it was saved. Make it again.',
} as const;

function jobPath(job: string, below = ''): string {
  return `/jobs/${encodeURIComponent(job)}${below}`;
}

/** `null`: the folder has none of that name. */
async function jobOf({ params, page }: PageVisit) {
  const name = params.name ?? '';
  const file = await readJobText(name, page.env.jobsDirectory);
  if (file === null) return null;
  const versions = await versionsOf(page.env.home, name, file.text);
  return { name, ...file, base: digestOf(file.text), versions };
}
type FoundJob = NonNullable<Awaited<ReturnType<typeof jobOf>>>;

async function showEditor(visit: PageVisit): Promise<Reply> {
  const found = await jobOf(visit);
  if (found === null) return NO_JOB;
  const { query, page } = visit;
  const version = found.versions.find(({ n }) => String(n) === query.get('version'));
  const draft = page.jobDrafts.get(query.get('draft') ?? '');
  const text = version?.text ?? (draft?.job === found.name ? draft.text : found.text);
  return editor(visit, found, { text, problems: [] });
}

type Edited = { readonly text: string; readonly problems: readonly string[] };

async function editor(visit: PageVisit, found: FoundJob, { text, problems }: Edited): Promise<Reply> {
  const { page, form, query } = visit;
  const { name, base } = found;
  const job = await loadJob(name, page.env.jobsDirectory, definitionProblems).catch(() => null);
  const [last] = await runsToTry(name, 1, page.ledger);
  const given = problems.length > 0 && form.get('as') === 'form' ? form : null;
  const shown = (input: string, was: string) => given?.get(input) ?? was;
  const columns = last?.source.columns.slice(0, COLUMNS_SHOWN) ?? [];
  const hidden = { base, run: query.get('run') ?? form.get('run') ?? '' };
  const isForm = job !== null && text === found.text;
  return {
    kind: 'page',
    title: `Change ${name}`,
    ...(problems.length > 0 && { status: 409 }),
    body: (
      <>
        <h1>{`Change ${name}`}</h1>
        <p class="dim">Nothing is saved before you have seen what it would change.</p>
        <Problems of={problems} />
        {isForm ? <SettingsForm job={job} text={text} {...{ shown, columns, hidden }} /> : null}
        <details open={!isForm}>
          <summary>Its text</summary>
          <form method="post" action={jobPath(name, '/change')} class="block">
            <Hidden of={{ ...hidden, as: 'text' }} />
            <textarea name="text" rows={24} aria-label="Text of the job" spellcheck={false} class="mono">
              {text}
            </textarea>
            <Look />
          </form>
        </details>
        <Locked text={found.text} />
      </>
    ),
  };
}

function Hidden({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return Object.entries(of).map(([name, value]) => <input type="hidden" name={name} value={value} />);
}

function Look() {
  return (
    <p class="acts">
      <button type="submit" class="go">
        See what it would change
      </button>
    </p>
  );
}

function Locked({ text }: { readonly text: string }) {
  const locked = [...lockedSettings(writtenIn(text))];
  return (
    <>
      <h2>What stands as it is</h2>
      <p class="dim">These are changed in the jobs folder alone, and so are settings of their kind.</p>
      <Facts
        of={locked.map(([name, value]) => [
          <span class="mono">{name}</span>,
          <Text of={typeof value === 'string' ? value : JSON.stringify(value)} bytes={500} />,
        ])}
      />
    </>
  );
}

type FormProps = {
  readonly job: Job;
  readonly text: string;
  readonly columns: readonly string[];
  readonly hidden: Readonly<Record<string, string>>;
  /** What was given where something of it can't be taken. */
  shown(input: string, was: string): string;
};

function SettingsForm({ job, text, columns, hidden, shown }: FormProps) {
  const operation = OPERATIONS.find((one) => one === operationOf(job.definition));
  const known = operation === undefined ? [] : [...fieldCatalog(operation).keys()];
  const fields = fieldsIn(text);
  return (
    <form method="post" action={jobPath(job.name, '/change')} class="block">
      <Hidden of={{ ...hidden, as: 'form' }} />
      <Choices name="columns" of={columns} />
      <Choices name="fields" of={known.map((field) => field.replaceAll('#', '0'))} />
      <Table
        name="Fields"
        class="list change"
        heads={['field', 'column', 'dates, a form a line', 'an empty cell means', 'cells, such as Y = true']}
        rows={[
          ...fields.map((one) => fieldCells(one, shown)),
          ...Array.from({ length: NEW_FIELDS }, (_, i) => newCells(i, shown)),
        ]}
      />
      <p class="dim">A field whose column is empty is not sent any more.</p>
      <div class="settings">
        {SETTINGS.map((setting) => (
          <div>
            <label for={setting.name}>{LABELS[setting.name]}</label>
            <SettingInput {...setting} value={shown(setting.name, settingIn(text, setting))} />
          </div>
        ))}
      </div>
      <Look />
    </form>
  );
}

function Choices({ name, of }: { readonly name: string; readonly of: readonly string[] }) {
  return (
    <datalist id={name}>
      {of.map((one) => (
        <option value={one} />
      ))}
    </datalist>
  );
}

function fieldCells({ field, parts }: FormField, shown: FormProps['shown']) {
  const name = (
    <>
      {cut(fieldLabel(field), 100)}
      <small class="dim mono note">
        <Text of={field} bytes={150} />
      </small>
    </>
  );
  if (parts === null) return [name, <span class="dim">in the text</span>, '', '', ''];
  const cells = PARTS.map(({ part, shape }) => {
    const input = `${part}/${field}`;
    const value = shown(input, parts.get(part) ?? '');
    const label = `${PART_LABELS[part]} of ${field}`;
    if (part === 'column') return <input name={input} value={value} list="columns" aria-label={label} />;
    return shape === 'scalar' ? (
      <input name={input} value={value} placeholder={PART_LABELS[part]} aria-label={label} />
    ) : (
      <Area name={input} value={value} hint={PART_LABELS[part]} label={label} />
    );
  });
  return [name, ...cells];
}

const PART_LABELS = {
  column: 'column',
  pattern: 'dates',
  default: 'what an empty cell means',
  values: 'what cells mean',
} as const;

function newCells(i: number, shown: FormProps['shown']) {
  const [field, column] = [`field/${i}`, `new/${i}`];
  return [
    <input
      name={field}
      value={shown(field, '')}
      list="fields"
      placeholder="another field"
      aria-label={`another field, ${i + 1}`}
    />,
    <input name={column} value={shown(column, '')} list="columns" aria-label={`its column, ${i + 1}`} />,
    '',
    '',
    '',
  ];
}

const ROWS_MOST = 8;

type AreaProps = {
  readonly name: string;
  readonly value: string;
  readonly hint?: string;
  readonly label?: string;
};

function Area({ name, value, hint, label }: AreaProps) {
  const rows = Math.min(ROWS_MOST, value.split('\n').length);
  return (
    <textarea id={name} name={name} rows={rows} placeholder={hint} aria-label={label} spellcheck={false}>
      {value}
    </textarea>
  );
}

const LABELS: Readonly<Record<(typeof SETTINGS)[number]['name'], string>> = {
  required: 'Required fields, one a line',
  ignore: 'Columns that are not sent, one a line',
  onKnownKey: 'A row whose key is known',
  stopAfter: 'Stop after so many that fail (50, 20%)',
  'send.rate': 'Requests at most (50/s, 600/min)',
  'send.concurrency': 'Requests at once',
  'send.timeoutSeconds': 'Seconds that one may take',
};

const OPTIONS: Readonly<Record<string, readonly (readonly [value: string, words: string])[]>> = {
  onKnownKey: [
    ['', 'as usual: is skipped'],
    ['skip', 'skip: is skipped'],
    ['update', 'update: changes the record'],
    ['fail', 'fail: is invalid'],
  ],
};

function SettingInput(props: { readonly name: string; readonly shape: string; readonly value: string }) {
  const { name, shape, value } = props;
  const options = OPTIONS[name];
  if (options === undefined)
    return shape === 'lines' ? (
      <Area name={name} value={value} />
    ) : (
      <input id={name} name={name} value={value} />
    );
  return (
    <select id={name} name={name}>
      {options.map(([option, words]) => (
        <option value={option} selected={option === value}>
          {words}
        </option>
      ))}
    </select>
  );
}

const MOVED_ON =
  'The job was changed since you opened it, and nothing of yours is saved: the form shows it as it is now.';

/** What is wrong is told in the editor; else the change is tried. */
async function takeChange(visit: PageVisit): Promise<Reply> {
  const found = await jobOf(visit);
  if (found === null) return NO_JOB;
  const { form, page } = visit;
  const { name, text: before, base } = found;
  const isForm = form.get('as') === 'form';
  const typed = (form.get('text') ?? '').replaceAll('\r\n', '\n');
  if (form.get('base') !== base) {
    form.delete('as');
    return editor(visit, found, { text: isForm ? before : typed, problems: [MOVED_ON] });
  }
  try {
    const text = isForm ? changedText(before, (input) => form.get(input)) : typed;
    if (text === before) throw new UsageError('Nothing is changed yet.');
    parseChangedJob({ name, text, before }, definitionProblems);
    return beginTrial(page, { job: name, text, base, run: form.get('run') ?? '', confirms: null });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return editor(visit, found, { text: isForm ? before : typed, problems: error.problems });
  }
}

function beginTrial(page: PageContext, draft: JobDraft): Reply {
  const id = randomBytes(12).toString('hex');
  page.jobDrafts.set(id, draft);
  page.trials.begin(id, () => tryDraft(draft, page));
  return { kind: 'redirect', to: jobPath(draft.job, `/drafts/${id}`) };
}

function draftOf({ params, page }: PageVisit) {
  const id = params.draft ?? '';
  const draft = page.jobDrafts.get(id);
  return draft === undefined || draft.job !== params.name ? null : { id, draft };
}

async function showDraft(visit: PageVisit): Promise<Reply> {
  const known = draftOf(visit);
  const found = await jobOf(visit);
  if (known === null || found === null) return NO_DRAFT;
  const { id, draft } = known;
  const trial = visit.page.trials.state(id);
  const since = trial?.kind === 'under-way' ? trial.since : null;
  const readOnly =
    visit.page.ask === null ? 'is shown by a page that stands alone' : await whyReadOnly(found.path);
  return {
    kind: 'page',
    title: `What the change of ${draft.job} would do`,
    body: (
      <>
        <h1>{`What the change of ${draft.job} would do`}</h1>
        <Changes before={found.text} after={draft.text} />
        <h2>In the last deliveries</h2>
        {trial?.kind === 'done' ? <Tried of={trial.value} /> : null}
        {trial?.kind === 'failed' ? <Problems of={trial.problems} /> : null}
        {since !== null ? null : <SaveForm {...{ id, draft, readOnly }} path={found.path} />}
        <p>
          <a href={jobPath(draft.job, `/change?draft=${id}`)}>Back to the change</a>
        </p>
      </>
    ),
    live:
      since === null ? undefined : (
        <p role="status">
          Trying it since <Time at={since} show="time" />. Nothing is sent, and nothing is saved.
        </p>
      ),
  };
}

type ChangesProps = { readonly before: string; readonly after: string };

function Changes({ before, after }: ChangesProps) {
  const changes = changesBetween(before, after);
  if (changes.length === 0) return <p>Only comments, or how it is written: it says the same.</p>;
  return (
    <Table
      name="What is changed"
      heads={['setting', { mono: 'now' }, { mono: 'then' }]}
      rows={changes.map(({ setting, before: was, after: is }) => [
        <Text of={setting} bytes={200} />,
        <Text of={was ?? ''} bytes={300} />,
        <Text of={is ?? ''} bytes={300} />,
      ])}
    />
  );
}

function Tried({ of: trial }: { readonly of: Trial }) {
  const { isAny, bad, said } = trialWords(trial);
  if (trial.length === 0) return <p>No file of this job was loaded yet: there is nothing to try it on.</p>;
  return (
    <>
      {bad.map((words) => (
        <p class="verdict bad">
          <b aria-hidden="true">✗</b> {words}.
        </p>
      ))}
      {isAny ? <p class={bad.length === 0 ? 'verdict ok' : ''}>{`${said.join('; ')}.`}</p> : null}
      <Table
        name="By delivery"
        heads={['delivery', { n: 'would pass' }, { n: 'would be invalid' }, { n: 'sent differently' }, 'how']}
        rows={trial.map((one) => {
          const run = <a href={runPath(one.run)}>{one.run}</a>;
          if ('why' in one) return [run, '', '', '', <Text of={`not tried: ${one.why}`} bytes={500} />];
          const counts = [one.pass.rows, one.refused.rows, one.differ.rows].map(numberShown);
          const fields = one.differ.fields.map(({ field, rows }) => `${field} ${numberShown(rows)}`);
          const refused = one.refused.examples.map(({ row, why }) => `row ${row}: ${why}`);
          return [run, ...counts, <Text of={[...refused, ...fields].join('; ')} bytes={900} />];
        })}
      />
    </>
  );
}

type SaveProps = {
  readonly id: string;
  readonly draft: JobDraft;
  readonly path: string;
  /** `null`: it can be saved. */
  readonly readOnly: string | null;
};

function SaveForm({ id, draft, path, readOnly }: SaveProps) {
  const action = jobPath(draft.job, `/drafts/${id}`);
  if (readOnly !== null)
    return (
      <>
        <p>
          <Text
            of={`${path} ${readOnly}: put the changed file there by the way that jobs come.`}
            bytes={600}
          />
        </p>
        <p>
          <a href={`${action}/file`} class="btn go">
            {`Download ${draft.job}.yaml`}
          </a>
        </p>
      </>
    );
  return (
    <form method="post" action={action}>
      {draft.confirms === null ? (
        <p>
          <label>
            Why <input name="why" maxlength={WHY_CHARACTERS} size={40} required />
          </label>
        </p>
      ) : null}
      <p class="acts">
        <button type="submit" class="go">
          {draft.confirms === null ? 'Save it' : 'Confirm it'}
        </button>
        <a href={jobPath(draft.job)}>Leave the job as it is</a>
      </p>
    </form>
  );
}

async function save(visit: PageVisit): Promise<Reply> {
  const known = draftOf(visit);
  if (known === null) return NO_DRAFT;
  const { id, draft } = known;
  const { page, form } = visit;
  const place = jobPath(draft.job, `/drafts/${id}`);
  if (page.trials.state(id)?.kind === 'under-way') return { kind: 'redirect', to: place };
  const { job, base, text, run, confirms } = draft;
  const why = (form.get('why') ?? '').slice(0, WHY_CHARACTERS);
  const answer = await askFor(
    visit,
    confirms === null
      ? { kind: 'change-job', job, base, text, why }
      : { kind: 'confirm-job', job, version: confirms },
  );
  return told(answer, place, run === '' ? jobPath(job) : runPath(run, '/rerun?only=invalid'));
}

async function download(visit: PageVisit): Promise<Reply> {
  const known = draftOf(visit);
  if (known === null) return NO_DRAFT;
  const { job, text } = known.draft;
  return { kind: 'download', name: `${job}.yaml`, type: 'application/octet-stream', body: text };
}

async function showVersion(visit: PageVisit): Promise<Reply> {
  const found = await jobOf(visit);
  const version = found?.versions.find(({ n }) => String(n) === visit.params.n);
  if (found == null || version === undefined) return { kind: 'missing', words: 'There is no such version.' };
  const { name, versions } = found;
  const former = versions.find((one) => digestOf(one.text) === version.base);
  const title = `Version ${version.n} of ${name}`;
  return {
    kind: 'page',
    title,
    body: (
      <>
        <h1>{title}</h1>
        <p>
          <VersionWords of={version} />
        </p>
        {former === undefined ? null : <Changes before={former.text} after={version.text} />}
        <VersionActs of={version} job={name} isOperator={visit.visitor.role === 'operator'} />
        <h2>Its text</h2>
        <pre tabindex={0}>
          <Lines of={version.text} bytes={100_000} />
        </pre>
      </>
    ),
  };
}

type ActsProps = { readonly of: JobVersion; readonly job: string; readonly isOperator: boolean };

function VersionActs({ of: { n, state }, job, isOperator }: ActsProps) {
  if (!isOperator || state === 'in use') return null;
  return state === 'waits' ? (
    <form method="post" action={jobPath(job, `/versions/${n}`)}>
      <p class="acts">
        <button type="submit" class="go">
          See what it would change, and confirm it
        </button>
      </p>
    </form>
  ) : (
    <p>
      <a href={jobPath(job, `/change?version=${n}`)}>Take this text up again</a>
    </p>
  );
}

function VersionWords({ of: { at, by, why, state, confirmed } }: { readonly of: JobVersion }) {
  return (
    <>
      {state === 'waits' ? <b class="t-doubt">waits for another person</b> : state}, <Time at={at} />,{' '}
      <Text of={by === '' ? 'as it stood in the jobs folder' : by} bytes={100} />
      {why === '' ? null : (
        <>
          : <Text of={why} bytes={900} />
        </>
      )}
      {confirmed === null ? null : (
        <>
          {' '}
          (confirmed by <Text of={confirmed.by} bytes={100} />)
        </>
      )}
    </>
  );
}

/** The same look as at a new change. */
async function lookAtVersion(visit: PageVisit): Promise<Reply> {
  const found = await jobOf(visit);
  const version = found?.versions.find(({ n }) => String(n) === visit.params.n);
  if (found == null || version?.state !== 'waits') return NO_DRAFT;
  const { text, n, base } = version;
  return beginTrial(visit.page, { job: found.name, text, base, run: '', confirms: n });
}

const VERSIONS_SHOWN = 50;

/** Newest first, on the job's page. */
export async function Versions({ job, text, home }: { job: string; text: string; home: string }) {
  const versions = (await versionsOf(home, job, text)).slice(0, VERSIONS_SHOWN);
  if (versions.length === 0) return null;
  const isOurs = versions.some(({ state }) => state === 'in use');
  return (
    <>
      <h2>Its versions</h2>
      {isOurs ? null : <p>The text was changed in the jobs folder since: none of these is in use.</p>}
      <Table
        name="Versions"
        heads={[{ n: 'version' }, 'who, when and why']}
        rows={versions.map((version) => [
          <a href={jobPath(job, `/versions/${version.n}`)}>{version.n}</a>,
          <VersionWords of={version} />,
        ])}
      />
    </>
  );
}
