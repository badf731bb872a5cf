/**
 * A run's rows on their way into the queue: read from the start, keys claimed in file order, handed
 * over in chunks, a bounded number of them open. Every step may be done again: closed chunks are
 * passed over, queued ones stay, claims give the same answers. While Redis is full or away, reading
 * waits.
 */
import { type JobDefinition, pathColumnsOf } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { type AccountsOfRow, claimAccounts } from '../engine/ledger/account-index.ts';
import { type Claimed, claimKeys } from '../engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../engine/ledger/keys.ts';
import { readOrigins } from '../engine/ledger/origins.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { readChunks } from '../engine/ledger/run-view.ts';
import type { ChunkJob } from '../engine/queue/chunk-job.ts';
import { OPEN_CHUNKS_MAX } from '../engine/queue/chunk-order.ts';
import type { ChunkQueue } from '../engine/queue/chunk-queue.ts';
import { passStage } from '../lib/stage.ts';
import { sleep } from '../lib/waiting.ts';
import type { AccountClaim, KeyClaim, RowContent } from '../model/identity.ts';
import type { Mapping } from '../model/mapping.ts';
import { succeeded } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import { createGroupStart } from '../model/row-group.ts';
import { type Run, rowsOfChunk } from '../model/run.ts';
import { identitySpace, isInPath } from '../operations/operations.ts';
import type { RowChunk } from '../readers/intake/chunks.ts';
import type { TargetSession } from '../session.ts';
import { type AccountsOf, countsRows, createAccountsOf, type Identify, openIdentify } from './identities.ts';
import { lineageOf, NOWHERE } from './origins.ts';
import { type WaitingNotice, waitOut } from './redis-wait.ts';
import { canaryOf } from './rows.ts';

type Ingest = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly chunks: AsyncIterable<RowChunk>;
  readonly queue: ChunkQueue;
  readonly notice: WaitingNotice;
  readonly signal: AbortSignal;
  /** The queue has every open chunk up to this one. */
  onAdded(chunk: number): void;
  /** Whether this process has been the run's only reader from now on, whenever that is asked. */
  tenure(): () => boolean;
};

/**
 * `stopped`: before the file's end. `file-changed`: the file has other rows than at its survey;
 * sent rows stay as they are. `canary`: a chunk went alone and none of its rows succeeded, as the
 * rest would not.
 */
export type IngestEnd = 'complete' | 'stopped' | 'file-changed' | 'canary';

const CHUNKS_PER_ADD = 8;
/** With so many waiting chunks of all runs, each run keeps fewer open: bounds Redis' memory. */
const CROWD = 1_024;
const OPEN_CHUNKS_IN_CROWD = 2 * CHUNKS_PER_ADD;
/** Between two counts of open chunks: many readers must not keep Redis busy counting. */
const ROOM_POLL_MS = 20;
const ROOM_POLL_MAX_MS = 320;

type Ingesting = Ingest & {
  readonly session: IngestSession;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly mapping: Mapping;
  /** By the first row of a group: another row of its key, which stands apart. */
  readonly apart: ReadonlyMap<number, number>;
  readonly identify: Identify;
  /** `null`: no account is looked at. */
  readonly accountsOf: AccountsOf | null;
  /** Earlier runs, by row. */
  comesFrom(row: number): ReadonlySet<string>;
  /** Chunks that were closed when the reading began. */
  readonly closed: ReadonlySet<number>;
};

type IngestSession = Pick<TargetSession, 'ledger' | 'registration'>;

export async function ingestRun(ingest: Ingest, session: IngestSession): Promise<IngestEnd> {
  try {
    return await readToEnd(ingest, session);
  } catch (error) {
    if (ingest.signal.aborted) return 'stopped';
    throw error;
  }
}

/** Throws once the signal has come. */
async function readToEnd(ingest: Ingest, session: IngestSession): Promise<IngestEnd> {
  const { run, definition, signal } = ingest;
  const { keys, store } = session.ledger.of(run.target);
  const mapping = mappingFor(definition, run.source);
  const apart = new Map(run.apart);
  const closed = await waitOut(() => store.closedChunks(run.id), ingest);
  const { redis } = session.ledger;
  const identify = await waitOut(() => openIdentify(run, definition, { redis, keys }), ingest);
  const accountsOf = createAccountsOf(definition, mapping, keys);
  // Asked for accounts alone.
  const comesFrom =
    accountsOf === null
      ? NOWHERE
      : await waitOut(async () => lineageOf(await readOrigins(redis, keys, run), store), ingest);
  const ingesting = {
    ...ingest,
    session,
    keys,
    store,
    mapping,
    apart,
    identify,
    accountsOf,
    comesFrom,
    closed,
  };
  const outlet = createOutlet(ingesting);
  const mark = await waitOut(() => store.canaryOf(run.id), ingest);
  // The canary: the first chunk or, after a stop by one, the next.
  const alone = mark === '' && canaryOf(definition) === null ? Number.NaN : Number(mark) || 1;
  let read = 0;
  for await (const chunk of ingesting.chunks) {
    signal.throwIfAborted();
    const { n, rows } = chunk;
    read += rows.length;
    // A file that grew or shrank since its survey shows here.
    if (rows.length !== rowsOfChunk(run, n)) return 'file-changed';
    if (n - 1 === alone && !(await passesCanary(alone, outlet.flush, ingesting))) return 'canary';
    if (!closed.has(n)) await outlet.push({ n, rows, claiming: claimingRows(rows, ingesting) });
    else if (countsRows(definition)) rows.forEach(identify);
  }
  await outlet.flush();
  return read === run.rows ? 'complete' : 'file-changed';
}

