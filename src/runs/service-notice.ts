/**
 * Tells the user of a followed run or worker, once each, that rows wait for the service, why and
 * until when, and that they go on. Also the state of a service in words, for every command that
 * shows it.
 */
import type { BreakerReport } from '../engine/ledger/breaker.ts';
import { countOf, duration, type Io, shownTime, tell } from '../lib/terminal.ts';
import { sleep } from '../lib/waiting.ts';
import type { ServiceState } from '../model/story.ts';
import type { TargetSession } from '../session.ts';
import { serviceReport } from './status.ts';

type Shown = ServiceState;

const EVERY_MS = 1_000;
const HOLD_OVER = 'The pause that the service asked for is over: rows go on.';
const LIMIT_OVER = 'The service limits this caller no more.';
/** Holds by 429 are mostly shorter, and over before they are read, but may follow each other. */
const LONG_HOLD_MS = 30_000;
/** Without a hold for so long, a limit is over. */
const UNLIMITED_MS = 10_000;

/** For a worker that follows no run, until the process ends. */
export async function tellOfService(session: TargetSession): Promise<void> {
  const { io, ledger, clock } = session;
  const { target } = session.service;
  const notice = createServiceNotice(io, { target, read: () => serviceReport(ledger, target) }, clock.now);
  while (!io.interrupted.aborted) {
    notice.update();
    await sleep(EVERY_MS, io.interrupted);
  }
}

export function createServiceNotice(
  io: Io,
  service: {
    readonly target: string;
    read(): Promise<BreakerReport>;
    /** Ms until the followed run pauses unless the service answers; `null`: not known here. */
    pausesIn?(): Promise<number | null>;
    /** `until`: of a long pause that the service asked for; '': none. */
    turned?(now: Shown, why: string, until: string): void;
  },
  now: () => number,
) {
  const { target } = service;
  let last = Number.NEGATIVE_INFINITY;
  let seen: BreakerReport | null = null;
  let shown: Shown = 'well';
  let isLimited = false;
  const limits = createLimitWatch(now);
  const read = async () => {
    const report = await service.read();
    const isOutage = report.state === 'failing' || report.state === 'away';
    const pausesIn = isOutage ? ((await service.pausesIn?.()) ?? null) : null;
    // A failure that this process waits out is told, too, once it has lasted from look to look.
    return { report, pausesIn, before: pausesIn === null ? shown : 'failing' } as const;
  };
  const look = async () => {
    const { report, pausesIn, before } = await read();
    const wasLimited = isLimited;
    isLimited = limits(report);
    const next = isLimited ? 'held' : worthAWord(report, { seen, shown: before, at: now() });
    seen = report;
    if (next === shown) return;
    const turned = { next, from: shown, isLimited, wasLimited };
    shown = next;
    service.turned?.(next, ...causeOf(report, turned));
    tell(io, ...turnWords(turned, target, `${textOf(next, report, target)}${pauseWords(pausesIn)}`));
  };
  return {
    /** At most once a second; never fails. */
    update() {
      if (now() - last < EVERY_MS) return;
      last = now();
      look().catch(() => undefined);
    },
    /** The service did not answer for so long that the run was paused. */
    async gaveUp() {
      const { cause } = await service.read();
      tell(io, `No answer came from ${target} for too long.${cause === null ? '' : ` ${cause}`}`);
    },
    /** The service asked for so long a hold that the run was paused. */
    async heldOff() {
      const { heldUntil } = await service.read();
      const what = `The service at ${target} has asked for a pause until ${dateOf(heldUntil)} (Retry-After)`;
      tell(io, `${what}: longer than send.awayMinutes allows, so the run is paused.`);
    },
    isWaiting: () => shown !== 'well',
  };
}

type Turned = { next: Shown; from: Shown; isLimited: boolean; wasLimited: boolean };

function causeOf({ cause, heldUntil }: BreakerReport, { next, isLimited }: Turned) {
  if (isLimited) return [LIMITED, ''] as const;
  return [cause ?? '', next === 'held' ? (heldUntil ?? '') : ''] as const;
}

function turnWords({ next, from, isLimited, wasLimited }: Turned, target: string, text: string): string[] {
  if (isLimited) return [`The service at ${target} limits this caller: ${LIMITED}. ${BY_ITSELF}`];
  if (next !== 'well') return [text];
  // Whether a token came says the run itself: it goes on, or pauses.
  if (from === 'refused') return [];
  const over = wasLimited ? LIMIT_OVER : HOLD_OVER;
  return [from === 'held' ? over : text];
}

const LIMITED = 'it asks for a pause again and again (429, Retry-After)';
const BY_ITSELF = 'Rows wait as it says, none is lost, and they go on by themselves.';

