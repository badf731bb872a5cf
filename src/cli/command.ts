import type { Command } from 'commander';
import type { Io } from '../lib/terminal.ts';

/** Adds one command; its action hands the exit status to `done`. */
export type AddCommand = (program: Command, io: Io, done: (exitCode: number) => void) => void;

/** For an option that may be repeated. */
export function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}
