/** What commands share: their common options, and the last words about a run. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOneLine, ONE_LINE, readEnvironment } from '../../config/environment.ts';
import { type ListenAddress, parseListenAddress } from '../../lib/listening.ts';
import { isUserTold } from '../../lib/machine.ts';
import { anywhere, confirm, hasSigns, type Io, say, sayJson, shellWord, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT, exitCodeOf } from '../../model/exit.ts';
import { awaitsPerson, isOver, type Run, type StateRequest } from '../../model/run.ts';
import { goOnCommand, waysOut, wayWords } from '../../runs/report/advice.ts';
import { renderSummary } from '../../runs/report/words.ts';
import type { Executed } from '../../runs/status.ts';
import { reportDirectory, type Session } from '../../session.ts';

/** Adds one command, or some of a kind; its action hands the exit status to `done`. */
export type AddCommand = (program: Command, io: Io, done: (exitCode: number) => void) => void;

export const RUN_ARGUMENT = 'id of a run from `onboard runs`, an ending of it that no other has, or latest';

export function collect(value: string, list: readonly string[] = []): readonly string[] {
  return [...list, value];
}

const MOST = 999_999_999;

export function wholeNumber(least: number, most = MOST): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const end = most === MOST ? '' : ` to ${most}`;
    throw new InvalidArgumentError(`expected a whole number from ${least}${end}.`);
  };
}

export function rowNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(
    `row ${JSON.stringify(text)}: expected the number of a row, as results.csv and in-doubt.csv have it`,
  );
}

export type RequestFlags = { readonly reason?: string };
export const REASON = ['--reason <text>', 'why, for whoever looks at the run later'] as const;

export function requestOf({ reason }: RequestFlags, { env }: Pick<Io, 'env'>): StateRequest {
  const why = reason?.trim() ?? '';
  if (reason !== undefined && !isOneLine(why)) throw new UsageError(`--reason: expected ${ONE_LINE}`);
  return { by: readEnvironment(env).actor.name, at: new Date().toISOString(), why };
}

export const YES = ['--yes', 'without asking about more than ten rows'] as const;
const UNASKED_ROWS = 10;

/** A UsageError where somebody at the terminal says no to what can't be taken back. */
export async function askOfMany(
  rows: number,
  question: string,
  { yes }: { readonly yes?: boolean },
  io: Io,
): Promise<void> {
  if (rows <= UNASKED_ROWS || yes === true) return;
  if ((await confirm(io, question)) === false)
    throw new UsageError('Nothing was recorded. To do it without this question: --yes');
}

/** A plan is of one file. */
export function refuseSeveral(flag: string, files: readonly unknown[]): void {
  if (files.length !== 1) throw new UsageError(`${flag}: expected one file, got ${files.length}`);
}

export const ACCEPT_REDIS_SETTINGS = [
  '--accept-redis-settings',
  'start even on a Redis whose settings could lose what was sent',
] as const;

export const FRESH = new Option('--fresh', 'a rehearsal with an empty stand-in').implies({ sandbox: true });

export const METRICS = [
  '--metrics <host:port>',
  'serve /metrics, /healthz and /readyz there, such as 127.0.0.1:9464; without a log-in, so keep it inside',
  addressIn,
] as const;

export function addressIn(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address !== null) return address;
  throw new InvalidArgumentError(
    'expected an address of this machine and a port, such as 127.0.0.1:9464, or :9464 for all its addresses.',
  );
}

export const WEB = [
  '--web <host:port>',
  'serve the page there instead of 127.0.0.1:4780; whoever looks logs in',
  addressIn,
] as const;

export type EndedFlags = { readonly json?: boolean; readonly jobFile?: string };

/** Answers the exit status. */
export function tellEnded(
  { run, summary }: Executed,
  { io, env }: Pick<Session, 'io' | 'env'>,
  flags: EndedFlags,
): number {
  const directory = reportDirectory(env, run.id);
  const { jobFile } = flags;
  const job = jobFile === undefined ? {} : { job: `--job-file ${shellWord(anywhere(jobFile))}` };
  const options = { directory, typed: io.typed, signs: hasSigns(io), isApproverTold: isUserTold(), ...job };
  if (flags.json === true) sayJson(io, JSON.stringify(summary));
  else say(io, ...renderSummary(summary, options));
  if (isOver(run)) return summary.exitCode ?? exitCodeOf(run);
  // For people the summary names the command already.
  const isSaid = flags.json !== true && (summary.state === 'paused' || summary.state === 'stopped');
  if (!isSaid) for (const line of goingOn(run, io)) tell(io, line);
  return io.interrupted.aborted ? EXIT.interrupted : exitCodeOf(run);
}

/** The command that was typed comes first, since it may name more than the run. */
function goingOn(run: Run, { typed }: Io): string[] {
  const resume = goOnCommand(run);
  if (run.state === 'cancelled') return [`To wind it up: ${resume}`];
  const ways = waysOut(run);
  if (ways.length > 0) return ways.map(wayWords);
  if (awaitsPerson(run)) return [`To let it go: ${resume}`];
  const goOn = [`To go on: ${typed}`];
  return typed.startsWith(resume) ? goOn : [...goOn, `      or: ${resume}`];
}
