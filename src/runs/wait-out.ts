/**
 * Why Redis doesn't take a command that it will take later. `full`: maxmemory is reached. `disk`: it can't write its
 * append-only file. `away`: it is not there, still loading, or no longer the one that takes writes.
 */
export type WaitingReason = 'full' | 'disk' | 'away';

export type WaitEdges = {
  /** Resolves after that many milliseconds; false: give up. */
  pause(ms: number): Promise<boolean>;
  /** After each try: why it has to be made again; `null`: it went through. */
  onWaiting(reason: WaitingReason | null): void;
};

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

/**
 * Repeats a command that may be given any number of times until Redis takes it, with growing pauses; `null`: given up.
 * Throws what waiting doesn't mend.
 */
export async function waitOut<T>(command: () => Promise<T>, edges: WaitEdges): Promise<T | null> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await command();
      edges.onWaiting(null);
      return answer;
    } catch (error) {
      const reason = waitingReason(error);
      if (reason === null) throw error;
      edges.onWaiting(reason);
    }
    if (!(await edges.pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, PAUSE_MAX_MS)))) return null;
  }
}

/** `null`: not one that passes by itself. */
export function waitingReason(error: unknown): WaitingReason | null {
  if (!(error instanceof Error)) return null;
  if (FULL.test(error.message)) return 'full';
  if (DISK.test(error.message)) return 'disk';
  const isConnection = 'code' in error && CONNECTION_CODES.has(error.code);
  return isConnection || AWAY.test(error.message) ? 'away' : null;
}
