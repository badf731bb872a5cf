/** What `onboard check --json` prints: it holds cell values, for the person who asked. */
import type { JobDefinition } from '../../config/job-definition.ts';
import { ratePerSecond } from '../../config/send-settings.ts';
import { referenceIssue } from '../../delivery/references.ts';
import type { Delivery } from '../../engine/ledger/run-record.ts';
import type { KeyState } from '../../model/identity.ts';
import type { ReferenceSpace } from '../../model/mapping.ts';
import type { Call } from '../../model/operation.ts';
import type { ServiceRequest } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import type { Run } from '../../model/run.ts';
import { expectedWords } from '../../model/sentence.ts';
import type { Warning } from '../../model/settlement.ts';
import type { SourceInfo } from '../../model/source.ts';
import { nameOf } from '../../operations/own.ts';
import { createTally } from '../report/tally.ts';
import type { Fate, Forecast, ForeseenReference, RowIssue } from './forecast.ts';
import type { LastDelivery, Look } from './ledger.ts';
import { createPlan, type Listed } from './plan.ts';

export type Checked = ReturnType<ReturnType<typeof createFindings>['result']>;

export type FoundIssue = Omit<RowIssue, 'values'>;

type KeyExample = {
  readonly row: number;
  readonly line: number;
  /** `null`: the job names no key, so the row is known by its content. */
  readonly key: string | null;
  readonly kind: 'known' | 'held';
  readonly run: string;
  readonly id: string;
};

type OpenReference = {
  readonly row: number;
  readonly line: number;
  readonly column: string;
  readonly space: ReferenceSpace;
  readonly key: string;
  readonly state: 'free' | 'held' | 'in-doubt' | 'not-created';
  /** Why the row would be invalid now. */
  readonly expected: string;
};

type SampleRequest = {
  readonly row: number;
  readonly line: number;
  readonly method: ServiceRequest['method'];
  readonly path: string;
  readonly body: unknown;
  /** What it refers to has to be loaded first. */
  readonly waits: boolean;
};

/** The job's `send.rate`, its last finished run, or that answers take ASSUMED_MS. */
type Basis = 'rate' | 'last-run' | 'assumption';

export type Estimate = ReturnType<typeof estimateOf>;

const ISSUES_SHOWN = 100;
/** Also beyond those: what is wrong in a whole column must not hide the others. */
export const ISSUES_OF_CAUSE = 5;
/** Of each warning, of known keys, of open references and of requests. */
const EXAMPLES_SHOWN = 3;

type Sent = Extract<Fate, { kind: 'sent' }>;

type Context = {
  readonly job: string;
  readonly reading: { readonly path: string; readonly source: SourceInfo };
  readonly rows: number;
  readonly look: Look;
  readonly earlier: Run | null;
  readonly delivery: Delivery | undefined;
  readonly estimate: Estimate;
  readonly against: LastDelivery | null;
  /** Each file of the job has all records: what it lacks is gone. */
  readonly isFull: boolean;
};

export function createFindings(listed: Listed | null = null) {
  const tally = createTally();
  const issues = createIssueList(tally);
  const warnings = createWarningList(tally);
  const keys = createKeyTally();
  const references = createReferenceTally();
  const requests = createRequestTally();
  const plan = createPlan(listed);
  const counts = { skipped: 0, waiting: 0 };

  const addSent = ({ rows, leader }: Forecast, sent: Sent) => {
    const { request, waits } = sent;
    sent.warnings.forEach(warnings.add);
    references.add(leader, sent.references);
    if (waits) counts.waiting += rows.length;
    else requests.count(request.call, rows.length);
    requests.show(leader, request, waits);
  };

  return {
    isShown: requests.isShown,
    add(forecast: Forecast) {
      const { rows, state, fate } = forecast;
      if (state.kind === 'known' || state.kind === 'held') keys.add(forecast, state);
      plan.add(forecast);
      switch (fate.kind) {
        case 'invalid':
          return issues.add(rows, fate.issues);
        case 'skipped':
          counts.skipped += rows.length;
          return fate.warnings.forEach(warnings.add);
        case 'sent':
          return addSent(forecast, fate);
        default:
          return fate satisfies never;
      }
    },
    addGone: plan.addGone,
    toSend: requests.counts,
    result(found: Context) {
      const { job, reading, rows, look, earlier, delivery, estimate, against, isFull } = found;
      const { columns: _, notes, ...source } = reading.source;
      return {
        file: reading.path,
        job,
        /** The sum of `invalid`, `skipped`, `waiting` and `sendable`. */
        rows,
        invalid: tally.outcomes().invalid,
        /** What its run would be told, or held for; `null`: nothing, or none is compared. */
        unusual: unusualOf(delivery),
        /** The first of them. */
        issues: issues.shown,
        issuesTotal: issues.total(),
        /** By code and column, commonest first. */
        causes: issues.causes(),
        /** Rows of which nothing is left to be done: their key is known. */
        skipped: counts.skipped,
        /** Refer to a record that there is not yet: sent before, they would be invalid. */
        waiting: counts.waiting,
        sendable: requests.counts().rows,
        source,
        notes,
        /** What looks damaged and would be sent all the same. */
        warnings: warnings.told(),
        /** `null`: there is no ledger to compare with. */
        plan: look.kind === 'none' ? null : plan.result(against, isFull),
        earlierRun: earlier === null ? null : { run: earlier.id, state: earlier.state },
        keys: keys.told(look),
        // Rows wait for nothing else.
        references: { ...references.counts(), unresolvedRows: counts.waiting },
        calls: requests.calls(),
        /** The first, and at least one of each call. */
        requests: requests.shown,
        estimate,
      };
    },
  };
}

