import type { TopWarning } from './summary.ts';
import { wrap } from './wrap.ts';

/** What looked damaged and was sent all the same, and how to keep such rows back; empty where nothing did. */
export function renderWarnings(warnings: readonly TopWarning[], width: number): string {
  const [first] = warnings;
  if (first === undefined) return '';
  const lines = warnings.map(
    ({ code, count, exampleRow }) => `  ${count} × warning ${code}, for example row ${exampleRow}`,
  );
  const advice =
    'Sent as they stand; results.csv names the columns. The job definition can keep such rows back:';
  return [
    ...lines,
    `    ${wrap(advice.split(' '), { width: width - 4, indent: '    ' })}`,
    `      checks: { ${first.code}: error }`,
  ].join('\n');
}
