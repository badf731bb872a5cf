/**
 * Tells people of events, where the environment says how (a webhook, a command). Every process that has joined a target looks every few
 * seconds at what has come about in its ledger, puts what nobody has told yet into the outbox, and sends what is due there: so that whoever
 * lives tells of it, once, whoever was killed. What happened before anybody wanted to be told, or more than a day ago, is not told.
 */
import type { RunBrief } from '../ledger/brief.ts';
import { createCensus } from '../ledger/census.ts';
import { createOutbox, type Outbox, type OutboxEntry } from '../ledger/outbox.ts';
import { messageOf } from '../lib/errors.ts';
import { countOf, tell } from '../lib/terminal.ts';
import { programVersion } from '../lib/version.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import { exitCodeOf } from '../model/exit.ts';
import { OUTCOMES } from '../model/outcome.ts';
import { isOver, openRows } from '../model/run.ts';
import { type Channel, pauseAfter } from '../notify/channel.ts';
import { openCommand } from '../notify/command.ts';
import { type EventType, eventBody, eventId, type RunData, type TellingEvent } from '../notify/event.ts';
import { openWebhook } from '../notify/webhook.ts';
import { readSummary } from '../report/report.ts';
import type { Summary } from '../report/summary.ts';
import { reportDirectory, type Session, type TargetSession } from '../session.ts';
import { serviceReport } from './status.ts';

/** A file that was refused: its place in `failed`, its note, and when it came there, ms. */
export type RefusedNews = { readonly file: string; readonly note: string | null; readonly at: number };

type News = {
  /** Files that were refused since then (ms); without it this process watches no inbox. */
  refusedSince?(time: number): Promise<readonly RefusedNews[]>;
};

const SEND_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
/** A command that ends with its run tries for so long, and leaves the rest to the next process. */
const LAST_TRY_MS = 10_000;
const LAST_TRY_POLL_MS = 250;
/** An interrupted process has better things to do. */
const INTERRUPTED_MS = 1_000;
/** Of the events that this process put, the latest: enough for one that ends with its runs. */
const OWN_KEPT = 100;

/** Tells of events until the session is closed; throws a UsageError where the settings can't be used. */
export async function tellEvents(session: TargetSession, news: News = {}): Promise<void> {
  const channels = await openChannels(session);
  if (channels.length === 0) return;
  const { ledger, service, io, log, releasers } = session;
  const outbox = createOutbox(ledger.redis, ledger.of(service.target).keys);
  let own: readonly string[] = [];
  const onPut = (id: string) => {
    own = [...own, id].slice(-OWN_KEPT);
  };
  const look = createLook({ session, news, outbox, channels, onPut });
  const send = createSend({ session, outbox, channels });
  const stop = new AbortController();
  const quietly = (work: () => Promise<void>) =>
    work().catch((error: unknown) =>
      log.warn('events can not be told right now', { problem: messageOf(error) }),
    );
  const looking = repeat(LOOK_EVERY_MS, () => quietly(look), stop.signal);
  const sending = repeat(SEND_EVERY_MS, () => quietly(send), stop.signal);
  const sendWhatIsLeft = async () => {
    await Promise.all([looking, sending]);
    await quietly(look);
    if (!io.interrupted.aborted) await quietly(() => sendTheLast(own, { session, outbox, channels }, send));
  };
  releasers.push(async () => {
    stop.abort();
    // With Redis away, or a receiver that takes its time, the next process goes on: what is on its way comes again when its lease is over.
    await withDeadline(
      sendWhatIsLeft(),
      io.interrupted.aborted ? INTERRUPTED_MS : LAST_TRY_MS + INTERRUPTED_MS,
    );
  });
}

async function openChannels({ env, io }: Pick<Session, 'env' | 'io'>): Promise<readonly Channel[]> {
  const { webhook, command } = env.notify;
  return [
    ...(webhook === null ? [] : [await openWebhook({ ...webhook, version: programVersion() })]),
    ...(command === null ? [] : [openCommand({ command, env: io.env })]),
  ];
}

async function repeat(ms: number, work: () => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await work();
    await sleep(ms, stop);
  }
}

type Telling = {
  readonly session: TargetSession;
  readonly outbox: Outbox;
  readonly channels: readonly Channel[];
};

const DAY_MS = 86_400_000;

