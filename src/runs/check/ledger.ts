/** What the check asks of a target's ledger; nothing is changed by it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../config/environment.ts';
import type { Job, JobDefinition } from '../../config/job-definition.ts';
import { baseUrlOf, SANDBOX_TARGET } from '../../delivery/target.ts';
import { lookUpAccounts } from '../../engine/ledger/account-index.ts';
import { knownIds } from '../../engine/ledger/adoption.ts';
import { type KeysAsked, readKeyFields, readKeys, readPlaces } from '../../engine/ledger/key-claims.ts';
import { identityOf, type KeyPlace, type LedgerKeys } from '../../engine/ledger/keys.ts';
import { readOrigins } from '../../engine/ledger/origins.ts';
import { createRunView } from '../../engine/ledger/run-view.ts';
import type { Log } from '../../lib/log.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Releasers } from '../../lib/releasers.ts';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { FREE, type KeyState } from '../../model/identity.ts';
import type { KeyForm } from '../../model/key-form.ts';
import { OUTCOMES, wasAccepted } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import type { Settlement } from '../../model/settlement.ts';
import { REPORT_COLUMN_PREFIX, type SourceInfo } from '../../model/source.ts';
import { spaceOf } from '../../operations/operations.ts';
import { type Ledger, openLedger } from '../../session.ts';
import { findOrigins, type Loading, lineageOf } from '../origins.ts';
import { summarize } from '../report/summary.ts';
import { openRuns } from '../status.ts';
import { type Delivered, deliveryOf } from '../unusual.ts';

/** `none`: why there is no ledger to look into, in words for people. */
export type Look = ReturnType<typeof createLook> | { readonly kind: 'none'; readonly reason: string };

export async function openLook(
  env: Environment,
  sandbox: boolean,
  { log, releasers }: { readonly log: Log; readonly releasers: Releasers },
): Promise<Look> {
  const outside = sandbox || env.baseUrl === null ? null : baseUrlOf(env.baseUrl);
  const target = sandbox ? SANDBOX_TARGET : outside;
  if (target === null) return { kind: 'none', reason: 'MSB_BASE_URL is not set, and neither is --sandbox' };
  if (env.redis === null && !existsSync(join(env.home, 'redis'))) {
    return { kind: 'none', reason: `there is no ledger in ${env.home} yet` };
  }
  try {
    return createLook(await openLedger(env, log, releasers), target);
  } catch (error) {
    if (error instanceof UsageError) return { kind: 'none', reason: error.message };
    throw error;
  }
}

type Named = Loading['file'];

function hasReportColumn({ columns }: SourceInfo): boolean {
  return columns.some((column) => column.startsWith(REPORT_COLUMN_PREFIX));
}

const RUNS_LOOKED_AT = 200;

export type LastDelivery = NonNullable<Run['against']> & {
  /** Else what differs may be the definition's doing. */
  readonly isSameDefinition: boolean;
};

