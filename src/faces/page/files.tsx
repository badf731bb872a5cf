/**
 * An upload, and the jobs that would fit it. Only child processes read the file. mapping.tsx comes
 * next where no job fits, else checking.tsx.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { type Format, formatSchema, type Job } from '../../config/job-definition.ts';
import { misfits } from '../../delivery/run-mapping.ts';
import { cut, Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { type Row, rowSchema } from '../../model/row.ts';
import {
  type ReadingChoice,
  readingChoiceSchema,
  type SourceInfo,
  sourceInfoSchema,
  sourceWords,
} from '../../model/source.ts';
import type { FileSample } from '../../runs/check/proposal.ts';
import { takesFile } from '../../runs/inbox/job-book.ts';
import { Facts, Table, Time } from '../../runs/report/html/parts.tsx';
import type { Reply } from '../web/visit.ts';
import { COLUMNS_SHOWN, MoreColumns, Problems } from '../web/words.tsx';
import type { Unread } from './child.ts';
import { textsOf } from './draft.ts';
import { readJobs } from './jobs.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import {
  Choices,
  type ChoicesProps,
  type Reading,
  ReadOtherwise,
  readingArguments,
  readingIn,
  readingOf,
  readsOtherwise,
} from './reading.tsx';
import type { Upload } from './uploads.ts';

export const filesRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/upload', role: 'operator', answer: showUploads },
  { method: 'PUT', path: '/uploads', role: 'operator', answer: receive },
  { method: 'GET', path: '/uploads/:id', role: 'operator', readsFile: true, answer: showUpload },
  { method: 'POST', path: '/uploads/:id/discard', role: 'operator', answer: discard },
];

export const GONE = {
  kind: 'missing',
  words: 'There is no such upload any more: files are kept for a day.',
} as const;

const STEPS = ['Upload', 'Map', 'Check', 'Start'] as const;

type StepsProps = { readonly here: (typeof STEPS)[number]; readonly id?: string };

/** From a file to a run; `id`: the upload's, once there is one. */
export function Steps({ here, id }: StepsProps) {
  const paths = ['/upload', `/uploads/${id}`];
  const at = STEPS.indexOf(here);
  return (
    <ol class="steps" aria-label="Steps">
      {STEPS.map((step, i) => (
        <li aria-current={i === at ? 'step' : undefined}>
          {i < at && i < paths.length ? <a href={paths[i]}>{step}</a> : step}
        </li>
      ))}
    </ol>
  );
}

async function showUploads({ page }: PageVisit): Promise<Reply> {
  const uploads = await page.uploads.list();
  return {
    kind: 'page',
    title: 'Upload',
    body: (
      <>
        <Steps here="Upload" />
        <h1>Upload a file</h1>
        <p>
          A CSV, JSON, NDJSON or Excel (.xlsx) file as the partner sends it. Nothing is sent to the service
          before you have seen what would be sent, and said so.
        </p>
        <div class="drop" data-upload="/uploads">
          <label class="btn go">
            Choose a file <input type="file" class="unseen" />
          </label>{' '}
          <span class="dim">or drop it here</span>
          <progress max={100} value={0} hidden aria-label="How much of it is here" />
          <p role="status" />
        </div>
        <noscript>
          <p>
            <Prose of="Uploads need the page's script. Without it, put the file into the inbox folder, or use `onboard run`." />
          </p>
        </noscript>
        {uploads.length === 0 ? null : <HereAlready uploads={uploads} />}
      </>
    ),
  };
}

function HereAlready({ uploads }: { readonly uploads: readonly Upload[] }) {
  return (
    <section>
      <h2>Here already</h2>
      <Table
        name="Uploads"
        heads={['file', { n: 'bytes' }, 'by', 'came in', '']}
        rows={uploads.map(({ id, given, bytes, by, at }) => [
          <a href={`/uploads/${id}`}>
            <Text of={given} bytes={150} />
          </a>,
          numberShown(bytes),
          <Text of={by} bytes={80} />,
          <Time at={at} />,
          <Discard id={id} />,
        ])}
      />
    </section>
  );
}

function Discard({ id }: { readonly id: string }) {
  return (
    <form method="post" action={`/uploads/${id}/discard`}>
      <button type="submit" class="danger">
        Discard
      </button>
    </form>
  );
}

/** The browser goes on to the upload's own page. */
async function receive({ query, bytes, page, visitor }: PageVisit): Promise<Reply> {
  if (bytes === null) return { kind: 'missing', words: 'No file came.' };
  const { id } = await page.uploads.receive(query.get('name') ?? '', visitor.name, bytes);
  return { kind: 'json', value: { to: `/uploads/${id}` } };
}