/** Sends that chunk alone; false: the others would fail like it. */
async function passesCanary(n: number, flush: () => Promise<void>, ingesting: Ingesting) {
  const { run, store } = ingesting;
  await flush();
  await untilTrue(async () => (await store.closedChunks(run.id)).has(n), ingesting);
  return waitOut(async () => {
    const judged = await judgeCanary(n, ingesting);
    if (judged === 'succeeded') await store.prove(run.job, run.id);
    return judged !== 'failed';
  }, ingesting);
}

/**
 * `failed`: no row of it succeeded, and, where nobody set a canary, they failed as all others
 * would; `open`: neither.
 */
async function judgeCanary(
  n: number,
  { run, definition, keys, session }: Ingesting,
): Promise<'succeeded' | 'failed' | 'open'> {
  const [chunk] = await readChunks(session.ledger.redis, keys.run(run.id), [n]);
  const first = chunk?.settlements ?? [];
  if (first.some(({ outcome }) => succeeded(outcome))) return 'succeeded';
  if (canaryOf(definition) !== null) return 'failed';
  const sent = first.filter(({ outcome }) => outcome !== 'invalid' && outcome !== 'skipped');
  const isOfRow = isInPath(run.operation) || pathColumnsOf(definition).length > 0;
  const isTelling = sent.length >= TELLING;
  const allAlike = sent.every(({ code }) => concernsAll(code, isOfRow));
  return isTelling && allAlike ? 'failed' : 'open';
}

/** A single answer may be about its own row. */
const TELLING = 2;

/**
 * Whether such a failure says nothing of its row: the service is unwell, or there is no such
 * address. `isOfRow`: the path holds something of the row, so a 404 may be about that.
 */
function concernsAll(code: string, isOfRow: boolean): boolean {
  return (
    /^http_(?:405|5\d\d)$|^(?:connect_)?timeout$|^connection_lost$/.test(code) ||
    (code === 'http_404' && !isOfRow)
  );
}

/** What a row is known by, which it claims; a row of a group that stands apart claims nothing. */
type Claiming = {
  readonly row: number;
  readonly key: string;
  readonly rowContent?: RowContent;
};

export function claimingRows(
  rows: readonly Row[],
  { definition, mapping, apart, identify }: Pick<Ingesting, 'definition' | 'mapping' | 'apart' | 'identify'>,
): readonly Claiming[] {
  // Rows of one key that follow each other are one request: the key is the first one's.
  const leaders = definition.group === undefined ? rows : rows.filter(createGroupStart(mapping.groupOf));
  return leaders.flatMap((row) => {
    const identity = identify(row);
    return identity === null || apart.has(row.row) ? [] : [{ row: row.row, ...identity }];
  });
}

const UNCLAIMED: KeyClaim = { kind: 'claimed' };

/** `claims`: of the claiming rows, from `from` on. */
export function claimedRows(
  rows: readonly Row[],
  claiming: readonly Claiming[],
  { claims, from = 0 }: Pick<Claimed, 'claims'> & { readonly from?: number },
  apart: Ingesting['apart'],
): ChunkJob['rows'] {
  const places = new Map(claiming.map(({ row }, i) => [row, i]));
  return rows.map((row) => {
    const place = places.get(row.row);
    const other = apart.get(row.row);
    if (other !== undefined) return { row, claim: { kind: 'apart', row: other } };
    if (place === undefined) return { row, claim: UNCLAIMED };
    const { rowContent } = claiming[place] ?? {};
    const claim = claims[from + place] ?? UNCLAIMED;
    return rowContent === undefined ? { row, claim } : { row, claim, rowContent };
  });
}

type KeyedChunk = RowChunk & { readonly claiming: readonly Claiming[] };

