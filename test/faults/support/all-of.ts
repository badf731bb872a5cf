/** Does the same for all items at once; when some fail, the Error tells of every one of them. */
export async function allOf<T extends string | number, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const failures: string[] = [];
  const results: R[] = [];
  const ends = await Promise.allSettled(items.map(work));
  for (const [i, end] of ends.entries()) {
    if (end.status === 'fulfilled') results.push(end.value);
    else failures.push(`${items[i]}: ${textOf(end.reason)}`);
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  return results;
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