type Looking = Telling & {
  readonly news: News;
  /** Told of the events that this process put. */
  onPut(id: string): void;
};

/** Makes the function that puts what has come about into the outbox. */
export function createLook({ session, news, outbox, channels, onPut }: Looking) {
  const { ledger, service } = session;
  const census = createCensus(ledger.redis, ledger.of(service.target).keys);
  const names = channels.map(({ name }) => name);
  const put = async (event: TellingEvent) => {
    if (await outbox.put(event.id, eventBody(event), names)) onPut(event.id);
  };
  const ofRuns = createLookAtRuns(session, put);
  const ofService = createLookAtService(session, outbox, put);
  return async () => {
    const since = Math.max(await outbox.since(), Date.now() - DAY_MS);
    const { moving } = await census();
    await ofRuns(moving, since);
    await ofService();
    for (const { file, note, at } of (await news.refusedSince?.(since)) ?? [])
      await put({
        id: eventId('file.refused', file),
        type: 'file.refused',
        at: new Date(at),
        data: { target: service.target, file, note },
      });
  };
}

type Put = (event: TellingEvent) => Promise<void>;

/** The report of a run that has just ended is waited for: by who wrote it at once, by others for so long. */
const REPORT_WAIT_MS = 120_000;

function createLookAtRuns(session: TargetSession, put: Put) {
  const waiting = new Map<string, { readonly run: RunBrief; readonly end: RunEnd }>();
  const told = new Set<string>();
  return async (moving: readonly RunBrief[], since: number) => {
    for (const run of moving) {
      const end = endOf(run);
      // A run that went on before anybody told of its pause needs nobody.
      if (end === null || end.at < since || told.has(end.id)) waiting.delete(run.id);
      else waiting.set(run.id, { run, end });
    }
    for (const { run, end } of waiting.values()) {
      const summary = await summaryOf(run, session);
      if (summary === null && Date.now() - end.at < REPORT_WAIT_MS) continue;
      for (const event of runEvents(run, end, { summary, session })) await put(event);
      told.add(end.id);
      waiting.delete(run.id);
    }
  };
}

type RunEnd = { readonly id: string; readonly type: EventType; readonly at: number };

/** What a run has come to that somebody is told of; `null`: nothing. */
function endOf(run: RunBrief): RunEnd | null {
  const type = endType(run);
  const at = isOver(run) ? Date.parse(run.finishedAt ?? '') : (run.movedAt ?? Number.NaN);
  if (type === null || Number.isNaN(at)) return null;
  return { id: eventId(type, run.id, String(at)), type, at };
}

function endType(run: RunBrief): EventType | null {
  if (run.state === 'finished') return 'run.finished';
  if (run.state === 'cancelled') return isOver(run) ? 'run.cancelled' : null;
  if (run.state === 'stopped') return 'run.stopped';
  // It goes on by itself when its hours come.
  return run.state === 'paused' && run.reason !== 'window' ? 'run.paused' : null;
}

/** The run's report as it stands on this machine; `null`: there is none, or not of this state yet. */
async function summaryOf(run: RunBrief, { env }: TargetSession): Promise<Summary | null> {
  const summary = await readSummary(reportDirectory(env, run.id));
  const isOfNow =
    summary?.state === run.state && OUTCOMES.every((one) => summary.outcomes[one] === run.outcomes[one]);
  return isOfNow && (summary.files.length > 0 || !isOver(run)) ? summary : null;
}

type Known = { readonly summary: Summary | null; readonly session: TargetSession };

function runEvents(run: RunBrief, { id, type, at }: RunEnd, known: Known): readonly TellingEvent[] {
  const { target } = known.session.service;
  const end = { id, type, at: new Date(at), data: runData(run, known) };
  const inDoubt = run.outcomes['in-doubt'];
  if (inDoubt === 0) return [end];
  const data = { run: run.id, job: run.job, target, inDoubt, ...linkTo(run, known.session) };
  return [end, { id: eventId('rows.in_doubt', run.id), type: 'rows.in_doubt', at: new Date(at), data }];
}

