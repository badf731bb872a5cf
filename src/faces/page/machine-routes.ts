/**
 * What programs can ask of the page's server, made of what its pages are made of: runs, their rows,
 * accounts and causes, jobs, uploads, and the acts that need no person. The JSON of a run, an
 * account and a check is that of `onboard status`, `account` and `check` with `--json`.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import { operationOf } from '../../config/job-definition.ts';
import { listJobs } from '../../config/load-job.ts';
import type { Ask } from '../../model/ask.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import { RUN_STATES, type Run, runStateSchema } from '../../model/run.ts';
import { patternsOf } from '../../runs/inbox/job-book.ts';
import { RERUN_OUTCOMES } from '../../runs/rerun.ts';
import { isRead, readRunStatus, runOf, stateOf } from '../../runs/status.ts';
import { reportDirectory } from '../../session.ts';
import {
  MachineProblem,
  type MachineReply,
  type MachineRoute,
  type MachineVisit,
  machineRoute,
} from '../web/machines.ts';
import { askFor, WHY_CHARACTERS } from './acting.tsx';
import { beginCheck, checkOf, hostToType } from './checking.tsx';
import { readJobs } from './jobs.tsx';
import {
  accountAnswer,
  actAnswer,
  causesAnswer,
  checkAnswer,
  jobsAnswer,
  planAnswer,
  rowsAnswer,
  runAnswer,
  runsAnswer,
  underWayAnswer,
  uploadAnswer,
} from './machine-answers.ts';
import type { PageContext } from './page-context.ts';
import { type ListedRow, nextRows, openSearch, type Search } from './row-search.ts';
import { cellsOf } from './run-rows.ts';
import { findRuns } from './runs.tsx';
import type { Upload } from './uploads.ts';

const FOLDERS_BELOW = /^(?:[\w.-]+\/)*/;

/** Of files the names alone: where they lie on this machine is of no use elsewhere. */
function withoutPlaces(problems: readonly string[], { env }: Pick<PageContext, 'env'>): string[] {
  const cut = (text: string, folder: string) => {
    const [before = '', ...behind] = text.split(`${folder}/`);
    return before + behind.map((piece) => piece.replace(FOLDERS_BELOW, '')).join('');
  };
  return problems.map((text) => cut(cut(text, env.jobsDirectory), env.home));
}

type Visit<Query = unknown, Body = unknown> = MachineVisit<PageContext, Query, Body>;

const place = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

function ok(value: unknown): MachineReply {
  return { status: 200, value };
}

async function runAsked({ params, page }: Visit): Promise<Run> {
  const run = await runOf(page.ledger, params.id ?? '');
  if (run === null) throw new MachineProblem(404, ['There is no such run in the ledger.']);
  return run;
}

async function toldRun(run: Run, { env, ledger }: PageContext) {
  const state = stateOf(run, await isRead(run.id, ledger.of(run.target).store));
  const status = await readRunStatus({ run, state }, reportDirectory(env, run.id));
  // Where files lie on this machine, and what is typed there, is of no use elsewhere.
  return runAnswer.parse({ ...status, file: basename(status.file) });
}

const runsQuery = z.strictObject({
  state: z.enum(RUN_STATES).optional(),
  job: z.string().max(200).optional(),
  before: place.optional(),
});

const runs = machineRoute({
  method: 'GET',
  path: '/api/runs',
  role: 'viewer',
  summary: 'Runs, newest first, 50 a page',
  query: runsQuery,
  answers: { 200: runsAnswer },
  async answer({ query, page }: Visit<z.infer<typeof runsQuery>>) {
    const { state = null, job = '', before: skipped = 0 } = query;
    const found = await findRuns(page, { state, job, skipped });
    const told = found.runs.map(async ({ id }) => {
      const run = await runOf(page.ledger, id);
      return run === null ? [] : [await toldRun(run, page)];
    });
    return ok({ runs: (await Promise.all(told)).flat(), next: found.next });
  },
});

const oneRun = machineRoute({
  method: 'GET',
  path: '/api/runs/:id',
  role: 'viewer',
  summary: 'A run in numbers',
  answers: { 200: runAnswer },
  answer: async (visit: Visit) => ok(await toldRun(await runAsked(visit), visit.page)),
});

const rowsQuery = z.strictObject({
  outcome: z.enum(OUTCOMES).optional(),
  cause: z.string().max(100).optional(),
  q: z.string().max(200).optional(),
  after: place.optional(),
  cells: z.enum(['true']).optional(),
});

