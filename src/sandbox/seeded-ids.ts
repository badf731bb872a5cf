/** How many subclients and payments exist from the start, for updates and look-ups to try. */
export const SEEDED = 300;

/** The seeded number (1 to SEEDED) in an identifier such as sub-0001 or pay-0300, else `null`. */
export function seededNumber(kind: 'sub' | 'pay', id: string): number | null {
  if (!id.startsWith(`${kind}-`)) return null;
  const digits = id.slice(4);
  const number = /^\d{4}$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= SEEDED ? number : null;
}

/** The identifier of a seeded record: sub-0001, pay-0300. */
export function seededId(kind: 'sub' | 'pay', number: number): string {
  return `${kind}-${String(number).padStart(4, '0')}`;
}
