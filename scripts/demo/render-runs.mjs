import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * One line per run in a reports folder, oldest first, with its outcomes and the control total;
 * `show` shortens paths.
 */
export function renderRuns(reports, show) {
  const runs = readSummaries(reports);
  if (runs.length === 0) return `  none: there is no report in ${show(reports)}`;
  const header = ['job', 'file', 'rows', 'outcomes', 'exit'];
  const lines = [header, ...runs.map(({ summary }) => cellsOf(summary))];
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const table = lines.map(
    (cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`,
  );
  const places = runs.map(({ directory }) => `  ${show(directory)}`);
  return [...table.map((line) => line.trimEnd()), '', 'Reports', '', ...places].join('\n');
}

function readSummaries(reports) {
  if (!existsSync(reports)) return [];
  return readdirSync(reports)
    .map((name) => ({ directory: join(reports, name), path: join(reports, name, 'summary.json') }))
    .filter(({ path }) => existsSync(path))
    .map(({ directory, path }) => ({ directory, summary: JSON.parse(readFileSync(path, 'utf8')) }))
    .toSorted((a, b) => String(a.summary.startedAt).localeCompare(String(b.summary.startedAt)));
}

function cellsOf({ job, file, rows, outcomes, exitCode }) {
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const sum = counts.map(([outcome, count]) => `${count} ${outcome}`).join(' + ');
  return [job, basename(file), String(rows), `= ${sum || 0}`, String(exitCode)];
}