async function discard({ params, page }: PageVisit): Promise<Reply> {
  await page.uploads.discard(params.id ?? '');
  return { kind: 'redirect', to: '/upload' };
}

/** The output of `onboard map --json`. */
const sampleSchema = z.object({
  source: sourceInfoSchema,
  rows: z.array(rowSchema),
  // As it was given: the schema would add defaults.
  format: z.custom<Partial<Format>>((format) => formatSchema.partial().safeParse(format).success),
  choices: z.array(readingChoiceSchema).default([]),
});

/** Its output where the file can't be read so, but otherwise. */
const choicesSchema = sampleSchema.pick({ choices: true });

/**
 * Its first rows, or why it can't be read. Without settings from the form it is read by itself, and
 * where that fails, or no job takes it so, as a job with fitting columns reads its files.
 */
export async function sampleOf(
  page: PageContext,
  upload: Upload,
  reading: Reading,
): Promise<FileSample | Unread> {
  const plain = await readSo(page, upload, reading);
  if (Object.keys(reading).length > 0) return plain;
  const jobs = await readJobs(page.env.jobsDirectory);
  const takesPlain = ({ job }: (typeof jobs)[number]) =>
    job !== null && 'source' in plain && misfits(job.definition, plain.source).length === 0;
  if (jobs.some(takesPlain)) return plain;
  const tried = new Set<string>();
  for (const { job } of jobs) {
    const own = job === null ? {} : readingOf(job.definition.format);
    if (job === null || Object.keys(own).length === 0) continue;
    if (tried.add(JSON.stringify(own)).size > READINGS_TRIED) return plain;
    const sample = await readSo(page, upload, own);
    if ('source' in sample && misfits(job.definition, sample.source).length === 0) return sample;
  }
  return plain;
}

const READINGS_TRIED = 5;

async function readSo(
  { samples, runChild }: PageContext,
  { id, path, given }: Upload,
  reading: Reading,
): Promise<FileSample | Unread> {
  const name = `${id} ${JSON.stringify(reading)}`;
  const known = samples.get(name);
  if (known !== undefined) return known;
  const { exitCode, stdout, problems } = await runChild(
    ['map', '--json', ...readingArguments(reading)],
    [path],
  );
  const sample =
    exitCode === 0
      ? { ...withoutHidden(sampleSchema.parse(JSON.parse(stdout))), file: given }
      : {
          problems: problems.map((problem) => problem.replaceAll(path, given)),
          choices: stdout.trim() === '' ? [] : choicesSchema.parse(JSON.parse(stdout)).choices,
        };
  samples.set(name, sample);
  return sample;
}

function withoutHidden({ rows, ...sample }: z.infer<typeof sampleSchema>) {
  const cut = (row: Row) =>
    row.kind === 'cells' ? { ...row, cells: row.cells.slice(0, COLUMNS_SHOWN) } : row;
  return { ...sample, rows: rows.map(cut) };
}

type FittingJob = Job & {
  /** Its `files` take a file of that name. */
  readonly isNamed: boolean;
  readonly problems: readonly string[];
};

/** All jobs, best first: those whose `files` and columns fit. */
async function fittingJobs(sample: FileSample, { env }: PageContext): Promise<readonly FittingJob[]> {
  const rank = ({ isNamed, problems }: FittingJob) => (problems.length === 0 ? 2 : 0) + (isNamed ? 1 : 0);
  const fitting: FittingJob[] = [];
  for (const { job } of await readJobs(env.jobsDirectory)) {
    if (job === null) continue;
    const isNamed = takesFile(job.definition, sample.file);
    const otherwise = readsOtherwise(sample.format, job.definition.format);
    const problems = otherwise === null ? misfits(job.definition, sample.source) : [otherwise];
    fitting.push({ ...job, isNamed, problems });
    // A wide file's columns take each job a while: other requests go in between.
    await turn();
  }
  return fitting.toSorted((a, b) => rank(b) - rank(a));
}

async function showUpload({ params, query, page }: PageVisit): Promise<Reply> {
  const upload = await page.uploads.find(params.id ?? '');
  if (upload === null) return GONE;
  const reading = readingIn(query);
  const sample = await sampleOf(page, upload, reading);
  return {
    kind: 'page',
    title: upload.given,
    body: (
      <>
        <Steps here={'source' in sample ? 'Map' : 'Upload'} id={upload.id} />
        <h1>
          <Text of={upload.given} bytes={150} />
        </h1>
        {'source' in sample ? (
          <Read
            upload={upload}
            sample={sample}
            jobs={await fittingJobs(sample, page)}
            chosen={query.get('job')}
          />
        ) : (
          <CantBeRead upload={upload} reading={reading} read={sample} />
        )}
        <div class="apart">
          <Discard id={upload.id} />
        </div>
      </>
    ),
  };
}

