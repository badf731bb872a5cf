/**
 * A run's record: how it is stored and read. Large runs are often listed without their definition,
 * columns and chunk ends, which would make reading thousands of times as expensive.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  isKnownByContent,
  type JobDefinition,
  jobDefinitionSchema,
  operationOf,
} from '../../config/job-definition.ts';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { programVersion } from '../../lib/version.ts';
import { whyUnknown } from '../../model/approval.ts';
import { type Actor, digestOf } from '../../model/audit.ts';
import { type RightCell, rightCellSchema } from '../../model/issue.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import { type Profile, profileSchema } from '../../model/profile.ts';
import { type CheckCounts, chunksOf, type Run, runSchema } from '../../model/run.ts';
import { type FileFacts, type Origins, sourceInfoSchema } from '../../model/source.ts';
import { stubOf } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import { protocol } from './protocol.ts';
import { folderDigest } from './reply-tags.ts';
import { packRowNumbers } from './row-numbers.ts';
import { FILE_PLACE } from './sealing.ts';

/** How many rows go first, alone: by the definition, or as the job's first large run here. */
export type Canary = { readonly rows: number; readonly kind: 'set' | 'first' };

/** A file beside those before it. */
export type Delivery = {
  readonly series: string;
  readonly profile: Profile;
  /** What is unlike them, in sentences. */
  readonly unusual: readonly string[];
  /** Nothing goes before a person has seen that. */
  readonly isHeld: boolean;
  /** Later files are compared with it, once a person has let it go where it is held. */
  readonly isUsual: boolean;
};

/** What somebody has looked at. `unsent`: rows of which nothing would be sent. */
export type Looked = {
  /** For whoever approves it. */
  readonly counts?: CheckCounts;
  /** Its digest, for them, too. */
  readonly plan?: string;
  /** Left out: the run is not bound. */
  readonly unsent?: readonly number[];
};

export type NewRun = {
  readonly id: string;
  readonly job: string;
  readonly definition: JobDefinition;
  readonly target: string;
  readonly facts: FileFacts;
  readonly chunkRows: number;
  readonly canary?: Canary | null;
  readonly createdAt: Date;
  readonly again: boolean;
  readonly checked?: Looked | undefined;
  /** Left out: a rerun, a corrected file, a rehearsal. */
  readonly delivery?: Delivery | undefined;
  /** The inbox folder of the file, by its path from the home; left out: it came otherwise. */
  readonly from?: string | undefined;
  /** Whose rows are taken up; left out: it is no rerun. */
  readonly rerunOf?: string;
  /** What somebody has said of cells of a rerun's rows. */
  readonly right?: Right | undefined;
  /** `latest`: the run that took rows of others last, when they were looked at. */
  readonly origins?: { readonly origins: Origins; readonly latest: string };
};

/** `why`: how it is known; `''`: only an earlier run's cells are taken over. */
export type Right = { readonly cells: readonly RightCell[]; readonly why: string };

type Asking = Pick<NewRun, 'definition' | 'target'> & Partial<Pick<NewRun, 'facts'>>;

/** Rehearsals and files without rows send nothing; `facts` left out: it has some. */
export function needsApproval({ definition, target, facts }: Asking): boolean {
  return definition.approval === 'required' && target !== 'sandbox' && facts?.rows !== 0;
}

/** `null`: the actor may begin it. */
export function whyNotBegun(by: Actor, run: Asking): string | null {
  return needsApproval(run) ? whyUnknown(by) : null;
}

