/**
 * What a run would do with the files of a job and find wrong, without a call and without a change
 * in the ledger.
 */
import { isKnownByContent, type Job, operationOf } from '../../config/job-definition.ts';
import { readFormatOf } from '../../delivery/run-mapping.ts';
import { type NewRun, needsApproval } from '../../engine/ledger/run-record.ts';
import { IN_CLEAR } from '../../engine/ledger/sealing.ts';
import { shortDigest } from '../../lib/digest.ts';
import { changedWhileRead, fileStamp } from '../../lib/file-stamp.ts';
import { type IsRight, isRightIn, NOTHING_IS_RIGHT } from '../../model/issue.ts';
import type { Mapping } from '../../model/mapping.ts';
import type { Row } from '../../model/row.ts';
import { createGroupCutter, type RowGroup } from '../../model/row-group.ts';
import { awaitsPerson, isOver, type Run } from '../../model/run.ts';
import type { SourceInfo } from '../../model/source.ts';
import { isAdoption } from '../../operations/operations.ts';
import { readChunks } from '../../readers/intake/chunks.ts';
import { asShown } from '../../readers/intake/encoding.ts';
import { createOriginLook } from '../../readers/intake/origins.ts';
import { createSpreadSample } from '../../readers/intake/profile.ts';
import type { ReadFormat, RowBatch } from '../../readers/intake/row-feed.ts';
import { openRows } from '../../readers/intake/rows.ts';
import { createNamelessColumns, hashFile } from '../../readers/intake/survey.ts';
import type { Ledger } from '../../session.ts';
import { createAccountsOf, createFileIdentify } from '../identities.ts';
import { mappingOf } from '../input.ts';
import { lineageOfNew, NOWHERE } from '../origins.ts';
import { type CheckRows, surveyFor } from '../rows.ts';
import { createAdoption } from './adoption.ts';
import { type Checked, createFindings, estimateOf } from './findings.ts';
import {
  type Asked,
  askFor,
  createSeenKeys,
  type Forecast,
  type Foreseeing,
  foresee,
  type SeenKeys,
} from './forecast.ts';
import { createLook, type Look } from './ledger.ts';
import type { Listed } from './plan.ts';
import {
  assertBoundBy,
  assertPlanned,
  createFates,
  definitionDigest,
  type PlanFile,
  planDigest,
  unsentIn,
} from './plan-file.ts';

type Looking = {
  /** Of the plan, the records to name. */
  readonly listed?: Listed | null;
  /** Each request's rows, and what would become of them. */
  readonly see?: ((forecast: Forecast) => void) | undefined;
};

/** For the files of a job in the order in which a run takes them. */
export function createChecker(
  job: Job,
  look: Look,
  { listed = null, see }: Looking = {},
): (reading: CheckReading) => Promise<Checked> {
  const before: SeenKeys[] = [];
  const digestOf = look.kind === 'ledger' ? look.sealing.digest : shortDigest;
  return async (reading) => {
    const seen = createSeenKeys(job.definition.keyForm, digestOf);
    const checked = await checkFile(reading, { job, look, listed, see, seen, before });
    before.push(seen);
    return checked;
  };
}

export function createRowCheck(ledger: Ledger): CheckRows {
  return async (run, batches) => {
    const isLookedAt = needsApproval(run);
    // All of an adoption's file is looked at, whoever lets it go.
    if (!isLookedAt && !isAdoption(operationOf(run.definition))) return undefined;
    const { counts, planned } = await foreseeRun(run, batches, ledger);
    if (!isLookedAt) return undefined;
    const looked = { counts, plan: planDigest(planned) };
    // Like rows without a key, of an earlier file, are told apart by what that run knows.
    const isEarlier = run.rerunOf !== undefined || run.origins !== undefined;
    const isBound = !(isEarlier && isKnownByContent(run.definition));
    return isBound ? { ...looked, unsent: unsentIn(planned.fates) } : looked;
  };
}

/**
 * Holds the run of a file to a plan: a new one is refused where anything is otherwise by now, and
 * one that is not over where it was begun otherwise.
 */
export function holdTo(plan: PlanFile, { definition }: Pick<Job, 'definition'>, ledger: Ledger) {
  const digestAt = (target: string) => ledger.of(target).keys.sealing.digest;
  const check: CheckRows = async (run, batches) => {
    const { counts, planned } = await foreseeRun(run, batches, ledger);
    assertPlanned(plan, planned, digestAt(run.target));
    const unsent = unsentIn(planned.fates);
    return needsApproval(run) ? { counts, plan: planDigest(planned), unsent } : { unsent };
  };
  const goesOn = async (run: Run) => {
    const unsent = await ledger.of(run.target).store.unsent(run.id);
    const now = { ...run, definition: definitionDigest({ definition }) };
    assertBoundBy(plan, now, unsent, digestAt(run.target));
  };
  return { check, goesOn };
}

