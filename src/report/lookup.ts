/** Bodies and documents are the service's texts, of up to megabytes each: few are in memory at a time. */
export const LOOKUP_ROWS = 20;

/** The items in groups of at most `size`, in order. */
export function* groupsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
