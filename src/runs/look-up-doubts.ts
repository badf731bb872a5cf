import { readDoubts, rowsInDoubt } from '../ledger/doubts.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import type { RowDecision } from '../ledger/resolve-entry.ts';
import { noteDoubts, resolveRows } from '../ledger/resolve-rows.ts';
import { isOneRecord } from '../ledger/resolve-standing.ts';
import { createRunView } from '../ledger/run-view.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import type { Run } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import type { LookUp, Sighting } from '../service/look-up.ts';
import { type Conclusion, conclude } from './look-up-conclusion.ts';

type LookUpEdges = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly run: Run;
  readonly lookUp: LookUp;
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  readonly concurrency: number;
  readonly now: () => Date;
  /** Fires when it has to end: rows not asked for stay as they are. */
  readonly signal: AbortSignal;
};

/** How many of the rows in doubt came out how. */
export type LookedUp = {
  readonly created: number;
  readonly notCreated: number;
  /** Asked for, and still in doubt; each says why. */
  readonly open: number;
  readonly keyless: number;
  /** Not asked for: it was broken off, took too long, or the token was refused. */
  readonly left: number;
};

const BY = 'lookup';
/** Rows of which the settlements are in memory at a time. */
const BATCH_ROWS = 1_000;

type Asked = { readonly doubt: Settlement; readonly sighting: Sighting };

/** Asks the service for every row of the run that is in doubt, and settles those of which it gives proof. */
export async function lookUpDoubts(edges: LookUpEdges): Promise<LookedUp> {
  const rows = await rowsInDoubt(edges.redis, edges.keys.run(edges.run.id));
  const asked: Asked[] = [];
  const ask = createAsk(edges);
  let keyless = 0;
  for (let at = 0; at < rows.length && !edges.signal.aborted; at += BATCH_ROWS) {
    const k = edges.keys.run(edges.run.id);
    const doubts = [...(await readDoubts(edges.redis, k, rows.slice(at, at + BATCH_ROWS))).values()];
    const keyed = doubts.filter(({ key }) => key !== '');
    keyless += doubts.length - keyed.length;
    asked.push(...(await Promise.all(keyed.map(ask))).flat());
  }
  const settled = await settle(edges, asked);
  const left = rows.length - asked.length - keyless;
  return { ...settled, open: asked.length - settled.created - settled.notCreated, keyless, left };
}

/** Rows of one key are one record: asked for once, they can't come out differently. */
function createAsk(edges: LookUpEdges): (doubt: Settlement) => Promise<readonly Asked[]> {
  const slots = createSemaphore(edges.concurrency);
  const sightings = new Map<string, Promise<Sighting | null>>();
  const look = async (key: string): Promise<Sighting | null> => {
    const release = await slots.acquire();
    try {
      return edges.signal.aborted ? null : await edges.lookUp(key, edges.signal);
    } finally {
      release();
    }
  };
  return async (doubt) => {
    const looking = sightings.get(doubt.key) ?? look(doubt.key);
    sightings.set(doubt.key, looking);
    const sighting = await looking;
    return sighting === null ? [] : [{ doubt, sighting }];
  };
}

/** Concluded only when all have been asked: what is wrong with the look-up itself shows in the answers together. */
async function settle(edges: LookUpEdges, asked: readonly Asked[]) {
  const { redis, keys, run } = edges;
  const at = edges.now();
  const owners = await ownersOf(edges, asked);
  const concluded = asked.map((one) => ({
    ...one,
    conclusion: conclude(one.doubt, one.sighting, {
      absenceIsProof: edges.absenceIsProof,
      at,
      sharedBy: one.sighting.kind === 'found' ? (owners.get(one.sighting.id) ?? []) : [],
    }),
  }));
  const decisions = concluded.flatMap(({ doubt, conclusion }) => decisionOf(doubt.row, conclusion));
  const notes = concluded.flatMap(({ conclusion }) => (conclusion.kind === 'open' ? [conclusion.note] : []));
  const answers = await resolveRows(redis, keys, { run, by: BY, at, decisions });
  await noteDoubts(redis, keys, { run, notes });
  const count = (kind: 'created' | 'not-created') =>
    decisions.filter(({ decision }, i) => decision.kind === kind && answers[i]?.kind === 'resolved').length;
  return { created: count('created'), notCreated: count('not-created') };
}

function decisionOf(row: number, conclusion: Conclusion): readonly RowDecision[] {
  return conclusion.kind === 'decided' ? [{ row, decision: conclusion.decision }] : [];
}

/** The rows of each id that was found, also those that had it before: one record is never that of two keys. */
async function ownersOf(edges: LookUpEdges, asked: readonly Asked[]): Promise<Map<string, number[]>> {
  const owners = new Map<string, Settlement[]>();
  const own = (rows: Settlement[], settlement: Settlement) => {
    if (!rows.some((row) => isOneRecord(row, settlement))) rows.push(settlement);
  };
  for (const { doubt, sighting } of asked) {
    if (sighting.kind !== 'found') continue;
    const rows = owners.get(sighting.id) ?? [];
    owners.set(sighting.id, rows);
    own(rows, doubt);
  }
  if (owners.size === 0) return new Map();
  for await (const settlements of createRunView(edges.redis, edges.keys, edges.run).settlements()) {
    for (const settlement of settlements) {
      const rows = settlement.outcome === 'in-doubt' ? undefined : owners.get(settlement.id);
      if (rows !== undefined) own(rows, settlement);
    }
  }
  return new Map([...owners].map(([id, rows]) => [id, rows.map(({ row }) => row)]));
}