/** To a new run, known keys are always another one's. */
async function foreseeRun(run: NewRun, batches: CheckReading['batches'], ledger: Ledger) {
  const { job: name, definition, target, facts } = run;
  const look = {
    ...createLook(ledger, target),
    earlierRun: async () => null,
    // Who registers the run has compared its file, and knows where its rows come from.
    delivery: async () => undefined,
    comesFrom: () => lineageOfNew(run, ledger.of(target).store),
  };
  const { ranges, see } = createFates();
  const operation = operationOf(definition);
  const adoption = isAdoption(operation) ? createAdoption(operation, look) : null;
  const seeAll = (forecast: Forecast) => {
    see(forecast);
    adoption?.see(forecast);
  };
  const { digest } = ledger.of(target).keys.sealing;
  const isRight = isRightIn(run.right?.cells ?? [], digest);
  const reading = { ...facts, apart: new Map(facts.apart), batches, isRight };
  const checked = await createChecker({ name, definition }, look, { see: seeAll })(reading);
  await adoption?.result();
  const { sendable, invalid, skipped, waiting } = checked;
  const counts = { sendable, invalid, skipped, waiting };
  const planned = {
    job: name,
    target,
    sha256: facts.sha256,
    definition: definitionDigest(run),
    fates: ranges,
  };
  return { counts, planned };
}

/** Few enough that garbage is cheap to collect, and Redis busy for few ms with their keys. */
const ROWS_AT_ONCE = 500;

type Around = {
  readonly job: Job;
  readonly look: Look;
  readonly listed: Listed | null;
  readonly see: Looking['see'];
  readonly seen: SeenKeys;
  readonly before: readonly SeenKeys[];
};

async function checkFile(reading: CheckReading, around: Around): Promise<Checked> {
  const { job, look, listed, see, seen, before } = around;
  const { definition, name } = job;
  const { sha256, folder } = reading;
  const mapping = mappingOf(job, reading).lifting(reading.isRight ?? NOTHING_IS_RIGHT);
  const { earlier, begun } = await runOfFile(look, { sha256, job: name });
  const findings = createFindings(listed);
  const origins = createOriginLook(reading.path);
  const foreseeing = {
    ...(await accountsAsked(reading, { job, look, mapping, earlier: begun })),
    definition,
    mapping,
    sha256,
    look,
    identify: createFileIdentify(sha256, { definition, mapping }),
    earlier: begun?.id ?? null,
    seen,
    apart: reading.apart,
    before,
    isShown: findings.isShown,
  };
  const cutter = createGroupCutter(definition.group === undefined ? null : mapping.groupOf);
  const requests = createOutlook(foreseeing, (forecast) => {
    findings.add(forecast);
    see?.(forecast);
  });
  const nameless = createNamelessColumns();
  const sample = createSpreadSample();
  let rows = 0;
  let { source } = reading;
  for await (const batch of reading.batches) {
    nameless.see({ source, rows: batch.rows });
    rows += batch.rows.length;
    // The last batch has the notes on the whole file.
    source = batch.source ?? source;
    origins.see(batch.rows, source);
    sample.see(batch.rows);
    for (let at = 0; at < batch.rows.length; at += ROWS_AT_ONCE)
      await requests.add(batch.rows.slice(at, at + ROWS_AT_ONCE).map((row) => cutter.take(row)));
  }
  await requests.add([cutter.end()]);
  await requests.end();
  const gone = origins.found() ? NO_DELIVERY : await findGone(around, mapping.hasKey, findings.addGone);
  const last = look.kind === 'ledger' ? await look.lastSpeed(name) : null;
  const estimate = estimateOf(findings.toSend(), definition, last);
  const isNew = look.kind === 'ledger' && begun === null;
  const file = { ...reading, source, namesRows: origins.found() };
  const standing = isNew ? await look.standing(file, definition) : [];
  const facts = { ...file, rows, sample: sample.rows() };
  // A file that waits has its run, and is as unlike the others as before.
  const isCompared = look.kind === 'ledger' && (begun === null || awaitsPerson(begun));
  const delivery = isCompared ? await look.delivery({ job, facts, folder }) : undefined;
  source = { ...source, notes: [...nameless.notes(source.notes), ...mapping.notes, ...standing] };
  const told = { ...reading, source };
  const found = { job: name, reading: told, rows, look, earlier, delivery, estimate };
  return findings.result({ ...found, ...gone });
}