function unusualOf(delivery: Delivery | undefined) {
  if (delivery === undefined || delivery.unusual.length === 0) return null;
  return { isHeld: delivery.isHeld, sentences: delivery.unusual };
}

type Tally = ReturnType<typeof createTally>;

function createIssueList(tally: Tally) {
  const shown: FoundIssue[] = [];
  const byCause = new Map<string, number>();
  let total = 0;
  const show = (issue: RowIssue) => {
    const cause = markOf(issue);
    const before = byCause.get(cause) ?? 0;
    byCause.set(cause, before + 1);
    if (shown.length < ISSUES_SHOWN || before < ISSUES_OF_CAUSE) shown.push(found(issue));
  };
  return {
    shown,
    total: () => total,
    causes: () => tally.issues().map(({ exampleRow: row, ...cause }) => ({ ...cause, row })),
    add(rows: readonly Row[], wrong: readonly RowIssue[]) {
      for (const { row } of rows) {
        const issues = wrong.filter((issue) => issue.row === row);
        tally.add({ row, outcome: 'invalid', code: issues[0]?.code ?? '', issues, warnings: [] });
      }
      total += wrong.length;
      wrong.forEach(show);
    },
  };
}

function createWarningList(tally: Tally) {
  const examples = new Map<string, FoundIssue[]>();
  return {
    add(warning: RowIssue) {
      tally.warn(warning.row, [warning]);
      const mark = markOf(warning);
      const known = examples.get(mark) ?? [];
      examples.set(mark, known);
      if (known.length < EXAMPLES_SHOWN) known.push(found(warning));
    },
    told: () =>
      tally.warnings().map(({ exampleRow: _, ...warning }) => {
        return { ...warning, examples: examples.get(markOf(warning)) ?? [] };
      }),
  };
}

function createKeyTally() {
  const counts = { known: 0, held: 0 };
  const examples: KeyExample[] = [];
  return {
    told: (look: Look) => ({
      target: look.kind === 'ledger' ? look.target : null,
      reason: look.kind === 'none' ? look.reason : null,
      ...counts,
      examples,
    }),
    add({ leader, key }: Forecast, state: Extract<KeyState, { kind: 'known' | 'held' }>) {
      const { kind, run } = state;
      counts[kind] += 1;
      if (examples.length === EXAMPLES_SHOWN) return;
      const { row, line } = leader;
      const id = state.kind === 'known' ? state.id : '';
      examples.push({ row, line, key, kind, run, id });
    },
  };
}

function createRequestTally() {
  const counts = { rows: 0, requests: 0 };
  const calls = new Map<Call, number>();
  const shown: SampleRequest[] = [];
  const shownCalls = new Set<Call>();
  const isShown = (call: Call) => shown.length < EXAMPLES_SHOWN || !shownCalls.has(call);
  return {
    shown,
    isShown,
    counts: () => ({ ...counts }),
    count(call: Call, rows: number) {
      counts.rows += rows;
      counts.requests += 1;
      calls.set(call, (calls.get(call) ?? 0) + 1);
    },
    show({ row, line }: Row, { call, method, path, body }: ServiceRequest, waits: boolean) {
      if (!isShown(call)) return;
      shownCalls.add(call);
      shown.push({ row, line, method, path, body: body === null ? null : JSON.parse(body), waits });
    },
    calls: () => Object.fromEntries([...calls].map(([call, count]) => [nameOf(call), count])),
  };
}

function markOf({ code, column }: Warning): string {
  return `${code} ${column}`;
}

function found({ values, ...issue }: RowIssue): FoundIssue {
  return { ...issue, expected: expectedWords({ ...issue, values }) };
}

function createReferenceTally() {
  /** `inFile`: an earlier row creates it, in this file or in one before it. */
  const counts = { total: 0, known: 0, inFile: 0, unresolved: 0 };
  const examples: OpenReference[] = [];
  const addOpen = (leader: Forecast['leader'], { reference, state }: ForeseenReference) => {
    counts.unresolved += 1;
    if (examples.length === EXAMPLES_SHOWN || state.kind === 'known') return;
    const { column, space, key } = reference;
    const { row, line } = leader;
    const expected = expectedWords(referenceIssue(leader, reference, state));
    examples.push({ row, line, column, space, key, state: stateName(state), expected });
  };
  return {
    add(leader: Forecast['leader'], references: readonly ForeseenReference[]) {
      for (const one of references) {
        counts.total += 1;
        if (one.standing === 'known') counts.known += 1;
        else if (one.standing === 'in-file') counts.inFile += 1;
        else addOpen(leader, one);
      }
    },
    counts: () => ({ ...counts, examples }),
  };
}

function stateName(state: Exclude<KeyState, { kind: 'known' }>): OpenReference['state'] {
  if (state.kind === 'held') return state.inDoubt ? 'in-doubt' : 'held';
  return state.kind === 'free' ? 'free' : 'not-created';
}

/** An answer's duration where nothing is known of the service. */
export const ASSUMED_MS = 100;

export function estimateOf(
  { rows, requests }: { readonly rows: number; readonly requests: number },
  { send }: Pick<JobDefinition, 'send'>,
  last: { readonly run: string; readonly rowsPerSecond: number } | null,
) {
  const of = (basis: Basis, perSecond: number, count: number) => ({
    requests,
    seconds: Math.ceil(count / perSecond),
    basis,
    /** Requests; rows where it is the last run's. */
    perSecond,
    run: basis === 'last-run' ? (last?.run ?? null) : null,
  });
  if (send.rate !== undefined) return of('rate', ratePerSecond(send.rate), requests);
  if (last !== null) return of('last-run', last.rowsPerSecond, rows);
  return of('assumption', send.concurrency / (ASSUMED_MS / 1000), requests);
}