const rows = machineRoute({
  method: 'GET',
  path: '/api/runs/:id/rows',
  role: 'viewer',
  summary: 'Rows of a run in file order, 50 a page; with `cells=true`, for operators, those of open rows',
  query: rowsQuery,
  answers: { 200: rowsAnswer },
  async answer(visit: Visit<z.infer<typeof rowsQuery>>) {
    const { page, visitor, query } = visit;
    const { id: run } = await runAsked(visit);
    const { outcome = null, cause = null, q: text = '', after = 0, cells } = query;
    if (cells !== undefined && visitor.role !== 'operator')
      throw new MachineProblem(403, ['Cells are for operators: this token is a viewer’s.']);
    const asked = { run, outcome, cause, text, after, isLiteral: true };
    const search = await openSearch(page, { asked, visitor, digestOf: page.digests });
    if (search === null) throw new MachineProblem(404, ['There is no such run in the ledger.']);
    const mine = page.turnOf(visitor.name);
    const found = await nextRows(search, () => mine.aborted, page.clock.now);
    const texts = cells === undefined ? new Map() : await cellsIn(search, found.rows);
    const told = found.rows.map((one) => ({ ...toldRow(one), cells: texts.get(one.row) }));
    return ok({ rows: told, next: found.next, stoppedAt: found.stoppedAt });
  },
});

function toldRow({ row, settlement, words }: ListedRow) {
  if (settlement === null)
    return {
      row,
      line: 0,
      key: '',
      outcome: 'pending',
      status: 0,
      id: '',
      attempts: 0,
      ms: 0,
      code: '',
      message: '',
    };
  const { line, key, outcome, status, id, attempts, ms, code } = settlement;
  return { row, line, key, outcome, status, id, attempts, ms, code, message: words };
}

async function cellsIn({ view, run }: Search, listed: readonly ListedRow[]) {
  const sources = await view.sources(listed.map(({ row }) => row));
  return new Map(
    [...sources].map(([row, source]) => {
      return [row, Object.fromEntries(cellsOf(source, run.source.columns) ?? [])] as const;
    }),
  );
}

const account = machineRoute({
  method: 'GET',
  path: '/api/runs/:id/account',
  role: 'viewer',
  summary: 'What became of every row of the run’s file, over corrections and re-runs',
  answers: { 200: accountAnswer },
  async answer(visit: Visit) {
    const run = await runAsked(visit);
    const told = await visit.page.accountOf(run);
    const openRows = await visit.page.openOf(told, run);
    return ok(accountAnswer.parse({ ...told, openRows }));
  },
});

const causes = machineRoute({
  method: 'GET',
  path: '/api/runs/:id/causes',
  role: 'viewer',
  summary: 'Why rows did not succeed, the commonest first',
  answers: { 200: causesAnswer },
  async answer(visit: Visit) {
    const run = await runAsked(visit);
    return ok(causesAnswer.parse(await visit.page.digests(run)));
  },
});

const jobs = machineRoute({
  method: 'GET',
  path: '/api/jobs',
  role: 'viewer',
  summary: 'Jobs that take files',
  answers: { 200: jobsAnswer },
  async answer({ page }: Visit) {
    const found = await readJobs(page.env.jobsDirectory);
    const told = found.map(({ name, job, problems }) => ({
      name,
      operation: job === null ? null : operationOf(job.definition),
      files: job === null ? [] : patternsOf(job.definition),
      problems: withoutPlaces(problems, page),
    }));
    return ok({ jobs: told });
  },
});

const uploadQuery = z.strictObject({ name: z.string().min(1).max(200) });

const upload = machineRoute({
  method: 'PUT',
  path: '/api/uploads',
  role: 'operator',
  summary: 'A file, as the body; `name` says what kind it is. It is kept for a day',
  query: uploadQuery,
  answers: { 201: uploadAnswer },
  async answer({ page, visitor, query, bytes }: Visit<z.infer<typeof uploadQuery>>) {
    if (bytes === null) throw new MachineProblem(400, ['Expected the file as the body.']);
    const { id, given, bytes: size } = await page.uploads.receive(query.name, visitor.name, bytes);
    return { status: 201 as const, value: { upload: id, name: given, bytes: size } };
  },
});

const throughJob = z.strictObject({ job: z.string().min(1).max(200) });

/** Both exist. */
async function uploadAsked({ params, page }: Visit, job: string): Promise<Upload> {
  const found = await page.uploads.find(params.id ?? '');
  if (found === null) throw new MachineProblem(404, ['There is no such upload: files are kept for a day.']);
  const names = await listJobs(page.env.jobsDirectory);
  if (!names.includes(job))
    throw new MachineProblem(404, [`There is no job ${job}: expected one of ${names.join(', ')}.`]);
  return found;
}

