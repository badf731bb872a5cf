/**
 * A person's decisions on rows in doubt: created, with the service's id, or not created. Each is
 * recorded once, in one script with the outcome, with who took it and when. The same decision again
 * changes nothing; a different one is answered with the earlier.
 */

import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import { identityByPlace } from '../../model/identity.ts';
import type { Outcome } from '../../model/outcome.ts';
import {
  type Decision,
  type KeptSighting,
  type Resolution,
  resolutionSchema,
} from '../../model/resolution.ts';
import type { Run } from '../../model/run.ts';
import type { Settlement } from '../../model/settlement.ts';
import { outcomeOfCreated, spaceOf } from '../../operations/operations.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import {
  accountPlaces,
  identityPlace,
  keptPlace,
  type LedgerKeys,
  type Place,
  placeOfDigest,
} from './keys.ts';
import RESOLVE from './lua/resolve.lua';
import { settledMark } from './mark.ts';
import { readDoubts } from './run-view.ts';
import { script } from './script.ts';

/** `unchanged`: it was decided so before. */
export type RowResolved =
  | { readonly row: number; readonly kind: 'resolved' | 'unchanged' }
  | { readonly row: number; readonly kind: 'otherwise'; readonly earlier: Resolution }
  | { readonly row: number; readonly kind: 'not-in-doubt' };

const resolve = script(RESOLVE, z.array(z.string()));

/** Rows of one script call, which blocks Redis for a few milliseconds. */
const MAX_BATCH = 200;
const OTHERWISE = 'otherwise ';

/** Who takes a decision that a look-up led to. */
export const LOOK_UP = 'lookup';

/** Answers in the order given. Safe to repeat. */
export async function resolveRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  options: ResolveOptions & { readonly decisions: readonly RowDecision[] },
): Promise<RowResolved[]> {
  const resolved: RowResolved[] = [];
  const outcome = outcomeOfCreated(options.run.operation);
  for (const batch of batchesOf(options.decisions, MAX_BATCH)) {
    const doubts = await readDoubts(
      redis,
      keys.run(options.run.id),
      batch.map(({ row }) => row),
    );
    const seal = await keys.run(options.run.id).seal();
    const entries = batch.map((one) =>
      resolveEntry(keys, { ...options, outcome, seal }, { ...one, doubt: doubts.get(one.row) ?? null }),
    );
    const answers = await call(redis, keys, options, entries);
    resolved.push(...batch.map(({ row }, i) => parseAnswer(row, answers[i] ?? '')));
  }
  return resolved;
}

/** A row that stays in doubt: its new settlement, and what a look-up found. */
type DoubtNote = { readonly note: Settlement; readonly sighting: KeptSighting };

/** Replaces the settlements of rows that are still in doubt, and keeps what was found of them. */
export async function noteDoubts(
  redis: RedisConnection,
  keys: LedgerKeys,
  options: { readonly run: Run; readonly notes: readonly DoubtNote[] },
): Promise<void> {
  const { sightings, ...k } = keys.run(options.run.id);
  const seal = await k.seal();
  for (const batch of batchesOf(options.notes, MAX_BATCH)) {
    const entries = batch.map(({ note }) => ({ row: note.row, settled: settledMark(note, seal) }));
    await call(redis, keys, { ...options, by: LOOK_UP, at: new Date() }, entries);
    const found = batch.flatMap(({ note: { row }, sighting }) => [
      String(row),
      seal.text(keptPlace('sightings', row), JSON.stringify(sighting)),
    ]);
    await redis.hset(sightings, ...found);
  }
}

function call(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, by, at }: ResolveOptions,
  entries: readonly ResolveEntry[],
): Promise<string[]> {
  const k = keys.run(run.id);
  const names = [k.record, k.chunk, k.blocks, k.late, k.doubts, k.sources, k.resolutions, keys.audit];
  const said = [stubOf(keys, run.id, at.toISOString()), by === LOOK_UP ? 'looked-up' : 'resolved'];
  const args = [run.id, JSON.stringify(entries), ...said];
  return appending(redis, [keys.audit], ([link = '']) => resolve(redis, names, [link, ...args]));
}

function parseAnswer(row: number, answer: string): RowResolved {
  if (answer === 'resolved' || answer === 'unchanged') return { row, kind: answer };
  if (!answer.startsWith(OTHERWISE)) return { row, kind: 'not-in-doubt' };
  const earlier = resolutionSchema.parse(JSON.parse(answer.slice(OTHERWISE.length)));
  return { row, kind: 'otherwise', earlier };
}

export type RowDecision = { readonly row: number; readonly decision: Decision };

type ResolveOptions = {
  readonly run: Run;
  readonly by: string;
  readonly at: Date;
};

type ResolveEntry = {
  readonly row: number;
  /** The new settlement (`settledMark`); left out: the row was not in doubt when it was read. */
  readonly settled?: string;
  /** JSON; left out: the row stays in doubt. */
  readonly resolution?: string;
  readonly outcome?: Outcome;
  readonly created?: boolean;
  readonly id?: string;
  readonly key?: (Place & { readonly accounts: string }) | undefined;
};

/** `doubt`: `null` where the row is not in doubt. `outcome`: what the job calls success. */
function resolveEntry(
  keys: LedgerKeys,
  { run, by, at, outcome, seal }: ResolveOptions & { readonly outcome: Outcome; readonly seal: Seal },
  { row, decision, doubt }: RowDecision & { readonly doubt: Settlement | null },
): ResolveEntry {
  const created = decision.kind === 'created';
  const id = created ? decision.id : '';
  const was = doubt?.code ?? '';
  const resolution: Resolution = { decision: decision.kind, id, by, at: at.toISOString(), was };
  const entry = { row, created, id, resolution: JSON.stringify(resolution) };
  if (doubt === null) return entry;
  const settlement = settledAs(doubt, resolution, outcome);
  const settled = settledMark(settlement, seal);
  return { ...entry, settled, outcome: settlement.outcome, key: placeOf(keys, run, doubt) };
}

/** What is known of the sending stays: key, line, status, attempts, duration. */
function settledAs(doubt: Settlement, { decision, id, by, at }: Resolution, outcome: Outcome): Settlement {
  const created = decision === 'created';
  return {
    ...doubt,
    accounts: undefined,
    outcome: created ? outcome : 'failed',
    id,
    code: created ? 'resolved' : 'not_created',
    message: `resolved as ${created ? outcome : 'not created'} by {by} at {at}`,
    values: { by, at },
  };
}

/** A row that has neither a key nor a digest is known by its place in the file, if at all. */
function placeOf(keys: LedgerKeys, run: Run, doubt: Settlement): ResolveEntry['key'] {
  const { key, row, keyDigest, accounts = [] } = doubt;
  const space = spaceOf(run.operation);
  if (space === null) return undefined;
  const place = keyDigest === undefined ? undefined : placeOfDigest(keyDigest);
  const name = key === '' ? identityByPlace(run, row) : key;
  const own = identityPlace(keys, { space, key: name, place });
  return { ...own, accounts: accountPlaces(keys, { space, accounts }) };
}

/** A row that has an id which somebody names. */
export type Holder = { readonly row: number; readonly key: string };

/** Whether two rows of a run are one record: only rows of a group share a key. */
export function isOneRecord(a: Holder, b: Holder): boolean {
  return a.row === b.row || (a.key !== '' && a.key === b.key);
}
