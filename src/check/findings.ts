import type { JobDefinition } from '../config/job-definition.ts';
import type { KeyState } from '../model/identity.ts';
import type { Issue } from '../model/issue.ts';
import { IDENTITY } from '../model/operation.ts';
import type { Run } from '../model/run.ts';
import type { SourceInfo } from '../model/source.ts';
import type { Estimate } from './estimate.ts';
import { type FoundIssue, gatherIssues } from './issues.ts';
import type { Look } from './ledger.ts';
import type { CheckReading } from './reading.ts';
import { createReferenceTally, type ReferenceCounts, type StateOf } from './references.ts';
import { type SampleRequest, sampleRequest } from './requests.ts';
import type { Standing } from './standing.ts';
import type { SeenKeys, Unit } from './units.ts';

/** A key that the ledger has already; holds a cell's value. */
type KeyExample = {
  readonly row: number;
  readonly line: number;
  /** `null`: the job names no key, so the row is known by its place. */
  readonly key: string | null;
  readonly kind: 'known' | 'held';
  readonly run: string;
  /** Of the record that was created, empty where none is known. */
  readonly id: string;
};

/** What a run of a file would do and find wrong; holds cell values, so it is for the person who asked. */
export type Checked = {
  readonly file: string;
  readonly job: string;
  /** The sum of `invalid`, `skipped`, `waiting` and `sendable`. */
  readonly rows: number;
  readonly invalid: number;
  /** The first of them; rows that are one request and have the same issue are one entry. */
  readonly issues: readonly FoundIssue[];
  /** How many there are, counted by row. */
  readonly issuesTotal: number;
  /** How many issues there are of each code, counted by row. */
  readonly codes: Readonly<Record<string, number>>;
  /** Rows of which nothing is left to be done: their key is known. */
  readonly skipped: number;
  /** Rows that refer to a record that there is not yet: sent before it is loaded, they would be invalid. */
  readonly waiting: number;
  /** Rows that a run would send. */
  readonly sendable: number;
  /** How the file was understood. */
  readonly source: Omit<SourceInfo, 'columns' | 'notes'>;
  /** What the reader had to decide on thin evidence. */
  readonly notes: readonly string[];
  /** What looks damaged and would be sent all the same. */
  readonly warnings: ReadonlyArray<{
    readonly code: string;
    readonly count: number;
    readonly examples: readonly Issue[];
  }>;
  /** The run that has this file through this job already; the same command would go on with it, or name it. */
  readonly earlierRun: { readonly run: string; readonly state: Run['state'] } | null;
  readonly keys: {
    /** The ledger that was looked into, `null` where there is none. */
    readonly target: string | null;
    /** Why none was looked into. */
    readonly reason: string | null;
    readonly known: number;
    readonly held: number;
    readonly examples: readonly KeyExample[];
  };
  readonly references: ReferenceCounts;
  /** The first of them, as they would be sent. */
  readonly requests: readonly SampleRequest[];
  readonly estimate: Estimate;
};

const ISSUES_SHOWN = 100;
const WARNINGS_SHOWN = 3;
const KEYS_SHOWN = 3;
const REQUESTS_SHOWN = 3;

type Weighed = { readonly state: KeyState; readonly standing: Standing; readonly stateOf: StateOf };

export type Findings = ReturnType<typeof createFindings>;

/** Gathers what is found in a file, of a bounded size however many rows it has. */
export function createFindings(
  definition: JobDefinition,
  keys: { readonly seen: SeenKeys; readonly before: readonly SeenKeys[] },
) {
  const counts = {
    invalid: 0,
    issuesTotal: 0,
    skipped: 0,
    waiting: 0,
    known: 0,
    held: 0,
    rows: 0,
    requests: 0,
  };
  const issues: FoundIssue[] = [];
  const codes = new Map<string, number>();
  const warnings = new Map<string, { count: number; examples: Issue[] }>();
  const examples: KeyExample[] = [];
  const requests: SampleRequest[] = [];
  const references = createReferenceTally(IDENTITY[definition.operation], keys);

  const addInvalid = (unit: Unit, found: readonly Issue[]) => {
    counts.invalid += unit.rows.length;
    counts.issuesTotal += found.length;
    for (const { code } of found) codes.set(code, (codes.get(code) ?? 0) + 1);
    if (issues.length < ISSUES_SHOWN)
      issues.push(...gatherIssues(found).slice(0, ISSUES_SHOWN - issues.length));
  };
  const addKey = ({ first, key }: Unit, state: Extract<KeyState, { kind: 'known' | 'held' }>) => {
    counts[state.kind] += 1;
    if (examples.length === KEYS_SHOWN) return;
    const { row, line } = first;
    const id = state.kind === 'known' ? state.id : '';
    examples.push({ row, line, key, kind: state.kind, run: state.run, id });
  };
  const addWarnings = (found: readonly Issue[]) => {
    for (const warning of found) {
      const known = warnings.get(warning.code) ?? { count: 0, examples: [] };
      known.count += 1;
      if (known.examples.length < WARNINGS_SHOWN) known.examples.push(warning);
      warnings.set(warning.code, known);
    }
  };
  const addWaiting = ({ rows, key }: Unit) => {
    counts.waiting += rows.length;
    // What refers to it waits as well.
    if (key !== null) keys.seen.spoil(key);
  };
  const addSent = (unit: Unit, standing: Extract<Standing, { kind: 'sent' }>, stateOf: StateOf) => {
    const waits = references.add(unit, stateOf);
    if (waits) addWaiting(unit);
    else {
      counts.rows += unit.rows.length;
      counts.requests += 1;
    }
    if (requests.length === REQUESTS_SHOWN) return;
    const request = sampleRequest(unit, standing, { definition, stateOf, waits });
    if (request !== null) requests.push(request);
  };

  return {
    add(unit: Unit, { state, standing, stateOf }: Weighed) {
      if (state.kind === 'known' || state.kind === 'held') addKey(unit, state);
      if (unit.mapped.kind === 'mapped' && standing.kind !== 'skipped') addWarnings(unit.mapped.warnings);
      if (standing.kind === 'invalid') addInvalid(unit, standing.issues);
      else if (standing.kind === 'skipped') counts.skipped += unit.rows.length;
      else addSent(unit, standing, stateOf);
    },
    toSend: () => ({ rows: counts.rows, requests: counts.requests }),
    result({ job, reading, rows, look, earlier, estimate }: Context): Checked {
      const { columns: _, notes, ...source } = reading.source;
      return {
        file: reading.path,
        job,
        rows,
        invalid: counts.invalid,
        issues,
        issuesTotal: counts.issuesTotal,
        codes: Object.fromEntries(codes),
        skipped: counts.skipped,
        waiting: counts.waiting,
        sendable: counts.rows,
        source,
        notes,
        warnings: [...warnings].map(([code, found]) => ({ code, ...found })),
        earlierRun: earlier === null ? null : { run: earlier.id, state: earlier.state },
        keys: {
          target: look.kind === 'ledger' ? look.target : null,
          reason: look.kind === 'none' ? look.reason : null,
          known: counts.known,
          held: counts.held,
          examples,
        },
        references: references.counts(),
        requests,
        estimate,
      };
    },
  };
}

type Context = {
  readonly job: string;
  readonly reading: Pick<CheckReading, 'path' | 'source'>;
  readonly rows: number;
  readonly look: Look;
  readonly earlier: Run | null;
  readonly estimate: Estimate;
};
