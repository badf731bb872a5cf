/** A number with what it counts, for people: `1 row`, `2 rows`; a plural that isn't made by an `s` is given. */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