export function newRecord(run: NewRun, keys: LedgerKeys): Record<string, string | number> {
  const { sealing, actor } = keys;
  const { facts, canary = null, checked, from, right } = run;
  const { request } = run.definition;
  const dataKey = sealing.begin(run.id);
  const chunking = {
    rows: facts.rows,
    chunkRows: run.chunkRows,
    chunkEnds: facts.chunkEnds,
    ...(facts.chunkEnds === null && canary !== null && { firstRows: canary.rows }),
  };
  return {
    ...chunking,
    id: run.id,
    job: run.job,
    operation: operationOf(run.definition),
    definition: JSON.stringify(run.definition),
    target: run.target,
    ...(dataKey !== undefined && { dataKey, ledgerKey: sealing.name() }),
    file: sealing.open(run.id, dataKey).text(FILE_PLACE, facts.path),
    sha256: facts.sha256,
    ...(isKnownByContent(run.definition) && { identity: 'content' }),
    ...(request?.idempotencyHeader !== undefined && { nonce: randomUUID() }),
    source: JSON.stringify(facts.source),
    registeredVia: actor.via,
    ...(actor.via !== 'inbox' && { registeredBy: actor.name, registeredUser: actor.user ?? '' }),
    ...(from !== undefined && { folder: folderDigest(from, keys) }),
    ...beginningOf(run),
    ...profileOf(run),
    ...(right !== undefined && right.cells.length > 0 && { right: JSON.stringify(right.cells) }),
    ...(checked?.counts !== undefined && { checked: JSON.stringify(checked.counts) }),
    ...(checked?.plan !== undefined && { plan: checked.plan }),
    chunks: chunksOf(chunking),
    ...(canary?.kind === 'first' && { canary: canary.kind }),
    chunkEnds: JSON.stringify(facts.chunkEnds),
    ...((facts.apart ?? []).length > 0 && { apart: JSON.stringify(facts.apart) }),
    createdAt: run.createdAt.toISOString(),
  };
}

/** Of its record: rows of which nothing goes, whatever has become possible since. */
export async function unsentField({ checked }: NewRun): Promise<Record<string, string>> {
  if (checked?.unsent === undefined) return {};
  return { unsent: await packRowNumbers(checked.unsent) };
}

function profileOf({ delivery }: NewRun): Record<string, string> {
  if (delivery === undefined) return {};
  const { series, profile, unusual, isHeld, isUsual } = delivery;
  const kept = { series, profile: JSON.stringify(profile) };
  if (unusual.length === 0) return kept;
  const unlike = { ...kept, unusual: JSON.stringify({ isHeld, sentences: unusual }) };
  return isUsual ? unlike : { ...unlike, unlike: '1' };
}

/** What waits for a person has no moment in which it could run. */
function beginningOf(run: NewRun): Record<string, string> {
  const { unusual = [], isHeld = false } = run.delivery ?? {};
  const problem = unusual.length > 0 && { problem: unusual.join(' ') };
  const paused = { state: 'paused', ...problem };
  if (needsApproval(run)) return { ...paused, reason: 'approval' };
  if (isHeld) return { ...paused, reason: 'unusual' };
  return { state: 'queued', reason: '' };
}

/** As the record's field has them. */
export function rightCellsIn(field: string | null | undefined): readonly RightCell[] {
  return field ? z.array(rightCellSchema).parse(JSON.parse(field)) : [];
}

/** `overtaken`: another run took rows of the same one meanwhile. */
export const registeredSchema = z.tuple([z.enum(['new', 'known', 'overtaken']), z.string()]);

/** KEYS and ARGV of REGISTER, which says what it asks for. */
export function registration(
  keys: LedgerKeys,
  record: ReturnType<typeof newRecord>,
  asked: Readonly<Record<string, unknown>>,
  right?: Right,
): readonly [names: string[], args: (string | number)[]] {
  const id = String(record.id);
  const { job, target, rows, parent, sha256 } = record;
  const definition = digestOf(String(record.definition));
  const of = {
    ...asked,
    id,
    createdAt: String(Date.parse(String(record.createdAt))),
    prefix: keys.run('').record,
    stub: stubOf(keys, id, String(record.createdAt)),
    // Not the file's name: it may say whose rows they are.
    of: JSON.stringify({
      ...{ job, target, rows, parent, sha256, definition, version: programVersion() },
      ...(right !== undefined && right.why !== '' && { right: right.cells.length, why: right.why }),
    }),
  };
  const k = keys.run(id);
  const args = [JSON.stringify(of), ...Object.entries(record).flat()];
  return [[keys.files, keys.runs, k.record, k.input, keys.audit], args];
}

/** All other fields are texts. */
const JSON_FIELDS: ReadonlySet<string> = new Set([
  'rows',
  'chunkRows',
  'source',
  'chunks',
  'firstRows',
  'chunkEnds',
  'apart',
  'standsFor',
  'profile',
  'request',
  'checked',
  'against',
  'approval',
  'unusual',
  'letGo',
  'movedAt',
  'purged',
]);
const UNASKED = { registeredBy: null, checked: null, approval: null };
const EMPTY = { ...UNASKED, parent: null, reason: null, startedAt: null, finishedAt: null };

