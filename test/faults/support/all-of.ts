import { LONG } from './times.ts';

/** Does the same for all items at once; when some fail, the Error tells of every one of them. */
export async function allOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const failures: string[] = [];
  const results: R[] = [];
  const ends = await Promise.allSettled(items.map(work));
  for (const [i, end] of ends.entries()) {
    if (end.status === 'fulfilled') results.push(end.value);
    else failures.push(`${JSON.stringify(items[i])}: ${textOf(end.reason)}`);
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  return results;
}

/** For `test.each`: the long part measures, so each item is a test there; `npm test` mostly waits, so all are one. */
export function testsOf<T>(items: readonly T[], nameOf: (item: T) => string = String) {
  const tests = LONG ? items.map((item) => [item]) : [items];
  return tests.map((all) => ({ all, names: all.map(nameOf).join(', ') }));
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
