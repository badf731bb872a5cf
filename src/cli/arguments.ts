import { InvalidArgumentError } from 'commander';

/** An option's value as a whole number from 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1.');
  return Number(text);
}
