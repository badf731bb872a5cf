/**
 * What commands have in common: how one is added to the program, how its options are read, and how it writes a file that a
 * person asked for.
 */
import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';

/** What the commands share: how one is added, and options that several of them have. */

/** Adds one command, or some of a kind; its action hands the exit status to `done`. */
export type AddCommand = (program: Command, io: Io, done: (exitCode: number) => void) => void;

/** For an option that may be repeated. */
export function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}

/** An option's value as a whole number from 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1.');
  return Number(text);
}

/** Writes the file that `--out` names, which must not be there yet; UsageError where it can't. */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why =
      code === 'EEXIST'
        ? 'there is such a file already, and it is left alone: name another one, or remove it first'
        : `the file can't be written (${code}): expected a folder that is there and may be written to`;
    throw new UsageError(`--out ${path}: ${why}`, { cause: error });
  }
}

/** The flag of every command that sends. */
export const ACCEPT_REDIS_SETTINGS = [
  '--accept-redis-settings',
  'start also on a Redis whose settings may lose what was sent',
] as const;

/** `--fault` beside the real service would say that it is tried on the stand-in, and send for good. */
export function refuseStrayFaults(flags: {
  readonly fault: readonly string[];
  readonly sandbox?: boolean;
}): void {
  if (flags.fault.length === 0 || flags.sandbox === true) return;
  throw new UsageError(
    '--fault is for the stand-in: expected --sandbox beside it, or the real service would be used.',
  );
}