/** A cleared field is an empty text. */
function fieldsOf(
  record: Readonly<Record<string, string | null>>,
  closedChunks: number,
  { sealing }: LedgerKeys,
) {
  const fields: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(record)) {
    if (!text) continue;
    fields[name] = JSON_FIELDS.has(name) ? JSON.parse(text) : text;
  }
  const counts = OUTCOMES.map((outcome) => [outcome, Number(record[protocol.outcomeField + outcome] ?? 0)]);
  const seal = sealing.open(record.id ?? '', record.dataKey ?? undefined);
  const file = seal.openText(FILE_PLACE, record.file ?? '');
  return { ...EMPTY, ...fields, file, outcomes: Object.fromEntries(counts), closedChunks };
}

/** `null`: the run is gone from the ledger. */
export async function readRun(redis: RedisConnection, keys: LedgerKeys, id: string): Promise<Run | null> {
  const { record, blocks } = keys.run(id);
  const [found, closed] = await Promise.all([redis.hgetall(record), redis.hlen(blocks)]);
  return found.id === undefined ? null : runSchema.parse(fieldsOf(found, closed, keys));
}

const briefSchema = runSchema.omit({
  chunkRows: true,
  source: true,
  chunkEnds: true,
  apart: true,
  firstRows: true,
  movedAt: true,
  against: true,
  folder: true,
  series: true,
  profile: true,
  unusual: true,
  letGo: true,
});
export type RunBrief = z.infer<typeof briefSchema>;

const BRIEF = [
  ...Object.keys(briefSchema.shape),
  ...OUTCOMES.map((outcome) => protocol.outcomeField + outcome),
];

/** In the order of the ids, without runs that are gone from the ledger. */
export async function readBriefs(
  redis: RedisConnection,
  keys: LedgerKeys,
  ids: readonly string[],
): Promise<RunBrief[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const { record, blocks } = keys.run(id);
      const [texts, closed] = await Promise.all([redis.hmget(record, ...BRIEF), redis.hlen(blocks)]);
      const fields = Object.fromEntries(BRIEF.map((name, i) => [name, texts[i] ?? null]));
      return fields.id === null ? [] : [briefSchema.parse(fieldsOf(fields, closed, keys))];
    }),
  );
  return found.flat();
}

/** Older runs of a series are no measure of the next. */
const RUNS_COMPARED = 2_000;

type OfSeries = {
  readonly most: number;
  /** Content that is the same again. */
  readonly but: string;
};

/** Profiles of the latest files of a series that were let go, the latest first. */
export async function deliveriesOf(
  redis: RedisConnection,
  keys: LedgerKeys,
  series: string,
  { most, but }: OfSeries,
): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for await (const delivered of deliveredIn(redis, keys, but)) {
    const meant = delivered.filter((one) => one.series === series).slice(0, most - profiles.length);
    const texts = await Promise.all(meant.map(({ record }) => redis.hget(record, 'profile')));
    for (const text of texts) profiles.push(profileSchema.parse(JSON.parse(text ?? '')));
    if (profiles.length === most) break;
  }
  return profiles;
}

/**
 * Columns of the latest other series of the same line that has so many files; `null`: there is
 * none. A series is named by its line, a point, and its columns.
 */
export async function columnsBeside(
  redis: RedisConnection,
  keys: LedgerKeys,
  series: string,
  { fewest, but }: { readonly fewest: number; readonly but: string },
): Promise<readonly string[] | null> {
  const line = series.slice(0, series.indexOf('.') + 1);
  const latest = new Map<string, { readonly record: string; readonly files: number }>();
  for await (const delivered of deliveredIn(redis, keys, but)) {
    for (const one of delivered) {
      if (one.series === series || !one.series.startsWith(line)) continue;
      const { record, files } = latest.get(one.series) ?? { record: one.record, files: 0 };
      latest.set(one.series, { record, files: files + 1 });
      if (files + 1 < fewest) continue;
      const text = await redis.hget(record, 'source');
      return sourceInfoSchema.parse(JSON.parse(text ?? '')).columns;
    }
  }
  return null;
}

