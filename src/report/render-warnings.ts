import { wrap } from '../lib/terminal.ts';
import type { TopWarning } from './summary.ts';

/** What looked damaged and was sent all the same, and how to keep such rows back; empty where nothing did. */
export function renderWarnings(warnings: readonly TopWarning[], width: number): string {
  if (warnings.length === 0) return '';
  const lines = warnings.map(
    ({ code, count, exampleRow }) => `  ${count} × warning ${code}, for example row ${exampleRow}`,
  );
  const advice =
    'Sent as they stand; results.csv names the columns. The job definition can keep such rows back:';
  return [
    ...lines,
    `    ${wrap(advice.split(' '), { width: width - 4, indent: '    ' })}`,
    ...checksLines(warnings, width),
  ].join('\n');
}

/** The setting for every code that was found, on one line where it fits. */
function checksLines(warnings: readonly TopWarning[], width: number): string[] {
  const settings = warnings.map(({ code }) => `${code}: error`);
  const line = `      checks: { ${settings.join(', ')} }`;
  return line.length <= width
    ? [line]
    : ['      checks:', ...settings.map((setting) => `        ${setting}`)];
}
