import { randomInt } from 'node:crypto';

const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const RANDOM_LETTERS = 4;

/** A run id that sorts by time, can be read out loud, and is never used twice: `20261121-034512-k3f9` (UTC). */
export function newRunId(now: Date): string {
  const [date = '', time = ''] = now.toISOString().replaceAll(/[-:]/g, '').split('T');
  const random = Array.from({ length: RANDOM_LETTERS }, () => LETTERS.charAt(randomInt(LETTERS.length))).join(
    '',
  );
  return `${date}-${time.slice(0, 6)}-${random}`;
}