export function createLook(ledger: Ledger, target: string) {
  const { redis } = ledger;
  const { keys, store } = ledger.of(target);
  let empty: Promise<boolean> | null = null;
  // Without a run no key is known: a million questions less for a first file.
  const isEmpty = () => {
    empty ??= redis.zcard(keys.runs).then((runs) => runs === 0);
    return empty;
  };
  return {
    kind: 'ledger' as const,
    target,
    openRuns: (jobs: readonly string[]) => openRuns(jobs, target, ledger),
    /** Where the ledger keeps a key within its space. */
    placeOf: (key: string, form: KeyForm) => identityOf(keys, key, form),
    /** Of keys, in their order. */
    async states(places: readonly KeyPlace[]): Promise<readonly KeyState[]> {
      return (await isEmpty()) ? places.map(() => FREE) : readPlaces(redis, keys, places);
    },
    /** The fields that the service last accepted; only the decision reads them. */
    async fields(asked: KeysAsked): Promise<ReadonlyMap<string, string>> {
      return (await isEmpty()) ? new Map() : readKeyFields(redis, keys, asked);
    },
    /** The ids of all records of a space, with the rows that made them known. */
    ids: (space: string) => knownIds(redis, keys, space),
    async earlierRun(file: { readonly sha256: string; readonly job: string }) {
      const id = await store.ofFile(file);
      return id === null ? null : store.get(id);
    },
    /** What the file's rows were before, as a run would find it. */
    async standing(file: Loading['file'], definition: JobDefinition): Promise<readonly string[]> {
      const { origins, notes, refused } = await findOrigins({ file, definition, target }, ledger);
      const standing = [...(origins?.origins ?? [])].map(([run, { length: n }]) => {
        return `${countOf(n, 'row stands for an open row', 'rows stand for open rows')} of run ${run}.`;
      });
      return [...standing, ...notes, ...(refused ?? [])];
    },
    /** Who names the accounts of rows; `null`: nobody. */
    async accounts(space: string, asking: Parameters<typeof lookUpAccounts>[1]) {
      return (await isEmpty()) ? null : lookUpAccounts({ redis, keys, space }, asking);
    },
    /** By row the earlier runs that it comes from, as a run of the file has or would have it. */
    async comesFrom(file: Named, earlier: Run | null, definition: JobDefinition) {
      if (earlier !== null) return lineageOf(await readOrigins(redis, keys, earlier), store);
      const { namesRows = hasReportColumn(file.source) } = file;
      if (!namesRows) return lineageOf(new Map(), store);
      const { origins } = await findOrigins({ file: { ...file, namesRows }, definition, target }, ledger);
      return lineageOf(origins?.origins ?? new Map(), store);
    },
    sealing: keys.sealing,
    /** What a run of a file would be told against; `null`: there is none. */
    async lastDelivery({ name, definition }: Job): Promise<LastDelivery | null> {
      const last = await store.finishedDelivery(name);
      if (last === null) return null;
      const known = await store.definition(last.run).catch(() => null);
      return { ...last, isSameDefinition: isDeepStrictEqual(known, definition) };
    },
    /** The keys of records at the service that a run's file had. A purged run has none. */
    async *keysOf(id: string, { keyForm }: JobDefinition): AsyncGenerator<string> {
      const run = await store.get(id);
      if (run !== null) yield* keysAtService(run, keyForm, { redis, keys });
    },
    /** As a run of the file would be compared. */
    delivery: (delivered: Omit<Delivered, 'target'>) => deliveryOf({ ...delivered, target }, ledger),
    async lastSpeed(job: string) {
      const last = (await store.list(RUNS_LOOKED_AT)).find((run) => run.job === job && hasSent(run));
      if (last === undefined) return null;
      const { rowsPerSecond } = summarize(last, new Date());
      return rowsPerSecond === 0 ? null : { run: last.id, rowsPerSecond };
    },
  };
}

async function* keysAtService(run: Run, form: KeyForm, { redis, keys }: KeysIn) {
  const space = spaceOf(run.operation) ?? '';
  for await (const { settlements } of createRunView(redis, keys, run).chunks()) {
    const rows = settlements.filter(hasOwnKey);
    const names = rows.filter((row) => !isAtService(row)).map(({ key }) => key);
    // Corrected, sent again or found at the service since.
    const now = await readKeys(redis, keys, { space, form, names });
    const known = rows.filter((row) => isAtService(row) || isKnown(now.get(row.key)));
    // Rows of a group are one record.
    yield* new Set(known.map(({ key }) => key));
  }
}

type KeysIn = { readonly redis: RedisConnection; readonly keys: LedgerKeys };

function isKnown(state: KeyState | undefined): boolean {
  return state?.kind === 'known' && state.alike !== true;
}

function hasOwnKey({ key, code }: Settlement): boolean {
  return key !== '' && code !== 'duplicate_key';
}

function isAtService({ outcome }: Settlement): boolean {
  return wasAccepted(outcome) || outcome === 'skipped';
}

function hasSent({ state, outcomes }: Run): boolean {
  return state === 'finished' && OUTCOMES.some((outcome) => wasAccepted(outcome) && outcomes[outcome] > 0);
}
