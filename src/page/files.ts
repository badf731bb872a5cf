/** A file's way from the page to a run: what is known of uploads, and the processes that read, check and rehearse them. */
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { type FileSample, PURPOSES } from '../check/proposal.ts';
import { type Format, formatSchema, type Job } from '../config/job-definition.ts';
import { listJobs } from '../config/load-job.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { patternsOf, takesFile } from '../inbox/job-book.ts';
import { messageOf } from '../lib/errors.ts';
import { createRecentMap } from '../lib/recent.ts';
import { UsageError } from '../lib/usage-error.ts';
import { countUnsuccessful } from '../model/outcome.ts';
import { type Row, rowSchema } from '../model/row.ts';
import { sourceInfoSchema, sourceWords } from '../model/source.ts';
import { summarySchema } from '../report/summary.ts';
import {
  type CheckPart,
  type CheckShown,
  checkShownSchema,
  type Rehearsed,
  type Work,
} from '../web/checking.tsx';
import type { FilesPart, FittingJob, Looked } from '../web/files.tsx';
import type { MappingPart } from '../web/mapping.tsx';
import { type Reading, readingArguments, readingIn } from '../web/reading.tsx';
import { COLUMNS_SHOWN } from '../web/words.tsx';
import type { RunChild } from './child.ts';
import type { Desk } from './desk.ts';
import { readJobs } from './jobs.ts';
import { draftOf, textsOf } from './mapping.ts';
import type { Upload, Uploads } from './uploads.ts';

const UPLOADS_REMEMBERED = 20;
const WORKS_REMEMBERED = 100;

/** What `onboard map --json` prints of a file. */
const sampleSchema = z.object({
  source: sourceInfoSchema,
  rows: z.array(rowSchema),
  // As it was given: the schema would add what was not.
  format: z.custom<Partial<Format>>((format) => formatSchema.partial().safeParse(format).success),
});

export function createFilesPart(
  desk: Desk,
  { uploads, runChild }: { readonly uploads: Uploads; readonly runChild: RunChild },
): FilesPart & CheckPart & MappingPart {
  const samples = createRecentMap<string, FileSample | readonly string[]>(UPLOADS_REMEMBERED);
  const checks = createWorks<CheckShown>(desk);
  const rehearsals = createWorks<Rehearsed>(desk);

  /** Its first rows read so, or why it can't be. */
  async function readSo(id: string, reading: Reading): Promise<FileSample | readonly string[]> {
    const name = `${id} ${JSON.stringify(reading)}`;
    const known = samples.get(name);
    const upload = known === undefined ? await uploads.find(id) : null;
    if (known !== undefined || upload === null) return known ?? [];
    const given = readingArguments(reading);
    const { exitCode, stdout, problems } = await runChild(['map', '--json', ...given], [upload.path]);
    const sample =
      exitCode === 0
        ? { ...withoutHidden(sampleSchema.parse(JSON.parse(stdout))), file: upload.given }
        : problems.map((problem) => problem.replaceAll(upload.path, upload.given));
    samples.set(name, sample);
    return sample;
  }

  /** Without settings of somebody's own, and where it can't be read by itself, as a job reads its files that its columns fit. */
  async function sampleOf(id: string, reading: Reading): Promise<FileSample | readonly string[]> {
    const plain = await readSo(id, reading);
    if ('source' in plain || Object.keys(reading).length > 0) return plain;
    const jobs = (await readJobs(desk.env.jobsDirectory)).flatMap(({ job }) => job ?? []);
    for (const own of readingsOf(jobs)) {
      const sample = await readSo(id, own);
      if (!('source' in sample)) continue;
      const fitting = await fittingJobs(sample, desk);
      if (fitting.some(({ problems }) => problems.length === 0)) return sample;
    }
    return plain;
  }

  /** `null`: there is no such upload any more. What is no name of a job is no argument of any process. */
  async function uploadFor(id: string, job: string): Promise<Upload | null> {
    if ((await listJobs(desk.env.jobsDirectory)).includes(job)) return uploads.find(id);
    throw new UsageError(`There is no job “${job}” any more: expected one of those that the upload offers.`);
  }

  async function check(id: string, job: string): Promise<void> {
    const upload = await uploadFor(id, job);
    if (upload === null) return;
    checks.begin(`${id} ${job}`, async () => {
      const target = desk.target === 'sandbox' ? ['--sandbox'] : [];
      const { exitCode, stdout, problems } = await runChild(
        ['check', '--json', ...target],
        [job, upload.path],
      );
      if (exitCode !== 0 && exitCode !== 1) throw new UsageError(problems);
      return checkShownSchema.parse(JSON.parse(stdout));
    });
  }

  return {
    operations: PURPOSES,
    receive: uploads.receive,
    uploads: uploads.list,
    upload: uploads.find,
    discard: (id) => uploads.discard({ id }),
    async look(id, reading): Promise<Looked> {
      const sample = await sampleOf(id, reading);
      if (!('source' in sample)) return { kind: 'unreadable', problems: sample };
      const shown = sample.source.columns.slice(0, COLUMNS_SHOWN);
      return {
        kind: 'read',
        understood: sourceWords(sample.source),
        reading: readingOf(sample.format),
        notes: sample.source.notes,
        columns: sample.source.columns,
        rows: sample.rows.map((row) => ({ line: row.line, cells: textsOf(row, shown) })),
        jobs: await fittingJobs(sample, desk),
      };
    },
    async draft({ upload, reading }, operation, form) {
      const sample = await sampleOf(upload, reading);
      if ('source' in sample) return draftOf(sample, operation, form, sample.file);
      return (await uploads.find(upload)) === null ? null : Promise.reject(new UsageError([...sample]));
    },
    check,
    checked: (id, job) => checks.state(`${id} ${job}`),
    async rehearse(id, job) {
      const upload = await uploadFor(id, job);
      if (upload === null) return;
      rehearsals.begin(`${id} ${job}`, async () => {
        const asked = ['run', '--sandbox', '--again', '--json'];
        const { exitCode, stdout, problems } = await runChild(asked, [job, upload.path]);
        if (stdout.trim() === '') throw new UsageError(problems);
        const { run, rows, outcomes } = summarySchema.parse(JSON.parse(stdout));
        const bad = countUnsuccessful(outcomes);
        const words = `Rehearsed: ${rows - bad} of ${rows} rows succeeded at the stand-in (exit status ${exitCode}).`;
        return { run, words };
      });
    },
    rehearsed: (id, job) => rehearsals.state(`${id} ${job}`),
    async hostToType() {
      if (desk.target === 'sandbox') return null;
      const runs = await desk.ledger.index.latest(RUNS_LOOKED_THROUGH);
      return runs.some(({ target }) => target === desk.target) ? null : new URL(desk.target).host;
    },
  };
}

