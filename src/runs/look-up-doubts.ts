import type { LedgerKeys } from '../ledger/keys.ts';
import { isOneRecord, noteDoubts, type RowDecision, resolveRows } from '../ledger/resolve.ts';
import { createRunView, readDoubts, rowsInDoubt } from '../ledger/run-view.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import type { Decision } from '../model/resolution.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';
import type { LookUp, Sighting } from '../service/look-up.ts';
import type { Ledger } from '../session.ts';

/**
 * What the service knows of a run's rows in doubt, and what that is proof of. A row is settled only by proof: a record that is found for
 * the keys of two rows, or that another row of the run has, settles none of them.
 */

type Asking = {
  readonly run: Run;
  readonly lookUp: LookUp;
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  readonly concurrency: number;
  /** Fires when it has to end: rows not asked for stay as they are. */
  readonly signal: AbortSignal;
};

type DoubtsLedger = Pick<Ledger, 'redis' | 'of'>;
type TargetLedger = { readonly redis: RedisConnection; readonly keys: LedgerKeys };

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
export async function lookUpDoubts(asking: Asking, { redis, of }: DoubtsLedger): Promise<LookedUp> {
  const { run, signal } = asking;
  const { keys } = of(run.target);
  const k = keys.run(run.id);
  const rows = await rowsInDoubt(redis, k);
  const asked: Asked[] = [];
  const ask = createAsk(asking);
  let keyless = 0;
  for (let at = 0; at < rows.length && !signal.aborted; at += BATCH_ROWS) {
    const doubts = [...(await readDoubts(redis, k, rows.slice(at, at + BATCH_ROWS))).values()];
    const keyed = doubts.filter(({ key }) => key !== '');
    keyless += doubts.length - keyed.length;
    asked.push(...(await Promise.all(keyed.map(ask))).flat());
  }
  const settled = await settle(asked, asking, { redis, keys });
  const left = rows.length - asked.length - keyless;
  return { ...settled, open: asked.length - settled.created - settled.notCreated, keyless, left };
}

/** Rows of one key are one record: asked for once, they can't come out differently. */
function createAsk({
  concurrency,
  lookUp,
  signal,
}: Asking): (doubt: Settlement) => Promise<readonly Asked[]> {
  const slots = createSemaphore(concurrency);
  const sightings = new Map<string, Promise<Sighting | null>>();
  const look = async (key: string): Promise<Sighting | null> => {
    const release = await slots.acquire();
    try {
      return signal.aborted ? null : await lookUp(key, signal);
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
async function settle(
  asked: readonly Asked[],
  { run, absenceIsProof }: Asking,
  { redis, keys }: TargetLedger,
) {
  const at = new Date();
  const owners = await ownersOf(asked, () => createRunView(redis, keys, run).settlements());
  const concluded = asked.map((one) => ({
    ...one,
    conclusion: conclude(one.doubt, one.sighting, {
      absenceIsProof,
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
async function ownersOf(
  asked: readonly Asked[],
  settlementsOfRun: LedgerView['settlements'],
): Promise<Map<string, number[]>> {
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
  for await (const settlements of settlementsOfRun()) {
    for (const settlement of settlements) {
      const rows = settlement.outcome === 'in-doubt' ? undefined : owners.get(settlement.id);
      if (rows !== undefined) own(rows, settlement);
    }
  }
  return new Map([...owners].map(([id, rows]) => [id, rows.map(({ row }) => row)]));
}

/** What a look-up makes of a row in doubt: a decision, or the row's settlement with what was found. */
export type Conclusion =
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'open'; readonly note: Settlement };

type Circumstances = {
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  /** The rows of the run that the found record would belong to: more than this one, and the look-up is no proof. */
  readonly sharedBy: readonly number[];
  readonly at: Date;
};

const LOOKED_UP = '; looked up at ';
const ROWS_NAMED = 3;

/** Decides by what the service knows of the row's key; whatever is no proof leaves the row in doubt. Pure. */
export function conclude(doubt: Settlement, sighting: Sighting, circumstances: Circumstances): Conclusion {
  switch (sighting.kind) {
    case 'found':
      return concludeFound(doubt, sighting.id, circumstances);
    case 'found-twice': {
      const others =
        sighting.count > sighting.ids.length ? ` and ${sighting.count - sighting.ids.length} more` : '';
      const what = `found ${sighting.count} times, as ${sighting.ids.join(', ')}${others}`;
      return { kind: 'open', note: noted({ ...doubt, code: 'found_twice' }, what, circumstances) };
    }
    case 'not-found':
      if (circumstances.absenceIsProof) return { kind: 'decided', decision: { kind: 'not-created' } };
      return { kind: 'open', note: noted(doubt, 'not found, which is no proof', circumstances) };
    case 'unclear':
      return { kind: 'open', note: noted(doubt, sighting.why, circumstances) };
    default:
      return sighting satisfies never;
  }
}

function concludeFound(doubt: Settlement, id: string, circumstances: Circumstances): Conclusion {
  const { sharedBy } = circumstances;
  if (sharedBy.length <= 1) return { kind: 'decided', decision: { kind: 'created', id } };
  const rows = [...sharedBy].sort((a, b) => a - b);
  const more = rows.length > ROWS_NAMED ? ` and ${rows.length - ROWS_NAMED} more` : '';
  const what = `found as ${id}, but so were rows ${rows.slice(0, ROWS_NAMED).join(', ')}${more}: does the path of the look-up tell keys apart?`;
  return { kind: 'open', note: noted(doubt, what, circumstances) };
}

/** What an earlier look-up said gives way. */
function noted(doubt: Settlement, what: string, { at }: Circumstances): Settlement {
  const [before = ''] = doubt.message.split(LOOKED_UP);
  return { ...doubt, message: `${before}${LOOKED_UP}${at.toISOString()}: ${what}` };
}