/** Claims keys in file order in one command. */
async function claimChunks(
  chunks: readonly KeyedChunk[],
  ingesting: Ingesting,
): Promise<readonly ChunkJob[]> {
  const { run, definition, keys, session, apart, comesFrom } = ingesting;
  const last = chunks.at(-1)?.n ?? null;
  const claim = {
    run: run.id,
    space: identitySpace(run),
    form: definition.keyForm,
    rows: chunks.flatMap(({ claiming }) => claiming),
  };
  passStage('claiming', () => [], last);
  const { verified } = session.registration;
  const claimed = await waitOut(async () => {
    const answered = await claimKeys(verified, keys, claim);
    return withStates(answered, ingesting.store);
  }, ingesting);
  let from = 0;
  const jobs = chunks.map(({ n, rows, claiming }) => {
    const own = { ...claimed, from };
    from += claiming.length;
    return {
      run: run.id,
      chunk: n,
      claimed: claimed.verification,
      rows: claimedRows(rows, claiming, own, apart),
    };
  });
  const index = { redis: session.ledger.redis, keys, space: identitySpace(run).name };
  const withClaims = await withAccounts(jobs, ingesting.accountsOf, (rows) =>
    waitOut(() => claimAccounts(verified, index, { run: run.id, comesFrom, rows }), ingesting),
  );
  passStage('claimed', () => [], last);
  return withClaims;
}

type ClaimAccounts = (rows: readonly AccountsOfRow[]) => Promise<ReadonlyMap<number, AccountClaim>>;

/** With the accounts of the rows that have their keys, and are to create a record. */
export async function withAccounts(
  jobs: readonly ChunkJob[],
  accountsOf: AccountsOf | null,
  claim: ClaimAccounts,
): Promise<readonly ChunkJob[]> {
  if (accountsOf === null) return jobs;
  const rows = jobs.flatMap((job) => {
    const claimed = job.rows.filter((one) => one.claim.kind === 'claimed');
    const numbers = new Set(claimed.map(({ row }) => row.row));
    return accountsOf(
      job.rows.map(({ row }) => row),
      (leader) => numbers.has(leader),
    );
  });
  const claims = await claim(rows);
  if (claims.size === 0) return jobs;
  return jobs.map((job) => ({ ...job, rows: job.rows.map((row) => withClaim(row, claims)) }));
}

function withClaim(row: ChunkJob['rows'][number], claims: ReadonlyMap<number, AccountClaim>) {
  const accounts = claims.get(row.row.row);
  return accounts === undefined ? row : { ...row, accounts };
}

/** Adds the states of the runs that have the keys: advice depends on them. */
async function withStates(claimed: Claimed, store: RunStore): Promise<Claimed> {
  const held = claimed.claims.filter((claim) => claim.kind === 'held');
  const waiting = held.filter(({ inDoubt }) => !inDoubt);
  if (waiting.length === 0) return claimed;
  const states = await store.statesOf([...new Set(waiting.map(({ run }) => run))]);
  const claims = claimed.claims.map((claim): KeyClaim => {
    if (claim.kind !== 'held') return claim;
    const state = states.get(claim.run);
    return state === undefined ? claim : { ...claim, state };
  });
  return { ...claimed, claims };
}

/** Several chunks in one command. */
function createOutlet(ingesting: Ingesting) {
  const { run, store, queue } = ingesting;
  let batch: KeyedChunk[] = [];
  let added = 0;
  let open = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    await addChunks(await claimChunks(batch, ingesting), open, ingesting);
    added += batch.length;
    open += batch.length;
    batch = [];
  };
  const hasRoom = async () => {
    const [closed, waiting] = await Promise.all([store.countClosed(run.id), queue.countWaiting()]);
    open = added - (closed - ingesting.closed.size);
    const most = waiting < CROWD ? OPEN_CHUNKS_MAX : OPEN_CHUNKS_IN_CROWD;
    return open <= most - CHUNKS_PER_ADD;
  };
  const push = async (chunk: KeyedChunk) => {
    batch.push(chunk);
    if (batch.length < CHUNKS_PER_ADD) return;
    await flush();
    await untilTrue(hasRoom, ingesting);
  };
  return { push, flush };
}

/** Chunks that an earlier try added stay as they are. */
async function addChunks(chunks: readonly ChunkJob[], open: number, ingesting: Ingesting): Promise<void> {
  const last = chunks.at(-1)?.chunk ?? 0;
  passStage('adding', () => [], last);
  await waitOut(async () => {
    const { session, run, tenure } = ingesting;
    await session.registration.noteAdded(run.id, last, tenure());
    await ingesting.queue.add(chunks, open);
  }, ingesting);
  ingesting.onAdded(last);
  passStage('added', () => [], last);
}

/** Asks the ledger until that holds, after a longer time each time. */
async function untilTrue(holds: () => Promise<boolean>, ingesting: Ingesting): Promise<void> {
  for (let times = 1; !(await waitOut(holds, ingesting)); times += 1) {
    await sleep(Math.min(ROOM_POLL_MS * times, ROOM_POLL_MAX_MS), ingesting.signal);
    ingesting.signal.throwIfAborted();
  }
}
