/**
 * Speaks to the terminal while a run is followed, or a worker is at work: that rows wait for the service, why and until
 * when, and that they go on; each of these once. Also how a service is doing, in words, for every command that shows it.
 */
import type { BreakerReport } from '../ledger/breaker.ts';
import { countOf, type Io, shownTime, tell } from '../lib/terminal.ts';
import { sleep } from '../lib/waiting.ts';
import type { TargetSession } from '../session.ts';
import { serviceReport } from './status.ts';

type Shown = 'well' | 'failing' | 'away' | 'held';

const EVERY_MS = 1_000;
const HOLD_OVER = 'The pause that the service asked for is over: rows go on.';
/** What the service asks for with 429 is mostly shorter, and over before it is read. */
const LONG_HOLD_MS = 30_000;

/** Tells of the service until the process is to end: for a worker that follows no run. */
export async function tellOfService(session: TargetSession): Promise<void> {
  const { io, ledger, clock } = session;
  const { target } = session.service;
  const notice = createServiceNotice(io, { target, read: () => serviceReport(ledger, target) }, clock.now);
  while (!io.interrupted.aborted) {
    notice.update(false);
    await sleep(EVERY_MS, io.interrupted);
  }
}

export function createServiceNotice(
  io: Io,
  service: {
    readonly target: string;
    read(): Promise<BreakerReport>;
    /** In how many ms the run that is followed pauses unless the service answers; `null`: not known here. */
    pausesIn?(): Promise<number | null>;
    /** Told at each change of what is told. */
    turned?(now: Shown, why: string): void;
  },
  now: () => number,
) {
  const { target } = service;
  let last = Number.NEGATIVE_INFINITY;
  let seen: BreakerReport | null = null;
  let shown: Shown = 'well';
  const look = async (isFirst: boolean) => {
    const report = await service.read();
    const next = worthAWord(report, { seen, shown, isFirst });
    seen = report;
    if (next === shown) return;
    const isHoldOver = next === 'well' && shown === 'held';
    const isOutage = next === 'failing' || next === 'away';
    const pausesIn = isOutage ? ((await service.pausesIn?.()) ?? null) : null;
    shown = next;
    service.turned?.(next, report.cause ?? '');
    tell(io, isHoldOver ? HOLD_OVER : `${textOf(next, report, target)}${pauseWords(pausesIn)}`);
  };
  return {
    /** Looks at most once a second; never fails. `isFirst`: no row of the run has come to its end since this process took it up. */
    update(isFirst: boolean) {
      if (now() - last < EVERY_MS) return;
      last = now();
      look(isFirst).catch(() => undefined);
    },
    /** The service has not answered for so long that the run was paused. */
    async gaveUp() {
      const { cause } = await service.read();
      tell(io, `No answer came from ${target} for too long.${cause === null ? '' : ` ${cause}`}`);
    },
    /** The service has asked to be left alone for so long that the run was paused. */
    async heldOff() {
      const { heldUntil } = await service.read();
      const what = `The service at ${target} has asked for a pause until ${dateOf(heldUntil)} (Retry-After)`;
      tell(io, `${what}: longer than send.awayMinutes allows, so the run is paused.`);
    },
    /** At the last look: rows wait for the service. */
    isWaiting: () => shown !== 'well',
  };
}

type Known = {
  readonly seen: BreakerReport | null;
  readonly shown: Shown;
  /** No row has come to its end here: a file of a few rows would hear of it late. */
  readonly isFirst: boolean;
};

/** A failure that the next answer follows at once is not told, nor one from before this process. */
function worthAWord(report: BreakerReport, { seen, shown, isFirst }: Known): Shown {
  if (report.state === 'away') return 'away';
  if (report.state === 'held' && (shown === 'held' || isLong(report))) return 'held';
  if (report.state !== 'failing') return 'well';
  const isSame = report.since === seen?.since;
  if (shown === 'failing' && isSame) return 'failing';
  const isNew = seen !== null && (!isSame || report.failuresInARow > seen.failuresInARow);
  return isNew && (isSame || isFirst) ? 'failing' : 'well';
}

function isLong({ heldUntil }: BreakerReport): boolean {
  return heldUntil !== null && Date.parse(heldUntil) - Date.now() > LONG_HOLD_MS;
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
    default:
      return next satisfies never;
  }
}

/** The moment at which a run pauses that many ms from now; `null`: not known. */
function pauseWords(ms: number | null): string {
  if (ms === null) return '';
  return ` Without an answer the run pauses at ${clock(new Date(Date.now() + ms).toISOString())}.`;
}

/** How the service is doing and why, in words for people, without a full stop at the end; times are UTC. */
export function serviceWords(report: BreakerReport): string {
  switch (report.state) {
    case 'well':
      return 'no outage known';
    case 'failing':
      return `${failures(report)} since ${clock(report.since)}${why(report)}`;
    case 'held':
      return `asked for a pause until ${dateOf(report.heldUntil)}`;
    case 'away':
      return `away since ${clock(report.since)}, ${failures(report)}; ${nextTry(report)}${why(report)}`;
    default:
      return report.state satisfies never;
  }
}

function failures({ failuresInARow }: BreakerReport): string {
  return `${countOf(failuresInARow, 'failure')} in a row`;
}

function nextTry({ isProbing, nextAt, heldUntil }: BreakerReport): string {
  if (isProbing) return 'one row is trying, the others wait';
  return nextAt === null
    ? 'the next row tries'
    : `one row tries at ${heldUntil === null ? clock(nextAt) : dateOf(nextAt)}, the others wait`;
}

function why({ cause }: BreakerReport): string {
  return cause === null ? '' : `. ${cause.replace(/\.$/, '')}`;
}

/** With the date: it may be far away. */
function dateOf(time: string | null): string {
  return time === null ? 'now' : shownTime(new Date(time), 'UTC', { seconds: true });
}

function clock(time: string | null): string {
  return time === null ? 'now' : `${time.slice(11, 19)} UTC`;
}