/** Files that say what is usual, the latest first. */
async function* deliveredIn(redis: RedisConnection, keys: LedgerKeys, but: string) {
  const ids = await redis.zrevrange(keys.runs, 0, RUNS_COMPARED - 1);
  for (const batch of batchesOf(ids, RUNS_PER_LOOK)) {
    const records = batch.map((id) => keys.run(id).record);
    const found = await Promise.all(
      records.map((record) => redis.hmget(record, 'series', 'sha256', 'state', 'reason', 'unlike')),
    );
    yield records.flatMap((record, i) => {
      const [series = null, sha256, state, reason, unlike = null] = found[i] ?? [];
      const isOther = series !== null && sha256 !== but;
      // Of one that was only told of nobody has said that it is as it should be.
      return isOther && unlike === null && wasLetGo(state, reason) ? [{ record, series }] : [];
    });
  }
}

/**
 * With what the job's last file was loaded of which rows may have gone; `null`: there was none.
 * `definition`: `null` where this version doesn't know its form.
 */
export async function latestDelivery(
  redis: RedisConnection,
  keys: LedgerKeys,
  job: string,
): Promise<{
  readonly run: string;
  readonly identity: string;
  readonly definition: JobDefinition | null;
} | null> {
  const fields = ['job', 'series', 'state', 'reason', 'startedAt'];
  const run = await latestRun(redis, keys, fields, ([own, series, state, reason, startedAt]) => {
    const mayHaveGone = wasLetGo(state, reason) || Boolean(startedAt);
    return own === job && series !== null && mayHaveGone;
  });
  if (run === null) return null;
  const [identity, text] = await redis.hmget(keys.run(run).record, 'identity', 'definition');
  const { data: definition = null } = jobDefinitionSchema.safeParse(JSON.parse(text ?? 'null'));
  return { run, identity: identity ?? '', definition };
}

/** The job's last file that was sent to its end, neither a rerun nor a correction; `null`: none. */
export async function finishedDelivery(
  redis: RedisConnection,
  keys: LedgerKeys,
  job: string,
): Promise<Run['against']> {
  const fields = ['job', 'state', 'parent', 'standsFor'];
  const run = await latestRun(redis, keys, fields, ([own, state, parent, standsFor]) => {
    return own === job && state === 'finished' && !parent && !standsFor;
  });
  if (run === null) return null;
  const [sha256, at] = await redis.hmget(keys.run(run).record, 'sha256', 'createdAt');
  // A rehearsal that began afresh has forgotten the files of all before it.
  const isKnown = await redis.hexists(keys.files, `${sha256}:${job}`);
  return isKnown === 1 ? { run, at: at ?? '' } : null;
}

/** The latest that is meant, by these fields of its record; `null`: none. */
async function latestRun(
  redis: RedisConnection,
  keys: LedgerKeys,
  fields: string[],
  isMeant: (values: readonly (string | null)[]) => boolean,
): Promise<string | null> {
  const ids = await redis.zrevrange(keys.runs, 0, RUNS_COMPARED - 1);
  for (const batch of batchesOf(ids, RUNS_PER_LOOK)) {
    const found = await Promise.all(batch.map((id) => redis.hmget(keys.run(id).record, ...fields)));
    const run = batch[found.findIndex(isMeant)];
    if (run !== undefined) return run;
  }
  return null;
}

/** What a person gave up, or has not let go, says nothing of what is usual. */
function wasLetGo(state: string | null = null, reason: string | null = null): boolean {
  const waits = reason === 'unusual' || reason === 'approval';
  return state !== 'cancelled' && !(state === 'paused' && waits);
}

const RUNS_PER_LOOK = 500;

/** Of a target's runs, oldest first, but for those left out. */
export async function* allBriefs(
  redis: RedisConnection,
  keys: LedgerKeys,
  isLeftOut: (id: string) => boolean = () => false,
): AsyncGenerator<RunBrief> {
  const ids = (await redis.zrange(keys.runs, '0', '-1')).filter((id) => !isLeftOut(id));
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK)
    yield* await readBriefs(redis, keys, ids.slice(at, at + RUNS_PER_LOOK));
}