/** Without the cells that no page shows. */
function withoutHidden({ rows, ...sample }: z.infer<typeof sampleSchema>) {
  const cut = (row: Row) =>
    row.kind === 'cells' ? { ...row, cells: row.cells.slice(0, COLUMNS_SHOWN) } : row;
  return { ...sample, rows: rows.map(cut) };
}

const READINGS_TRIED = 5;

/** How jobs read their files, where that is not found by itself. */
function readingsOf(jobs: readonly Job[]): readonly Reading[] {
  const all = jobs.map(({ definition }) => readingOf(definition.format));
  const different = new Map(all.map((reading) => [JSON.stringify(reading), reading]));
  different.delete('{}');
  return [...different.values()].slice(0, READINGS_TRIED);
}

function readingOf({ header, delimiter, encoding, sheet, records }: Partial<Format>): Reading {
  const given = new URLSearchParams();
  if (header !== undefined) given.set('header', String(header));
  if (delimiter !== undefined && delimiter !== 'auto') given.set('delimiter', delimiter);
  if (encoding !== undefined && encoding !== 'auto') given.set('encoding', encoding);
  if (sheet !== undefined) given.set('sheet', sheet);
  if (records !== undefined) given.set('records', records);
  return readingIn(given);
}

const RUNS_LOOKED_THROUGH = 1_000;

/** All jobs, those first that take files of that name and fit its columns. */
async function fittingJobs(sample: FileSample, { env }: Desk): Promise<readonly FittingJob[]> {
  const rank = ({ isNamed, problems }: FittingJob) => (problems.length === 0 ? 2 : 0) + (isNamed ? 1 : 0);
  const fitting: FittingJob[] = [];
  for (const { name, job } of await readJobs(env.jobsDirectory)) {
    if (job === null) continue;
    const { definition } = job;
    const isNamed = patternsOf(definition).length > 0 && takesFile(definition, sample.file);
    const problems = problemsWith(() => mappingFor(definition, sample.source));
    fitting.push({ name, operation: definition.operation, isNamed, problems });
    // The columns of a wide file take each job a while: others are answered between them.
    await turn();
  }
  return fitting.toSorted((a, b) => rank(b) - rank(a));
}

function problemsWith(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
}

/** Works that take a while, each once, and what became of the last of them. */
function createWorks<T>({ clock, log }: Pick<Desk, 'clock' | 'log'>) {
  const works = createRecentMap<string, Work<T>>(WORKS_REMEMBERED);
  return {
    state: (name: string): Work<T> => works.get(name) ?? { kind: 'none' },
    begin(name: string, work: () => Promise<T>): void {
      if (works.get(name)?.kind === 'under-way') return;
      works.set(name, { kind: 'under-way', since: clock.date().toISOString() });
      work().then(
        (value) => works.set(name, { kind: 'done', value }),
        (error: unknown) => {
          if (!(error instanceof UsageError)) log.error('page', { problem: messageOf(error) });
          const problems = error instanceof UsageError ? error.problems : [messageOf(error)];
          works.set(name, { kind: 'failed', problems });
        },
      );
    },
  };
}