function runData(run: RunBrief, { summary, session }: Known): RunData {
  const { env, service } = session;
  return {
    run: run.id,
    job: run.job,
    target: service.target,
    state: run.state,
    reason: run.reason,
    rows: run.rows,
    outcomes: Object.fromEntries(Object.entries(run.outcomes).filter(([, count]) => count > 0)),
    open: openRows(run),
    controlTotal: summary?.controlTotal.holds ?? (isOver(run) ? openRows(run) === 0 : openRows(run) >= 0),
    exitCode: summary?.exitCode ?? exitCodeOf(run),
    causes: (summary?.causes ?? []).map(({ text, count }) => ({ text, count })),
    report: summary === null ? null : reportDirectory(env, run.id),
    ...linkTo(run, session),
  };
}

/** Where browsers see the page; what is no address is told of by the process that serves it. */
function linkTo({ id }: RunBrief, { io }: TargetSession): { readonly url?: string } {
  const origin = io.env.ONBOARD_WEB_ORIGIN ?? '';
  return URL.canParse(origin) ? { url: new URL(`/runs/${id}`, origin).href } : {};
}

/** A shorter outage is over before it is read. */
const AWAY_WORTH_MS = 60_000;

function createLookAtService({ ledger, service: { target } }: TargetSession, { away }: Outbox, put: Put) {
  return async () => {
    const { state, since, cause } = await serviceReport(ledger, target);
    const told = await away.read();
    if (state === 'away' && since !== null) {
      if (told !== null || Date.now() - Date.parse(since) < AWAY_WORTH_MS) return;
      const data = { target, since, cause };
      // Put before it is noted: a process that dies between the two puts it once more, and it is put once.
      await put({ id: eventId('service.away', target, since), type: 'service.away', at: new Date(), data });
      await away.write(since);
    } else if (state === 'well' && told !== null) {
      const data = { target, since: told };
      await put({ id: eventId('service.back', target, told), type: 'service.back', at: new Date(), data });
      await away.write(null);
    }
  };
}

/** Makes the function that sends what is due, by every channel. */
export function createSend({ session, outbox, channels }: Telling): () => Promise<void> {
  const off = new Set<Channel>();
  return async () => {
    for (const channel of channels) {
      for (;;) {
        const entry = await outbox.take(channel.name, channel.leaseMs);
        if (entry === null) break;
        const isOff = off.has(channel) || (await sendOne(entry, channel, { session, outbox }));
        if (!isOff) continue;
        off.add(channel);
        await outbox.drop(channel.name, entry.id);
      }
    }
  };
}

/** True where nobody wants to be told there any more. */
async function sendOne(
  entry: OutboxEntry,
  channel: Channel,
  { session, outbox }: Omit<Telling, 'channels'>,
): Promise<boolean> {
  const { meter, log, io } = session;
  const told = await channel.tell(entry);
  if (told.kind === 'told') {
    meter.notified(channel.name, 'delivered');
    await outbox.drop(channel.name, entry.id);
    return false;
  }
  const tries = entry.tries + 1;
  const afterMs = told.kind === 'failed' ? told.afterMs : null;
  const pause = told.kind === 'off' ? null : pauseAfter(channel, tries, { afterMs, random: Math.random });
  meter.notified(channel.name, pause === null ? 'given-up' : 'failed');
  log.warn('an event could not be told', {
    channel: channel.name,
    event: entry.id,
    tries,
    problem: told.why,
  });
  if (pause === null) {
    tell(
      io,
      `warning: an event is not told by the ${channel.name}: ${told.why}, after ${countOf(tries, 'try', 'tries')}.`,
    );
    await outbox.drop(channel.name, entry.id);
  } else await outbox.putOff(channel.name, { ...entry, tries }, pause);
  return told.kind === 'off';
}

/** What this process put is sent before it ends; what can't be sent within a while is left to the next one. */
async function sendTheLast(
  own: readonly string[],
  { session: { io }, outbox, channels }: Telling,
  send: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + LAST_TRY_MS;
  const countLeft = () =>
    outbox.countLeft(
      own,
      channels.map(({ name }) => name),
    );
  await send();
  let left = await countLeft();
  while (left > 0 && performance.now() < deadline && !io.interrupted.aborted) {
    await sleep(LAST_TRY_POLL_MS, io.interrupted);
    await send();
    left = await countLeft();
  }
  if (left === 0) return;
  const what = `warning: ${countOf(left, 'event')} could not be told yet`;
  tell(io, `${what}; the next start, watch, work or run tries again.`);
}