type CantBeReadProps = Omit<ChoicesProps, 'choices'> & { readonly read: Unread };

function CantBeRead({ read, ...props }: CantBeReadProps) {
  const { problems, choices } = read;
  const otherwise = <ReadOtherwise {...props} read={read} />;
  if (choices.length === 0)
    return (
      <>
        <p>It can't be read so. Nothing was sent.</p>
        <Problems of={problems} />
        {otherwise}
      </>
    );
  return (
    <>
      <p>Nothing was sent. The file doesn't say how it is to be read:</p>
      <Choices {...props} choices={choices} />
      <details>
        <summary>What the reader says, and all that can be set</summary>
        <Problems of={problems} />
        {otherwise}
      </details>
    </>
  );
}

type ReadProps = JobsProps & { readonly sample: FileSample };

function Read({ sample, ...props }: ReadProps) {
  const { source, format, choices = [] } = sample;
  const isNew = props.jobs.every(({ problems }) => problems.length > 0);
  return (
    <>
      <p class="dim">
        <Text of={`${sourceWords(source)}; ${countOf(source.columns.length, 'column')}.`} />
      </p>
      {source.notes.map((note) => (
        <p>
          <Text of={note} bytes={500} />
        </p>
      ))}
      <details open={hasWider(choices, source)}>
        <summary>Read it otherwise</summary>
        <Choices upload={props.upload} reading={readingOf(format)} choices={choices} sheet={source.sheet} />
        <ReadOtherwise upload={props.upload} reading={readingOf(format)} read={sample} />
      </details>
      <Jobs {...props} />
      <p>
        <a
          href={`/uploads/${props.upload.id}/map?${new URLSearchParams(readingOf(format))}`}
          class={isNew ? 'btn go' : undefined}
        >
          Make a new job for it
        </a>
        : choose which column is which field.
      </p>
      <Misfits jobs={props.jobs} />
      <FirstRows sample={sample} />
    </>
  );
}

/** The rows probably stand on another sheet, or in a list. */
function hasWider(choices: readonly ReadingChoice[], { columns }: SourceInfo): boolean {
  return choices.some(({ setting, shows }) => setting === 'records' || shows.length > columns.length);
}

type JobsProps = {
  readonly upload: Upload;
  readonly jobs: readonly FittingJob[];
  readonly chosen: string | null;
};

function Jobs({ upload: { id }, jobs, chosen }: JobsProps) {
  const fitting = jobs.filter(({ problems }) => problems.length === 0);
  const first = fitting.find(({ name }) => name === chosen) ?? fitting[0];
  return (
    <>
      <h2>Which job takes it?</h2>
      {first === undefined ? (
        <p>None of the jobs fits this file.</p>
      ) : (
        <form method="post" action={`/uploads/${id}/check`}>
          {fitting.map(({ name, definition, isNamed }) => (
            <p>
              <label>
                <input type="radio" name="job" value={name} checked={name === first.name} /> <b>{name}</b>{' '}
                <span class="dim">
                  {definition.operation}
                  {isNamed ? ', takes files of this name' : ''}
                </span>
              </label>
            </p>
          ))}
          <p class="acts">
            <button type="submit" class="go">
              Check the file with it
            </button>
          </p>
        </form>
      )}
    </>
  );
}

const MISFITS_SHOWN = 3;

function Misfits({ jobs }: Pick<JobsProps, 'jobs'>) {
  const unfit = jobs.filter(({ problems }) => problems.length > 0);
  if (unfit.length === 0) return null;
  return (
    <details>
      <summary>{`${countOf(unfit.length, 'job')} that can't take it, and why`}</summary>
      <Facts
        of={unfit.map(({ name, problems }) => [
          name,
          <Text of={problems.slice(0, MISFITS_SHOWN).join(' ')} bytes={1_000} />,
        ])}
      />
    </details>
  );
}

const ROWS_SHOWN = 10;

function FirstRows({ sample: { source, rows } }: Pick<ReadProps, 'sample'>) {
  const columns = source.columns.slice(0, COLUMNS_SHOWN);
  return (
    <section>
      <h2>Its first rows</h2>
      <MoreColumns more={source.columns.length - COLUMNS_SHOWN} />
      <Table
        name="First rows"
        class="preview"
        heads={[{ n: 'line' }, ...columns.map((column) => cut(column, 100))]}
        rows={rows
          .slice(0, ROWS_SHOWN)
          .map((row) => [row.line, ...textsOf(row, columns).map((cell) => <Text of={cell} bytes={100} />)])}
      />
    </section>
  );
}
