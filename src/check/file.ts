import type { Job } from '../config/job-definition.ts';
import { identityKeyOf } from '../delivery/run-mapping.ts';
import type { KeyState } from '../model/key-state.ts';
import type { Mapping } from '../model/mapping.ts';
import { IDENTITY } from '../model/operation.ts';
import type { Run } from '../model/run.ts';
import { mappingOf } from '../runs/input.ts';
import { estimateOf } from './estimate.ts';
import { type Checked, createFindings, type Findings } from './findings.ts';
import type { Look } from './ledger.ts';
import type { CheckReading } from './reading.ts';
import type { StateOf } from './references.ts';
import { standingOf } from './standing.ts';
import { createSeenKeys, createUnitReader, type SeenKeys, type Unit } from './units.ts';

/** Few enough that what they map to is gone before it is old, and that garbage is cheap to collect. */
const ROWS_AT_ONCE = 100;
const FREE: KeyState = { kind: 'free' };

/** Looks through the files of a job one after the other, in the order in which a run takes them. */
export function createChecker(job: Job, look: Look): (reading: CheckReading) => Promise<Checked> {
  const before: SeenKeys[] = [];
  return async (reading) => {
    const seen = createSeenKeys();
    const checked = await checkFile(reading, { job, look, seen, before });
    before.push(seen);
    return checked;
  };
}

type Around = {
  readonly job: Job;
  readonly look: Look;
  readonly seen: SeenKeys;
  readonly before: readonly SeenKeys[];
};

/** Maps every row and says what a run would do with it; throws a UsageError where the columns don't fit the job. */
async function checkFile(reading: CheckReading, around: Around): Promise<Checked> {
  const { job, look, seen } = around;
  const { definition } = job;
  const mapping = mappingOf(job, reading);
  const earlier = await earlierRun(look, { sha256: reading.sha256, job: job.name });
  const findings = createFindings(definition, around);
  const weigh = createWeigher(reading, { ...around, mapping, findings, earlier: earlier?.id ?? null });
  const units = createUnitReader({ mapping, definition, seen });
  let rows = 0;
  for await (const batch of reading.batches) {
    rows += batch.rows.length;
    for (let at = 0; at < batch.rows.length; at += ROWS_AT_ONCE) {
      await weigh(units.take(batch.rows.slice(at, at + ROWS_AT_ONCE)));
    }
  }
  await weigh(units.end());
  const last = look.kind === 'ledger' ? await look.lastSpeed(job.name) : null;
  const estimate = estimateOf(findings.toSend(), definition, last);
  return findings.result({ job: job.name, reading, rows, look, earlier, estimate });
}

type Weighing = Around & {
  readonly mapping: Mapping;
  readonly findings: Findings;
  readonly earlier: string | null;
};

/** Says of units in file order what would become of them. */
function createWeigher({ sha256 }: CheckReading, weighing: Weighing) {
  const { job, look, mapping, findings, earlier } = weighing;
  const { definition } = job;
  const space = look.kind === 'ledger' ? IDENTITY[definition.operation] : null;
  const identityOf = (unit: Unit) => {
    if (space === null) return null;
    return mapping.hasKey ? unit.key : identityKeyOf({ sha256 }, mapping, unit.first);
  };
  return async (units: readonly Unit[]) => {
    const stateOf = await statesOf(units, { look, space, identityOf });
    for (const unit of units) {
      const key = identityOf(unit);
      const state = space === null || key === null ? FREE : stateOf(space, key);
      findings.add(unit, { state, standing: standingOf(unit, state, { definition, earlier }), stateOf });
    }
  };
}

function earlierRun(
  look: Look,
  file: { readonly sha256: string; readonly job: string },
): Promise<Run | null> {
  return look.kind === 'ledger' ? look.earlierRun(file) : Promise.resolve(null);
}

/** What the ledger says of all keys that these units have or refer to, in one question for each of its parts. */
async function statesOf(
  units: readonly Unit[],
  {
    look,
    space,
    identityOf,
  }: { readonly look: Look; readonly space: string | null; identityOf(unit: Unit): string | null },
): Promise<StateOf> {
  if (look.kind === 'none') return () => FREE;
  const asked = new Map<string, Set<string>>();
  const ask = (name: string, key: string) => {
    const keys = asked.get(name) ?? new Set();
    asked.set(name, keys.add(key));
  };
  for (const unit of units) {
    if (unit.mapped.kind === 'issues') continue;
    const key = identityOf(unit);
    if (space !== null && key !== null) ask(space, key);
    for (const reference of unit.mapped.references) ask(reference.space, reference.key);
  }
  const states = new Map<string, ReadonlyMap<string, KeyState>>();
  for (const [name, keys] of asked) states.set(name, await look.states(name, [...keys]));
  return (name, key) => states.get(name)?.get(key) ?? FREE;
}
