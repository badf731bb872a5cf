import { passStage } from '../lib/stage.ts';
import { identityKeyOf, type KeyClaim } from '../model/identity.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import { createGroupStart } from '../model/row-group.ts';
import { type Run, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import { OPEN_CHUNKS_MAX } from '../queue/chunk-order.ts';
import { type WaitEdges, waitOut } from './wait-out.ts';

/** Chunks that are added in one command. */
const CHUNKS_PER_ADD = 8;
/** With so many chunks waiting, of all runs, each keeps open only what it needs to go on: that bounds Redis' memory. */
const CROWD = 1_024;
const OPEN_CHUNKS_IN_CROWD = 2 * CHUNKS_PER_ADD;

export type IngestEdges = WaitEdges & {
  readonly run: Run;
  readonly mapping: Mapping;
  /** The run's share among others, as of its job's `priority`. */
  readonly weight: number;
  /** The job has a `group`. */
  readonly isGrouped: boolean;
  /** The file's rows, the same chunks at every reading. */
  readonly chunks: AsyncIterable<{ readonly n: number; readonly rows: readonly Row[] }>;
  /** Chunks that are closed already. */
  readonly closed: ReadonlySet<number>;
  claim(rows: ReadonlyArray<{ readonly row: number; readonly key: string }>): Promise<KeyClaim[]>;
  /** `open`: how many chunks that were added before are not closed. */
  add(chunks: readonly ChunkJob[], open: number): Promise<void>;
  /** How many chunks of the run are closed by now. */
  countClosed(): Promise<number>;
  /** How many chunks wait for a worker, of all runs. */
  countWaiting(): Promise<number>;
  /** Resolves when it is worth counting again, asked for that often in a row (`times`); false: stop reading. */
  waitForRoom(times: number): Promise<boolean>;
  /** Asked once the first chunk is closed: whether none of its rows succeeded and nobody has said to go on; `null`: no canary. */
  readonly canaryFailed: (() => Promise<boolean>) | null;
};

/**
 * `file-changed`: it has other rows than when it was surveyed; those already sent stay as they are. `canary`: the first chunk
 * went ahead alone, and none of its rows succeeded.
 */
export type IngestEnd = 'complete' | 'stopped' | 'file-changed' | 'canary';

/**
 * Reads the file from its start, claims keys in file order and hands chunks to the queue, a bounded number at a time.
 * Every step may be done again: chunks that are closed are passed over, those in the queue stay, claims give the same answers.
 * A Redis that is full or away is waited out in place. `stopped`: before the file's end.
 */
export async function ingestRun(edges: IngestEdges): Promise<IngestEnd> {
  const outlet = createOutlet(edges);
  let read = 0;
  for await (const { n, rows } of edges.chunks) {
    read += rows.length;
    if (!fits(n, rows.length, edges.run)) return 'file-changed';
    const held = n === 2 ? await afterCanary(outlet.flush, edges) : null;
    if (held !== null) return held;
    if (edges.closed.has(n)) continue;
    const chunk = await claimChunk(edges, n, rows);
    if (chunk === null || !(await outlet.push(chunk))) return 'stopped';
  }
  if (!(await outlet.flush())) return 'stopped';
  return read === edges.run.rows ? 'complete' : 'file-changed';
}

/** Hands chunks to the queue, several in one command; false: stop reading. */
function createOutlet(edges: IngestEdges) {
  let batch: ChunkJob[] = [];
  let added = 0;
  let open = 0;
  const closedBefore = edges.closed.size;
  const flush = async () => {
    if (!(await addChunks(edges, batch, open))) return false;
    added += batch.length;
    open += batch.length;
    batch = [];
    return true;
  };
  const hasRoom = async () => {
    for (let times = 1; ; times += 1) {
      const counted = await waitOut(() => Promise.all([edges.countClosed(), edges.countWaiting()]), edges);
      if (counted === null) return false;
      const [closed, waiting] = counted;
      open = added - (closed - closedBefore);
      const most = waiting < CROWD ? OPEN_CHUNKS_MAX : OPEN_CHUNKS_IN_CROWD;
      if (open <= most - CHUNKS_PER_ADD) return true;
      if (!(await edges.waitForRoom(times))) return false;
    }
  };
  const push = async (chunk: ChunkJob) => {
    batch.push(chunk);
    return batch.length < CHUNKS_PER_ADD || ((await flush()) && (await hasRoom()));
  };
  return { push, flush };
}

/** Where there is a canary: lets the first chunk go and waits until it is closed. `null`: the others may follow. */
async function afterCanary(
  flush: () => Promise<boolean>,
  edges: IngestEdges,
): Promise<'stopped' | 'canary' | null> {
  const { canaryFailed } = edges;
  if (canaryFailed === null) return null;
  if (!(await flush()) || !(await untilClosed(edges))) return 'stopped';
  const failed = await waitOut(canaryFailed, edges);
  if (failed === null) return 'stopped';
  return failed ? 'canary' : null;
}

/** Resolves when a chunk is closed; false: stop reading. */
async function untilClosed(edges: IngestEdges): Promise<boolean> {
  for (let times = 1; ; times += 1) {
    const closed = await waitOut(edges.countClosed, edges);
    if (closed === null) return false;
    if (closed > 0) return true;
    if (!(await edges.waitForRoom(times))) return false;
  }
}

/** Whether the run has that many rows in its chunk: a file that grew or shrank since its survey shows here. */
function fits(n: number, rows: number, run: Run): boolean {
  return rows === rowsOfChunk(run, n);
}

/** Chunks that a try added before it failed stay as they are. False: stop reading. */
async function addChunks(edges: IngestEdges, chunks: readonly ChunkJob[], open: number): Promise<boolean> {
  const last = chunks.at(-1)?.chunk;
  if (last === undefined) return true;
  passStage('adding', () => [], last);
  const isAdded = await waitOut(async () => {
    await edges.add(chunks, open);
    return true;
  }, edges);
  if (isAdded === null) return false;
  passStage('added', () => [], last);
  return true;
}

/** `null`: stop reading. */
async function claimChunk(edges: IngestEdges, n: number, rows: readonly Row[]): Promise<ChunkJob | null> {
  // Rows of one key that follow each other are one request: the key is the first one's.
  const claiming = edges.isGrouped ? rows.filter(createGroupStart(edges.mapping.keyOf)) : rows;
  const keyed = claiming.flatMap((row) => {
    const key = identityKeyOf(edges.run, edges.mapping, row);
    return key === null ? [] : [{ row: row.row, key }];
  });
  passStage('claiming', () => [], n);
  const claims = await waitOut(() => edges.claim(keyed), edges);
  if (claims === null) return null;
  passStage('claimed', () => [], n);
  const byRow = new Map(keyed.map(({ row }, i) => [row, claims[i]]));
  const unclaimed: KeyClaim = { kind: 'claimed' };
  return {
    run: edges.run.id,
    chunk: n,
    weight: edges.weight,
    rows: rows.map((row) => ({ row, claim: byRow.get(row.row) ?? unclaimed })),
  };
}
