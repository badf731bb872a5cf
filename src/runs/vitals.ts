/**
 * What a process tells a monitor. Reads the ledger every five seconds at most, and doesn't wait for
 * an absent Redis.
 */
import { countWorkers, createCensus } from '../engine/ledger/census.ts';
import { watchChunks } from '../engine/queue/chunk-queue.ts';
import type { InboxNumbers, LedgerNumbers } from '../faces/metrics/registry.ts';
import { kept } from '../lib/kept.ts';
import { tell } from '../lib/terminal.ts';
import { programVersion } from '../lib/version.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import type { TargetSession } from '../session.ts';
import { serviceReport } from './status.ts';

type Watched = {
  /** Where the process watches inboxes: it gives the ledger's metrics too. */
  readonly inbox?: () => Promise<InboxNumbers>;
  readonly isPageUp?: (() => boolean) | undefined;
};

const EVERY_MS = 5_000;
/** A monitor waits ten seconds for an answer. */
const PATIENCE_MS = 2_000;

/** Until the session is closed; a UsageError where it can't. */
export async function tellVitals(session: TargetSession, { inbox, isPageUp }: Watched = {}): Promise<void> {
  const { io, meter, metrics, delivery, releasers, registration } = session;
  if (metrics === null || meter.registry === null) return;
  const opens = within(kept(0, () => registration.verify().then(() => true)));
  const isLedgerOpen = () => opens().catch(() => false);
  // Loaded only by a process that is asked for metrics.
  const { serveMetrics } = await import('../faces/metrics/registry.ts');
  const server = await serveMetrics(metrics, {
    version: programVersion(),
    registry: meter.registry,
    load: delivery.load,
    isLedgerOpen,
    isPageUp: isPageUp ?? null,
    ledger: inbox === undefined ? null : within(kept(EVERY_MS, lookAtLedger(session))),
    inbox: inbox === undefined ? null : within(kept(EVERY_MS, inbox)),
    notReady: () => reasonsNotReady(session, isLedgerOpen),
  });
  releasers.push(async () => server.close());
  const stop = new AbortController();
  releasers.push(async () => stop.abort());
  void timeRedis(session, stop.signal);
  tell(io, `Metrics at ${server.url}, beside /healthz and /readyz; nobody has to log in there.`);
}

async function reasonsNotReady(
  { io, ledger, meter }: TargetSession,
  isLedgerOpen: () => Promise<boolean>,
): Promise<readonly string[]> {
  const isOpen = await isLedgerOpen();
  const isConnected = ledger.redis.status === 'ready';
  const reasons = [
    { isSo: io.interrupted.aborted, why: 'it is ending' },
    { isSo: !isConnected, why: 'Redis is away' },
    {
      isSo: isConnected && !isOpen,
      why: 'the ledger is not verified: Redis does not answer, or was restarted',
    },
    { isSo: !meter.isJournalWritten(), why: 'the journal could not be written: is the disk full?' },
  ];
  return reasons.filter(({ isSo }) => isSo).map(({ why }) => why);
}

function lookAtLedger({ ledger, service, releasers }: TargetSession): () => Promise<LedgerNumbers> {
  const { keys } = ledger.of(service.target);
  const census = createCensus(ledger.redis, keys);
  const queue = watchChunks(ledger.redis, keys.queuePrefix);
  releasers.push(() => queue.close());
  return async () => {
    const [{ states, pendingRows, inDoubt, lastEnds }, report, workers, chunks] = await Promise.all([
      census(),
      serviceReport(ledger, service.target),
      countWorkers(ledger.redis, keys),
      queue.counts(),
    ]);
    return {
      states,
      pendingRows,
      inDoubt,
      lastEnds,
      service: report.state,
      workers,
      chunks: chunks.states,
      nextWaitingSeconds: chunks.nextWaitingMs / 1000,
    };
  };
}

async function timeRedis({ ledger, service, meter, clock }: TargetSession, stop: AbortSignal): Promise<void> {
  const { runs } = ledger.of(service.target).keys;
  while (!stop.aborted) {
    const began = clock.now();
    await ledger.redis.zcard(runs).then(
      () => meter.answered(clock.now() - began),
      () => undefined,
    );
    await sleep(EVERY_MS, stop);
  }
}

/** The look itself goes on. */
function within<Found>(look: () => Promise<Found>): () => Promise<Found> {
  return async () => {
    const found = await withDeadline(look(), PATIENCE_MS);
    if (found === 'late') throw new Error(`no answer within ${PATIENCE_MS} ms`);
    return found;
  };
}
