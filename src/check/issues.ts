import type { Issue } from '../model/issue.ts';

/** An issue that was found; `rows`: of rows that are one request, all that have it, where they are several. */
export type FoundIssue = Issue & { readonly rows?: readonly number[] };

/** The issues of one request, those that differ in nothing but the row as one entry of the first row. */
export function gatherIssues(found: readonly Issue[]): readonly FoundIssue[] {
  if (found.length < 2) return found;
  const alike = new Map<string, Issue[]>();
  for (const issue of found) {
    const { code, column, value, expected } = issue;
    const mark = JSON.stringify([code, column, value, expected]);
    const others = alike.get(mark);
    if (others === undefined) alike.set(mark, [issue]);
    else others.push(issue);
  }
  return [...alike.values()].flatMap((issues) => {
    const [first] = issues;
    if (first === undefined) return [];
    return issues.length === 1 ? [first] : [{ ...first, rows: issues.map(({ row }) => row) }];
  });
}

/** How many issues the entries stand for, counted by row. */
export function rowIssues(found: readonly FoundIssue[]): number {
  return found.reduce((sum, { rows }) => sum + (rows?.length ?? 1), 0);
}

/** `row 4`, `rows 4-6, 9`. */
export function rowsWords({ row, rows }: FoundIssue): string {
  if (rows === undefined) return `row ${row}`;
  const spans: { from: number; to: number }[] = [];
  for (const one of rows) {
    const last = spans.at(-1);
    if (last !== undefined && one === last.to + 1) last.to = one;
    else spans.push({ from: one, to: one });
  }
  return `rows ${spans.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(', ')}`;
}