/** Redis looks up the keys of the next rows while those before are looked at. */
function createOutlook(foreseeing: Foreseeing, tell: (forecast: Forecast) => void) {
  let asked: Asked | null = null;
  const end = async () => {
    const forecasts = asked === null ? [] : await foresee(asked, foreseeing);
    for (const forecast of forecasts) tell(forecast);
  };
  return {
    async add(groups: ReadonlyArray<RowGroup<Row> | null>) {
      const whole = groups.filter((group) => group !== null);
      const next = askFor(whole, foreseeing);
      await end();
      asked = next;
    },
    end,
  };
}

type AccountsAsked = Pick<Around, 'job' | 'look'> & {
  readonly mapping: Mapping;
  readonly earlier: Run | null;
};

/** Where rows come from matters to their accounts alone. */
async function accountsAsked(reading: CheckReading, { job, look, mapping, earlier }: AccountsAsked) {
  const { definition } = job;
  if (look.kind === 'none') {
    const accountsOf = createAccountsOf(definition, mapping, { sealing: IN_CLEAR });
    return { accountsOf, comesFrom: NOWHERE };
  }
  const accountsOf = createAccountsOf(definition, mapping, look);
  const comesFrom = accountsOf === null ? NOWHERE : await look.comesFrom(reading, earlier, definition);
  return { accountsOf, comesFrom };
}

/** `begun`: that goes on. One that is over does not: then a new one is foretold (`--again`). */
async function runOfFile(look: Look, file: { readonly sha256: string; readonly job: string }) {
  const earlier = look.kind === 'ledger' ? await look.earlierRun(file) : null;
  return { earlier, begun: earlier === null || isOver(earlier) ? null : earlier };
}

/** A corrected file has what was open alone. */
const NO_DELIVERY = { against: null, isFull: false };

/** Records of the job's last file that this one lacks, where its files have all of them. */
async function findGone({ job, look, seen }: Around, hasKey: boolean, addGone: (key: string) => void) {
  if (look.kind === 'none') return NO_DELIVERY;
  const against = await look.lastDelivery(job);
  const isFull = job.definition.delivery === 'full' && hasKey;
  if (against === null || !isFull) return { against, isFull: false };
  const before = look.keysOf(against.run, job.definition);
  for await (const key of before) if (!seen.has(key)) addGone(key);
  return { against, isFull };
}

type CheckReading = {
  readonly path: string;
  readonly sha256: string;
  readonly source: SourceInfo;
  /** By the first row of a group: another row of its key, which stands apart. */
  readonly apart: ReadonlyMap<number, number>;
  readonly batches: AsyncIterable<Pick<RowBatch, 'rows'> & Partial<RowBatch>>;
  /** Where files of its kind come from; left out: the file's own folder. */
  readonly folder?: string | undefined;
  /** Rows say which they were; left out: its columns tell whether they may. */
  readonly namesRows?: boolean;
  /** Left out: nobody has said anything of cells. */
  readonly isRight?: IsRight;
};

/** A CSV's header is enough to begin with. Other files, and groups, are surveyed first. */
export async function openReading(path: string, job: Job): Promise<CheckReading> {
  const { definition } = job;
  const isUnique = Object.values(definition.rules).some(({ unique }) => unique === true);
  const isOnePass = definition.group === undefined && !isUnique;
  return (isOnePass ? await openTable(path, readFormatOf(definition)) : null) ?? surveyed(path, job);
}

/** `null`: the file is no CSV. */
async function openTable(path: string, format: ReadFormat): Promise<CheckReading | null> {
  const stamp = await fileStamp(path).catch(() => '');
  const sha256 = await hashFile(path);
  const batches = shown(openRows(path, format));
  const first = await batches.next();
  if (first.done !== true && first.value.source.type === 'csv') {
    const { source } = first.value;
    const all = after(first.value, batches);
    return { path, sha256, source, apart: new Map(), batches: unchanged(all, path, stamp) };
  }
  await batches.return(undefined);
  return null;
}

async function surveyed(path: string, job: Job): Promise<CheckReading> {
  const { sha256, source, apart, namesRows } = await surveyFor(job, path).catch(asShown);
  const batches = readChunks(path, source, readFormatOf(job.definition));
  return { path, sha256, source, apart: new Map(apart), batches, namesRows: namesRows === true };
}

/** Shows how the text would read, where that can't be told. */
async function* shown(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowBatch> {
  try {
    yield* batches;
  } catch (error) {
    asShown(error);
  }
}

async function* after(first: RowBatch, rest: AsyncIterable<RowBatch>) {
  yield first;
  yield* rest;
}

async function* unchanged(batches: AsyncIterable<RowBatch>, path: string, stamp: string) {
  yield* batches;
  if ((await fileStamp(path).catch(() => '')) === stamp) return;
  throw changedWhileRead(path);
}