/** Answers of each look whether short holds have followed each other for long. */
function createLimitWatch(now: () => number) {
  let [first, last] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  // One pause to its end, which is told as soon as it comes.
  let long: string | null = null;
  return (report: BreakerReport): boolean => {
    const at = now();
    const isOver = at - last > UNLIMITED_MS;
    if (report.state !== 'held') return !isOver && last - first >= LONG_HOLD_MS;
    if (isLong(report, at)) long = report.heldUntil;
    if (isOver || report.heldUntil === long) first = at;
    last = at;
    return last - first >= LONG_HOLD_MS;
  };
}

type Before = { readonly seen: BreakerReport | null; readonly shown: Shown; readonly at: number };

/** Not worth it: a failure that is over at once, or from before this process. */
function worthAWord(report: BreakerReport, { seen, shown, at }: Before): Shown {
  if (report.state === 'away') return 'away';
  if (report.state === 'refused') return 'refused';
  if (report.state === 'held' && (shown === 'held' || isLong(report, at))) return 'held';
  if (report.state !== 'failing' || report.since !== seen?.since) return 'well';
  return shown === 'failing' || report.failuresInARow > seen.failuresInARow ? 'failing' : 'well';
}

function isLong({ heldUntil }: BreakerReport, at: number): boolean {
  return heldUntil !== null && Date.parse(heldUntil) - at > LONG_HOLD_MS;
}

function textOf(next: Shown, report: BreakerReport, target: string): string {
  switch (next) {
    case 'well':
      return 'The service answers again.';
    case 'failing':
      return `The service at ${target}: ${serviceWords(report)}. Its rows go on by themselves when it answers.`;
    case 'away':
      return `The service at ${target} is ${serviceWords(report)}.`;
    case 'held':
      return `The service at ${target} has ${serviceWords(report)}: nothing is sent before.`;
    case 'refused':
      return `The service at ${target} has ${serviceWords(report)}. Nothing is sent meanwhile.`;
    default:
      return next satisfies never;
  }
}

/** `ms`: until the run pauses; `null`: not known. */
function pauseWords(ms: number | null): string {
  if (ms === null) return '';
  return ` Without an answer the run pauses at ${clock(new Date(Date.now() + ms).toISOString())}.`;
}

/** For people, without a full stop at the end; times are UTC. `shown`: how one that is near is. */
export function serviceWords(report: BreakerReport, shown = clock): string {
  switch (report.state) {
    case 'well':
      return CALM;
    case 'failing':
      return `${failures(report)} since ${shown(report.since)}${why(report)}`;
    case 'held':
      return `asked for a pause until ${dateOf(report.heldUntil)}`;
    case 'refused':
      return `refused the token (401): another is asked for until ${shown(report.tokenUntil)}`;
    case 'away':
      return `${tried(report, shown)}; ${nextTry(report, shown)}${why(report)}`;
    default:
      return report.state satisfies never;
  }
}

/** Without a failure: a run was resumed that its answers had paused. */
function tried(report: BreakerReport, shown: typeof clock): string {
  if (report.failuresInARow === 0) return 'tried with one row first';
  return `away since ${shown(report.since)}, ${failures(report)}`;
}

function failures({ failuresInARow }: BreakerReport): string {
  return `${countOf(failuresInARow, 'failure')} in a row`;
}

function nextTry({ isProbing, nextAt, heldUntil }: BreakerReport, shown: typeof clock): string {
  if (isProbing) return 'one row is trying, the others wait';
  if (nextAt === null) return 'the next row tries';
  const time = heldUntil === null ? shown(nextAt) : dateOf(nextAt);
  return `one row tries at ${time}, the others wait`;
}

function why({ cause }: BreakerReport): string {
  return cause === null ? '' : `. ${cause.replace(/\.$/, '')}`;
}

/** With the date: it may be far away. */
function dateOf(time: string | null): string {
  return time === null ? 'now' : shownTime(new Date(time), 'UTC', { seconds: true });
}

const CALM = 'no outage known';
const ALARMING = 3;
const QUIET_MS = 60_000;

/**
 * The same for a page: an alarm with its age, from the third failure in a row on, and none where
 * nothing has failed for a minute.
 */
export function serviceAlarm(report: BreakerReport, now: number) {
  const { state, failuresInARow, failedAt, since } = report;
  const last = Date.parse(failedAt ?? '');
  const isQuiet = now - last > QUIET_MS;
  const isMinor = failuresInARow < ALARMING;
  if (state === 'failing' && (isQuiet || isMinor)) return { words: CALM, isWell: true };
  // The page shows a moment in its viewer's zone: it needs the day.
  const words = serviceWords(report, dateOf);
  const isOutage = state === 'failing' || state === 'away';
  if (since === null || !isOutage) return { words, isWell: state === 'well' };
  const ms = Math.max(0, now - Date.parse(since));
  const age = duration(ms / 1000);
  return { words: `for ${age}: ${words}`, isWell: isQuiet };
}

function clock(time: string | null): string {
  return time === null ? 'now' : `${time.slice(11, 19)} UTC`;
}
