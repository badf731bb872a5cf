/**
 * The sentences about a row: what is wrong in it, and what became of it. Made here from values, and
 * never parsed back. None holds a cell's value, so they may stand in any report file or log.
 */
import type { KeptIssue, Values, WrittenAs } from './issue.ts';
import type { Settlement } from './settlement.ts';

/** The report's sentence on a row; '': nothing to say. */
export function messageOf({
  message,
  values,
  issues,
}: Pick<Settlement, 'message' | 'values' | 'issues'>): string {
  if (issues.length > 0) return issues.map(issueWords).join('; ');
  const said = filled(message, values);
  const notes = Object.keys(values).flatMap((name) =>
    NOTES[name] === undefined ? [] : `${NOTES[name]} ${values[name]}`,
  );
  return notes.length === 0 ? said : [said.replace(/\.$/, ''), ...notes].join('; ');
}

/** Values of a row in doubt that stand behind its sentence, where they are known. */
const NOTES: Values = { sentAt: 'sent at', requestId: 'request id', lookedUp: 'looked up at' };

export function issueWords(issue: Omit<KeptIssue, 'code'>): string {
  const { column } = issue;
  return `${column === null ? '' : `column "${column}": `}expected ${expectedWords(issue)}`;
}

/** To follow the word "expected". */
export function expectedWords({
  expected,
  values,
  settings = [],
}: Pick<KeptIssue, 'expected' | 'values' | 'settings'>): string {
  const remedy = settings.map(settingWords).join(' or with ');
  return filled(expected, values) + (remedy === '' ? '' : `; it is one with ${remedy} in the job definition`);
}

/** `decimal: ","`, as a job definition has it. */
function settingWords(setting: WrittenAs): string {
  return Object.entries(setting)
    .map(([name, sign]) => `${name}: ${JSON.stringify(sign)}`)
    .join();
}

/** Stands for hidden values. */
const HIDDEN = '‹…›';

/** As it reads for every row of one cause. */
export function withoutValues<T extends { readonly values?: Values | undefined }>(said: T): T {
  if (said.values === undefined) return said;
  const names = Object.keys(said.values).filter((name) => NOTES[name] === undefined);
  return { ...said, values: Object.fromEntries(names.map((name) => [name, HIDDEN])) };
}

function filled(text: string, values: Values = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
