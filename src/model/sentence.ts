/**
 * The sentences about a row: what is wrong in it, and what became of it. They are made here from
 * values, where somebody is to read them, and nothing is ever read back out of one. None holds a
 * value of a cell, so that they may stand in any report file or log.
 */
import type { KeptIssue, Values } from './issue.ts';
import type { Settlement } from './settlement.ts';
import type { WrittenAs } from './written-as.ts';

/** What is not to be seen of what `values` names: all of it, which is one row's own, or keys. */
type Hidden = 'nothing' | 'values' | 'keys';

/** The sentence that the report has of a row; empty where there is nothing to say. */
export function messageOf(
  { message, values, issues }: Pick<Settlement, 'message' | 'values' | 'issues'>,
  hidden: Hidden = 'nothing',
): string {
  if (issues.length > 0)
    return issues.map((issue) => issueWords(hidden === 'nothing' ? issue : hiding(issue, hidden))).join('; ');
  const shown = hiding({ values }, hidden).values;
  const { lookedUp } = shown;
  return filled(message, shown) + (lookedUp === undefined ? '' : `; looked up at ${lookedUp}`);
}

/** The issue in words. */
export function issueWords(issue: Omit<KeptIssue, 'code'>): string {
  const { column } = issue;
  return `${column === null ? '' : `column "${column}": `}expected ${expectedWords(issue)}`;
}

/** What was expected, to follow that word. */
export function expectedWords({
  expected,
  values,
  settings = [],
}: Pick<KeptIssue, 'expected' | 'values' | 'settings'>): string {
  const remedy = settings.map(settingWords).join(' or with ');
  return filled(expected, values) + (remedy === '' ? '' : `; it is one with ${remedy} in the job definition`);
}

/** `decimal: "," and grouping: " "`, as a job definition has them but for the word between. */
export function settingWords(setting: WrittenAs): string {
  return Object.entries(setting)
    .map(([name, sign]) => `${name}: "${sign}"`)
    .join(' and ');
}

/** Stands for values that are not told. */
const HIDDEN = '‹…›';

/** The issue, or what else is said, as it is for every row of one cause. */
export function withoutValues<T extends { readonly values?: Values | undefined }>(said: T): T {
  return hiding(said, 'values');
}

function hiding<T extends { readonly values?: Values | undefined }>(said: T, hidden: Hidden): T {
  if (said.values === undefined || hidden === 'nothing') return said;
  const shown = Object.entries(said.values).map(([name, value]) => {
    return [name, hidden === 'values' || name === 'key' ? HIDDEN : value];
  });
  return { ...said, values: Object.fromEntries(shown) };
}

function filled(text: string, values: Values = {}): string {
  return Object.entries(values).reduce(
    (rest, [name, value]) => rest.replaceAll(`{${name}}`, () => value),
    text,
  );
}
