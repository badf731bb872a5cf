/**
 * When people are notified of runs and their service (notify/notifier.ts: how). The process that
 * follows a run notifies when its report is written; if that process was killed, the next one does.
 * Each process that follows runs reports an outage.
 */

import { type NotifiedEvent, newEvent } from '../faces/notify/event.ts';
import { messageOf } from '../lib/errors.ts';
import type { Run } from '../model/run.ts';
import { reportDirectory, type TargetSession } from '../session.ts';
import { ownWords } from './report/causes.ts';
import { type Executed, serviceReport, summaryOf } from './status.ts';

/** Older events are no news. */
const NEWS_MS = 86_400_000;

/** Notifies of the run's end; answers its argument. */
export function tellEnd(executed: Executed, { notifier, env, io }: TargetSession): Executed {
  if (notifier === null || Date.now() - movedAt(executed.run).getTime() > NEWS_MS) return executed;
  const { id } = executed.run;
  const origin = io.env.ONBOARD_WEB_ORIGIN ?? '';
  // Without a valid address, the process that serves the page notifies.
  const url = URL.canParse(origin) ? new URL(origin).origin : null;
  for (const event of runEvents(executed, { report: reportDirectory(env, id), url })) notifier.tell(event);
  return executed;
}

/** For a process that follows runs. */
export async function tellEvents(session: TargetSession, everyMs?: number): Promise<void> {
  await tellLeft(session);
  tellOutages(session, everyMs);
}

const RUNS_LOOKED_AT = 100;

/** Notifies for runs whose processes were killed before they did. */
export async function tellLeft(session: TargetSession): Promise<void> {
  const { notifier, ledger, service, env } = session;
  if (notifier === null) return;
  for (const run of await ledger.of(service.target).store.list(RUNS_LOOKED_AT))
    tellEnd({ run, summary: await summaryOf(run, reportDirectory(env, run.id)) }, session);
}

function movedAt({ finishedAt, movedAt: at, createdAt }: Run): Date {
  return new Date(finishedAt ?? at ?? createdAt);
}

const CAUSES = 5;
/** With everything else well below 20 kB. */
const CAUSE_CHARACTERS = 300;

/** None where the run goes on by itself. `url`: where the page is. */
export function runEvents(
  { run, summary }: Executed,
  { report, url }: { readonly report: string; readonly url: string | null },
): readonly NotifiedEvent[] {
  const { job, target, state, reason, rows, outcomes, pending, exitCode, causes } = summary;
  const goesOn = exitCode === null || reason === 'window';
  if (goesOn || state === 'queued' || state === 'running') return [];
  const at = movedAt(run);
  // A run ends once, and may be paused many times.
  const occasion = run.finishedAt === null ? [at.toISOString()] : [];
  const page = url === null ? {} : { url: `${url}/runs/${run.id}`, api: `${url}/api/runs/${run.id}` };
  const end = {
    run: run.id,
    job,
    target,
    state,
    reason,
    rows,
    outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0)),
    pending,
    controlTotal: summary.controlTotal.holds,
    exitCode,
    // An event leaves the machine.
    causes: causes.slice(0, CAUSES).map((cause) => {
      return { text: ownWords({ ...cause, words: '' }).text.slice(0, CAUSE_CHARACTERS), count: cause.count };
    }),
    report: summary.files.length === 0 ? null : report,
    ...page,
  };
  const inDoubt = outcomes['in-doubt'];
  const doubt = { run: run.id, job, target, inDoubt, ...page };
  return [
    newEvent(`run.${state}`, [run.id, ...occasion], end, at),
    ...(inDoubt === 0 ? [] : [newEvent('rows.in_doubt', [run.id], doubt, at)]),
  ];
}

const LOOK_EVERY_MS = 5_000;
/** A shorter outage is over before it is read. */
const AWAY_WORTH_MS = 60_000;

function tellOutages(
  { ledger, service: { target }, notifier, log, releasers }: TargetSession,
  everyMs = LOOK_EVERY_MS,
): void {
  if (notifier === null) return;
  let away: string | null = null;
  const look = async () => {
    const { state, since, cause } = await serviceReport(ledger, target);
    const isLong = since !== null && Date.now() - Date.parse(since) > AWAY_WORTH_MS;
    if (state === 'away' && isLong && away === null) {
      away = since;
      notifier.tell(newEvent('service.away', [target, since], { target, since, cause }));
    }
    if (state === 'well' && away !== null) {
      notifier.tell(newEvent('service.back', [target, away], { target, since: away }));
      away = null;
    }
  };
  const onTrouble = (error: unknown) => log.warn('events', { problem: messageOf(error) });
  const looking = setInterval(() => void look().catch(onTrouble), everyMs);
  looking.unref();
  releasers.push(() => clearInterval(looking));
}
