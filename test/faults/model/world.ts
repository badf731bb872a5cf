import type { Redis } from 'ioredis';
import { type JobDefinition, jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { createIdempotency, type Idempotency } from '../../../src/delivery/idempotency.ts';
import { mappingFor } from '../../../src/delivery/run-mapping.ts';
import { type ChunkLedger, createChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import type { RowJournal } from '../../../src/engine/ledger/exchange.ts';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { encodeLine } from '../../../src/engine/recovery/journal/record.ts';
import { restorableFields } from '../../../src/engine/recovery/replay.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import type { Mapping } from '../../../src/model/mapping.ts';
import type { Run } from '../../../src/model/run.ts';
import { newRun } from '../../support/runs.ts';
import { createKeyspace, type Keyspace, ledgerNames, rowKey, type Snapshot } from './keyspace.ts';
import { diskOf, type Line, newState, type Slot, type State } from './state.ts';
import { type TornRedis, tornRedis } from './torn-redis.ts';
import type { Workers } from './workers.ts';

/** A ledger on a real Redis, with what the world around it is like. */
export type World = {
  readonly redis: Redis;
  readonly torn: TornRedis;
  readonly keys: LedgerKeys;
  readonly run: Run;
  /** Rows of the chunk that is looked at. */
  readonly rows: number;
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  /** `null`: requests have no such header. */
  readonly idempotency: Idempotency | null;
  readonly keyspace: Keyspace;
  /** The journal's first line: how the run's record is put back. */
  readonly remembered: Line;
  readonly bend: Bend;
  state: State;
  /** The ledger after each event, where it can go back to any of them. */
  readonly history: Snapshot[];
  /** The events so far, in words. */
  readonly trail: string[];
};

type RowRecord = Parameters<RowJournal['write']>[0];

/** What is wrong with the ledger, on purpose: the model has to find it. */
export type Bend = {
  readonly ledger?: (ledger: ChunkLedger, world: World) => ChunkLedger;
  readonly journals?: (record: RowRecord) => boolean;
  /** Within one run of the server Redis loses nothing: it has all intents of the dead. */
  readonly believesRedis?: boolean;
  /** The hours of an idempotency header are never over. */
  readonly standsStill?: boolean;
};

export type Bench = World & {
  readonly workers: Workers;
  /** The epoch in which the rows' keys were claimed. */
  claimed: string;
};

export type WorldOptions = {
  readonly redis: Redis;
  readonly keys: LedgerKeys;
  readonly rows: number;
  readonly processes: 1 | 2;
  /** The run has another chunk: it goes on when this one is closed. */
  readonly goesOn: boolean;
  /** The epoch's key goes back in time with the rest. */
  readonly epoch: boolean;
  /** Requests have an idempotency header, of which the service takes notice. */
  readonly isKeyed?: boolean;
  readonly bend?: Bend;
};

const HOURS = 24;
/** By then the service has forgotten. */
const LATER_MS = HOURS * 3_600_000;
const OWN = {
  name: 'thing.add',
  method: 'POST',
  path: '/things',
  idempotencyHeader: 'Idempotency-Key',
  idempotencyHours: HOURS,
} as const;

export const NOW = new Date('2026-11-21T11:00:00.000Z');

/** A registered, running run with the chunk 1; its rows' keys are claimed by `claimAll`. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const { keys, rows, processes, goesOn } = options;
  const torn = tornRedis(options.redis);
  const { redis } = torn;
  const columns = ['externalId', 'details.name'];
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId' });
  const plain = newRun({ rows: goesOn ? rows + 1 : rows, chunkRows: rows });
  const registered = {
    ...plain,
    id: 'run-model',
    definition,
    facts: { ...plain.facts, sha256: 'a'.repeat(64), source: { ...plain.facts.source, columns } },
  };
  const store = createRunStore(redis, keys, () => NOW);
  await store.register(registered);
  await store.transition(registered.id, 'running', null);
  const run = await store.get(registered.id);
  if (run === null) throw new Error('the run is gone');
  const fields = restorableFields(await redis.hgetall(keys.run(run.id).record));
  const text = encodeLine({ kind: 'run', run: run.id, fields });
  const state = newState(rows, processes);
  const keyed = { ...definition, request: options.isKeyed === true ? OWN : undefined };
  const isLater = () => world.state.forgotten && options.bend?.standsStill !== true;
  const wallClock = () => NOW.getTime() + (isLater() ? LATER_MS : 0);
  for (const disk of state.disks) disk.lines.push({ kind: 'written', text });
  const world: World = {
    redis,
    torn,
    keys,
    run,
    rows,
    definition,
    mapping: mappingFor(definition, registered.facts.source),
    idempotency: createIdempotency(keyed, 'n', wallClock),
    keyspace: createKeyspace(redis, ledgerNames(keys, run.id, options), {
      name: `${keys.run(run.id).chunk}1`,
      rows: Array.from({ length: rows }, (_, i) => i + 1),
    }),
    remembered: { kind: 'written', text },
    bend: options.bend ?? {},
    state,
    history: [],
    trail: [],
  };
  return world;
}

export async function claimAll(bench: Bench): Promise<void> {
  const { workers, keys, run, rows } = bench;
  const { verification } = await claimKeys(workers.epoch(0), keys, {
    run: run.id,
    space: { name: 'subclient', ofRun: false },
    rows: Array.from({ length: rows }, (_, i) => ({ row: i + 1, key: rowKey(i + 1) })),
  });
  bench.claimed = verification;
}

/** The ledger as the worker in that slot has it now. */
export function ledgerOf(bench: Bench, slot: Slot): ChunkLedger {
  const { keys, run, bend } = bench;
  const epoch = bench.workers.epoch(slot);
  const journal = journalOf(bench, slot);
  const ledger = createChunkLedger({
    verified: epoch,
    keys,
    journal,
    run,
    seal: CLEAR,
    probeMs: 1_000,
    now: () => NOW,
  });
  return bend.ledger === undefined ? ledger : bend.ledger(ledger, bench);
}

function journalOf(bench: Bench, slot: Slot): RowJournal {
  const add = (kind: Line['kind'], record: RowRecord) => {
    if (bench.bend.journals?.(record) === false) return;
    const { lines } = diskOf(bench.state, slot);
    const text = encodeLine(record);
    // A command whose reply was lost is sent again by the connection: the journal is not told twice.
    if (lines.at(-1)?.text !== text) lines.push({ kind, text });
  };
  return {
    write: async (record) => add('written', record),
    note: (record) => add('noted', record),
  };
}
