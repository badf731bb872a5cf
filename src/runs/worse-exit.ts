/** From all is well to could not start: rows without success, rows in doubt, stopped before the end, not taken. */
const ORDER = [0, 1, 5, 2, 3, 4];

/** The worse of two exit statuses (DESIGN.md, section 4). */
export function worse(a: number, b: number): number {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a;
}
