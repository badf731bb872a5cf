import type { Writable } from 'node:stream';

/** What a command may touch of the process it runs in. */
export type Io = {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command line as the user typed it, to name the command that goes on. */
  readonly typed: string;
  /** Fires at the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
};

/** A line of results, for people or programs. */
export function say(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** A line about what is going on, apart from the results. */
export function tell(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}
