/**
 * Repeats commands that Redis refuses now and will take later: that costs a run's reading only
 * time. Tells the user once why reading waits, and once that it goes on.
 */
import { messageOf } from '../lib/errors.ts';
import { REFUSES_USER } from '../lib/redis-connection.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { sleep } from '../lib/waiting.ts';

/**
 * `full`: maxmemory is reached. `disk`: its append-only file can't be written. `away`: not there,
 * still loading, or no longer the master.
 */
type WaitingReason = 'full' | 'disk' | 'away';

const FIRST_PAUSE_MS = 50;
const PAUSE_MAX_MS = 2_000;
const FULL = /^OOM\b|\bOOM command not allowed/;
const DISK = /^MISCONF\b/;
const AWAY =
  /^(?:LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)\b|Connection is closed|Stream isn't writeable/;
const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

type Waiting = {
  readonly notice: Pick<WaitingNotice, 'heard'>;
  /** Fires when there is to be no more waiting. */
  readonly signal: AbortSignal;
};

/**
 * Repeats an idempotent command with growing pauses until Redis takes it. Throws what waiting
 * doesn't cure, and where the signal ends the waiting.
 */
export async function waitOut<T>(command: () => Promise<T>, { notice, signal }: Waiting): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await command();
      notice.heard(null);
      return answer;
    } catch (error) {
      const reason = waitingReason(error);
      if (reason === null) throw error;
      notice.heard(reason);
    }
    await sleep(Math.min(FIRST_PAUSE_MS * 2 ** tries, PAUSE_MAX_MS), signal);
    if (signal.aborted) throw new Error('Redis takes no commands right now, so there is no report yet');
  }
}

/** `null`: it doesn't pass by itself. */
function waitingReason(error: unknown): WaitingReason | null {
  if (!(error instanceof Error)) return null;
  if (FULL.test(error.message)) return 'full';
  if (DISK.test(error.message)) return 'disk';
  const isConnection = 'code' in error && CONNECTION_CODES.has(error.code);
  return isConnection || AWAY.test(error.message) ? 'away' : null;
}

/**
 * For the last commands of a run: its rows are sent, so an error here would look like a run to go
 * on with. An interrupted process gives up.
 */
export function waitToEnd<T>(commands: () => Promise<T>, io: Io): Promise<T> {
  const notice = createWaitingNotice(io, () => performance.now(), 'the report');
  return waitOut(commands, { notice, signal: io.interrupted });
}

/** `goesOn`: what ends the wait where nobody does anything; '': somebody has to. */
type Words = { readonly trouble: string; readonly goesOn: string; readonly cure: string };

const BY_ITSELF = ', and goes on by itself';

const REASONS: Readonly<Record<WaitingReason | 'refused', Words>> = {
  refused: {
    trouble: 'Redis refuses a command to this user',
    goesOn: '',
    cure: 'give it the rights of docs/redis.md',
  },
  full: { trouble: 'Redis is full (maxmemory)', goesOn: BY_ITSELF, cure: 'raise maxmemory' },
  disk: { trouble: "Redis can't write to its disk", goesOn: '', cure: 'make room on that disk' },
  away: {
    trouble: 'Redis takes no commands right now',
    goesOn: BY_ITSELF,
    cure: 'wait until it does (SCRIPT KILL ends a script that keeps it busy, a replica takes no writes)',
  },
};

/** What to do where Redis refused a command that nobody repeats; `null`: another error. */
export function refusalWords(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return null;
  // Of a transaction, only the refused commands' own errors say why.
  const [first = error]: readonly unknown[] =
    'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  const reason = waitingReason(first) ?? (REFUSES_USER.test(messageOf(first)) ? 'refused' : null);
  if (reason === null) return null;
  const { trouble, cure } = REASONS[reason];
  return `${trouble}: ${cure}, and give the command again. It said: ${messageOf(first)}`;
}

/** A full Redis takes a little whenever a chunk closes: reading goes on after this calm. */
const CALM_MS = 5_000;

/** `what`: what waits meanwhile. */
export function createWaitingNotice(io: Io, now: () => number, what = 'reading') {
  let shown: WaitingReason | null = null;
  let refusedAt = 0;
  const goOn = () => {
    if (shown !== null) tell(io, `Redis takes rows again: ${what} goes on.`);
    shown = null;
  };
  return {
    /** After each command: why it has to wait; `null`: it went through. */
    heard(reason: WaitingReason | null) {
      if (reason === null) {
        if (now() - refusedAt >= CALM_MS) goOn();
        return;
      }
      refusedAt = now();
      const { trouble, goesOn, cure } = REASONS[reason];
      const help = goesOn === '' ? 'It goes on after that' : 'To help';
      if (shown !== reason) tell(io, `${trouble}: ${what} waits${goesOn}. ${help}: ${cure}.`);
      shown = reason;
    },
    /** The file has been read to its end. */
    complete: goOn,
  };
}

export type WaitingNotice = ReturnType<typeof createWaitingNotice>;

/**
 * A run could not go on for a reason that is not its own; the same command goes on with it, unless
 * it is lost.
 */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
  readonly isLost: boolean;

  constructor(
    message: string,
    { isLost = false, cause }: { readonly isLost?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isLost = isLost;
  }
}
