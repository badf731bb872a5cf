import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../lib/io.ts';

/** Adds one command; its action hands the exit status to `done`. */
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
