import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../lib/io.ts';

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

/** The flag of every command that sends. */
export const ACCEPT_REDIS_SETTINGS = [
  '--accept-redis-settings',
  'start also on a Redis whose settings may lose what was sent',
] as const;