async function checked(visit: Visit<unknown, z.infer<typeof throughJob>>): Promise<MachineReply> {
  const { page, body } = visit;
  const found = await uploadAsked(visit, body.job);
  const known = checkOf(page, found, body.job);
  if (known === null) await beginCheck(page, found, body.job);
  const state = known ?? checkOf(page, found, body.job);
  switch (state?.kind) {
    case 'done':
      return ok({ ...state.value, state: 'done', file: found.given });
    case 'failed':
      throw new MachineProblem(409, withoutPlaces(state.problems, page));
    default:
      return {
        status: 202,
        value: { state: 'under-way', since: state?.since ?? page.clock.date().toISOString() },
      };
  }
}

const check = machineRoute({
  method: 'POST',
  path: '/api/uploads/:id/check',
  role: 'operator',
  summary: 'What would be sent of it, and what not; 202 while it is read: ask again',
  body: throughJob,
  answers: { 200: checkAnswer, 202: underWayAnswer },
  answer: checked,
});

const plan = machineRoute({
  method: 'POST',
  path: '/api/uploads/:id/plan',
  role: 'operator',
  summary: 'What is new, changed, unchanged and gone; 202 while it is read: ask again',
  body: throughJob,
  answers: { 200: planAnswer, 202: underWayAnswer },
  async answer(visit: Visit<unknown, z.infer<typeof throughJob>>) {
    const reply = await checked(visit);
    return reply.status === 200 ? ok(planAnswer.parse(reply.value)) : reply;
  },
});

const startBody = throughJob.extend({
  /** Even where the file was loaded before. */
  again: z.boolean().default(false),
  /** Of the service, before the first run there. */
  host: z.string().max(300).optional(),
});

const start = machineRoute({
  method: 'POST',
  path: '/api/uploads/:id/start',
  role: 'operator',
  summary: 'Makes the upload a run; the same Idempotency-Key within a day answers the same run',
  body: startBody,
  isOnce: true,
  answers: { 202: actAnswer },
  async answer(visit: Visit<unknown, z.infer<typeof startBody>>) {
    const { page, params, body, once } = visit;
    const host = await hostToType(page);
    if (host !== null && body.host !== host)
      throw new MachineProblem(409, [`It would be the first run there: expected "host": "${host}".`]);
    const { job, again } = body;
    return acted(visit, { kind: 'take', upload: params.id ?? '', job, again, once: once ?? undefined });
  },
});

/** Of who asks, after the process that acts has looked. */
async function acted({ page, visitor }: Visit, ask: Ask): Promise<MachineReply> {
  const answer = await askFor({ page, visitor }, ask);
  switch (answer.kind) {
    case 'done':
      return { status: 202, value: { run: answer.run, words: answer.words } };
    case 'refused':
      throw new MachineProblem(409, withoutPlaces(answer.problems, page));
    case 'moved-on':
      throw new MachineProblem(409, [`The run is ${answer.state} by now: nothing was done.`]);
    default:
      return answer satisfies never;
  }
}

const controlBody = z.strictObject({
  /** The state that the caller knows; in another nothing is done. */
  seen: runStateSchema.optional(),
  why: z.string().max(WHY_CHARACTERS).default(''),
});

function control(kind: 'pause' | 'resume' | 'cancel', summary: string) {
  return machineRoute({
    method: 'POST',
    path: `/api/runs/:id/${kind}`,
    role: 'operator',
    summary,
    body: controlBody,
    answers: { 202: actAnswer },
    async answer(visit: Visit<unknown, z.infer<typeof controlBody>>) {
      const { id, state } = await runAsked(visit);
      const { seen = state, why } = visit.body;
      return acted(visit, kind === 'resume' ? { kind, run: id, seen } : { kind, run: id, seen, why });
    },
  });
}

const rerunBody = z.strictObject({
  only: z.array(z.enum(RERUN_OUTCOMES)).default([]),
  cause: z.string().max(100).nullable().default(null),
  /** Through the job as it is now. */
  corrected: z.boolean().default(false),
});

const rerun = machineRoute({
  method: 'POST',
  path: '/api/runs/:id/rerun',
  role: 'operator',
  summary: 'The rows that did not succeed, as a run of their own',
  body: rerunBody,
  answers: { 202: actAnswer },
  async answer(visit: Visit<unknown, z.infer<typeof rerunBody>>) {
    const { id: run } = await runAsked(visit);
    const { only, cause, corrected: isCorrected } = visit.body;
    return acted(visit, { kind: 'rerun', run, only, cause, isCorrected });
  },
});

export const MACHINE_ROUTES: readonly MachineRoute<PageContext>[] = [
  runs,
  oneRun,
  rows,
  account,
  causes,
  control('pause', 'Nothing more of it is sent until it is resumed'),
  control('resume', 'It goes on; what waits for a person is let go by a person'),
  control('cancel', 'Nothing more of it is sent'),
  rerun,
  jobs,
  upload,
  check,
  plan,
  start,
];
