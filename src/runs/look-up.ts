/**
 * Asks the service for a run's rows in doubt: at the run's end, where its job has a look-up, or
 * when a person asks. Not at once, since a create may still be under way, and never for long. Only
 * proof settles a row: a record found for the keys of two rows, or that another row has, settles
 * none.
 */
import type { JobDefinition, LookupSettings } from '../config/job-definition.ts';
import { knownJobs, loadJob } from '../config/load-job.ts';
import { ratePerSecond } from '../config/send-settings.ts';
import { createClient } from '../delivery/service/attempt.ts';
import { createLookUp, type LookUp, type Sighting } from '../delivery/service/look-up.ts';
import { backoffMs } from '../delivery/service/retry-wait.ts';
import { SANDBOX_TARGET, type Service, serviceOf } from '../delivery/target.ts';
import type { LedgerKeys } from '../engine/ledger/keys.ts';
import { type Holder, LOOK_UP, noteDoubts, type RowDecision, resolveRows } from '../engine/ledger/resolve.ts';
import { createRunView, readDoubts, rowsInDoubt } from '../engine/ledger/run-view.ts';
import { batchesOf } from '../lib/batches.ts';
import { messageOf } from '../lib/errors.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { countOf, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programVersion } from '../lib/version.ts';
import { sleep } from '../lib/waiting.ts';
import type { Decision, KeptSighting } from '../model/resolution.ts';
import { isOver, type Run } from '../model/run.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';
import type { Ledger, Session } from '../session.ts';
import { createHolders } from './decisions.ts';
import { waitToEnd } from './redis-wait.ts';

type LookUpSession = Pick<Session, 'io' | 'ledger' | 'times'>;

type Way = Pick<JobDefinition, 'send'> & { readonly service: Service; readonly lookup: LookupSettings };

/** Where the definition has one; answers the run afterwards. A failure leaves rows in doubt. */
export async function lookUpAtEnd(
  run: Run,
  session: LookUpSession & { readonly service: Service },
): Promise<Run> {
  const { io, ledger, service, times } = session;
  const { store } = ledger.of(run.target);
  const ended = isOver(run) || run.state === 'stopped';
  if (!ended || run.outcomes['in-doubt'] === 0 || io.interrupted.aborted) return run;
  const definition = await waitToEnd(() => store.definition(run.id), io);
  if (definition?.lookup === undefined) return run;
  if (run.target === SANDBOX_TARGET) {
    tell(io, 'The rows in doubt are not looked up: the stand-in has no look-up.');
    return run;
  }
  try {
    const { send, lookup } = definition;
    await lookUpRun(run, times.lookUpAfterMs, { service, send, lookup }, session);
  } catch (error) {
    tell(io, `warning: the look-up failed: ${messageOf(error)}`);
  }
  return (await waitToEnd(() => store.get(run.id), io)) ?? run;
}

/** A UsageError where the run has no look-up, or the environment names another service. */
export async function lookUpOnDemand(
  run: Run,
  session: LookUpSession & Pick<Session, 'env' | 'releasers'>,
): Promise<LookedUp> {
  const settings = await settingsOf(run, session);
  if (settings === null) throw new UsageError(noLookUp(run));
  if (run.target === SANDBOX_TARGET) throw new UsageError(noLookUpThere(run));
  const service = await serviceOf(run.target, session);
  const waitMs = stillToWait(run, session.times.lookUpAfterMs, new Date());
  if (run.outcomes['in-doubt'] === 0) return { created: 0, notCreated: 0, open: 0, keyless: 0, left: 0 };
  return lookUpRun(run, waitMs, { service, ...settings }, session);
}

function noLookUp({ job }: Run): string {
  return (
    `The job ${job} has no look-up: expected the setting \`lookup\` (path, match, id) ` +
    'in its definition in ONBOARD_JOBS, or in the one that the run began with.'
  );
}

function noLookUpThere({ id }: Run): string {
  return `Run ${id} went to the built-in stand-in, which has no look-up: name the rows instead.`;
}

/** A UsageError where the job can't be read. */
export async function hasLookUp(run: Run, session: Pick<Session, 'env' | 'ledger'>): Promise<boolean> {
  return run.target !== SANDBOX_TARGET && (await settingsOf(run, session)) !== null;
}

/** The job as it is now: a look-up is often added once rows are in doubt. Else the run's own. */
async function settingsOf(
  run: Run,
  { env: { jobsDirectory }, ledger }: Pick<Session, 'env' | 'ledger'>,
): Promise<Omit<Way, 'service'> | null> {
  const isKnown = (await knownJobs(jobsDirectory)).includes(run.job);
  const now = isKnown ? (await loadJob(run.job, jobsDirectory)).definition : null;
  const begunWith = await ledger.of(run.target).store.definition(run.id);
  for (const definition of [now, begunWith]) {
    if (definition?.lookup !== undefined) return { send: definition.send, lookup: definition.lookup };
  }
  return null;
}

/**
 * Until no create can be under way any more. The time of a doubt is not recorded: at the latest the
 * run's end, and in an open run perhaps just now.
 */
function stillToWait(run: Run, afterMs: number, now: Date): number {
  const since = run.finishedAt === null ? 0 : now.getTime() - Date.parse(run.finishedAt);
  return Math.min(afterMs, Math.max(0, afterMs - since));
}

/** Bounds the command; the service can be asked again for the rows that are left. */
const LIMIT_MS = 10 * 60_000;

/** Begins `waitMs` from now, and shows the result. */
async function lookUpRun(run: Run, waitMs: number, way: Way, session: LookUpSession): Promise<LookedUp> {
  const { io, ledger } = session;
  const { service, send, lookup: settings } = way;
  const count = run.outcomes['in-doubt'];
  const signal = AbortSignal.any([io.interrupted, AbortSignal.timeout(LIMIT_MS + waitMs)]);
  if (waitMs > 0) {
    const soon = `in ${Math.ceil(waitMs / 1000)} s: a create may still be under way`;
    tell(
      io,
      `${countOf(count, 'row')} in doubt: the service is asked for ${count === 1 ? 'it' : 'them'} ${soon}.`,
    );
    await sleep(waitMs, signal);
  }
  const { concurrency, timeoutSeconds, rate } = send;
  const { baseUrl, route } = service;
  const timeoutMs = timeoutSeconds * 1000;
  const client = createClient({ baseUrl, route, concurrency, timeoutMs, version: programVersion() });
  // A look-up changes nothing at the service, so requests under way are broken off too.
  signal.addEventListener('abort', () => void client.destroy());
  const lookUp = createLookUp({
    settings,
    client,
    credentials: service.credentials,
    waitForRate: createPace(rate),
    backoffMs: (attempt) => backoffMs(attempt, Math.random),
  });
  try {
    const absenceIsProof = settings.absence === 'proof';
    const looked = await lookUpDoubts({ run, lookUp, absenceIsProof, concurrency, signal }, ledger);
    for (const line of lookedUpLines(run, looked)) tell(io, line);
    return looked;
  } finally {
    await client.destroy();
  }
}

function lookedUpLines(run: Run, looked: LookedUp): string[] {
  const { created, notCreated, open, keyless, left } = looked;
  const asked = created + notCreated + open;
  const lines = [
    `Looked up ${countOf(asked, 'row')} in doubt: ${created} created, ` +
      `${notCreated} not created, ${open} still in doubt.`,
  ];
  if (keyless > 0) lines.push(`${countOf(keyless, 'row')} without a key can't be looked up.`);
  if (left > 0) {
    lines.push(
      `${countOf(left, 'row')} could not be asked for. To go on: onboard resolve ${run.id} --lookup`,
    );
  }
  return lines;
}

/** Spaces this process' requests evenly; nobody else sends for the run at its end. */
function createPace(rate: string | undefined): (signal: AbortSignal) => Promise<void> {
  if (rate === undefined) return async () => undefined;
  const intervalMs = 1000 / ratePerSecond(rate);
  let free = 0;
  return async (signal) => {
    const at = Math.max(performance.now(), free);
    free = at + intervalMs;
    await sleep(at - performance.now(), signal);
  };
}

type Asking = {
  readonly run: Run;
  readonly lookUp: LookUp;
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  readonly concurrency: number;
  /** Fires when the look-up has to end: rows not asked for stay as they are. */
  readonly signal: AbortSignal;
};

type LookedUp = Awaited<ReturnType<typeof lookUpDoubts>>;

const BATCH_ROWS = 1_000;

type Asked = { readonly doubt: Settlement; readonly sighting: Sighting };

async function lookUpDoubts(asking: Asking, { redis, of }: Pick<Ledger, 'redis' | 'of'>) {
  const { keys } = of(asking.run.target);
  const k = keys.run(asking.run.id);
  const rows = await rowsInDoubt(redis, k);
  const doubts: Settlement[] = [];
  for (const batch of batchesOf(rows, BATCH_ROWS))
    doubts.push(...(await readDoubts(redis, k, batch)).values());
  const keyed = doubts.filter(({ key }) => key !== '');
  const found = await lookUpKeys(new Set(keyed.map(({ key }) => key)), asking);
  const asked = keyed.flatMap((doubt): Asked[] => {
    const sighting = found.get(doubt.key);
    return sighting === undefined ? [] : [{ doubt, sighting }];
  });
  const settled = await settle(asked, asking, { redis, keys });
  const open = asked.length - settled.created - settled.notCreated;
  const keyless = doubts.length - keyed.length;
  // Rows are left where the look-up was broken off, ran out of time or had its token refused.
  const left = rows.length - asked.length - keyless;
  return { ...settled, open, keyless, left };
}

/** The rows of one key are one record: it is asked for once. Keys not asked for are absent. */
async function lookUpKeys(names: ReadonlySet<string>, { lookUp, concurrency, signal }: Asking) {
  const found = new Map<string, Sighting>();
  const left = names.values();
  const ask = async () => {
    for (const key of left) {
      if (signal.aborted) return;
      const sighting = await lookUp(key, signal);
      if (sighting !== null) found.set(key, sighting);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, ask));
  return found;
}

/** Only once all rows were asked for: a look-up that can't tell keys apart shows only then. */
async function settle(
  asked: readonly Asked[],
  { run, absenceIsProof }: Asking,
  { redis, keys }: { readonly redis: RedisConnection; readonly keys: LedgerKeys },
) {
  const at = new Date();
  const owners = await ownersOf(asked, () => createRunView(redis, keys, run).chunks());
  const rowsOf = (id: string) => (owners.get(id) ?? []).map(({ row }) => row);
  const concluded = asked.map(({ doubt, sighting }) => {
    const sharedBy = sighting.kind === 'found' ? rowsOf(sighting.id) : [];
    const conclusion = conclude(doubt, sighting, { absenceIsProof, at, sharedBy });
    return { doubt, sighting, conclusion };
  });
  const decisions = concluded.flatMap(({ doubt: { row }, conclusion }): readonly RowDecision[] =>
    conclusion.kind === 'decided' ? [{ row, decision: conclusion.decision }] : [],
  );
  const notes = concluded.flatMap(({ conclusion, sighting }) =>
    conclusion.kind === 'open' ? [{ note: conclusion.note, sighting: kept(sighting, at) }] : [],
  );
  const answers = await resolveRows(redis, keys, { run, by: LOOK_UP, at, decisions });
  await noteDoubts(redis, keys, { run, notes });
  const resolved = decisions.filter((_, i) => answers[i]?.kind === 'resolved');
  const count = (kind: 'created' | 'not-created') =>
    resolved.filter(({ decision }) => decision.kind === kind).length;
  return { created: count('created'), notCreated: count('not-created') };
}

function kept(sighting: Sighting, at: Date): KeptSighting {
  return { kind: sighting.kind, ids: idsOf(sighting), at: at.toISOString() };
}

function idsOf(sighting: Sighting): string[] {
  if (sighting.kind === 'found') return [sighting.id];
  return sighting.kind === 'found-twice' ? [...sighting.ids] : [];
}

/** Those of each found id, also where they had it before: no two keys share a record. */
async function ownersOf(
  asked: readonly Asked[],
  chunksOfRun: LedgerView['chunks'],
): Promise<ReadonlyMap<string, readonly Holder[]>> {
  const found = asked.flatMap(({ doubt, sighting }) =>
    sighting.kind === 'found' ? [{ ...doubt, id: sighting.id }] : [],
  );
  const owners = createHolders(new Set(found.map(({ id }) => id)));
  found.forEach(owners.see);
  if (found.length > 0) for await (const { settlements } of chunksOfRun()) settlements.forEach(owners.see);
  return owners.found;
}

type Conclusion =
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'open'; readonly note: Settlement };

type Circumstances = {
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  /** The first rows that the found record would belong to: more than one is no proof. */
  readonly sharedBy: readonly number[];
  readonly at: Date;
};

/** Whatever is no proof leaves the row in doubt. Pure. */
export function conclude(doubt: Settlement, sighting: Sighting, circumstances: Circumstances): Conclusion {
  switch (sighting.kind) {
    case 'found':
      return concludeFound(doubt, sighting.id, circumstances);
    case 'found-twice': {
      const { ids, count } = sighting;
      const others = count > ids.length ? ` and ${count - ids.length} more` : '';
      const what = `found ${count} times, as ${ids.join(', ')}${others}`;
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
  const rows = [...sharedBy].sort((a, b) => a - b).join(', ');
  const what = `found as ${id}, but so were rows ${rows}: does the path of the look-up tell keys apart?`;
  return { kind: 'open', note: noted(doubt, what, circumstances) };
}

/** Replaces what an earlier look-up found. */
function noted(doubt: Settlement, what: string, { at }: Circumstances): Settlement {
  return { ...doubt, values: { ...doubt.values, lookedUp: `${at.toISOString()}: ${what}` } };
}
