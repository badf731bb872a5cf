/** What the reader sees of a file, for people: how it was understood, and its first rows. */
import { countOf, renderTable } from '../../lib/terminal.ts';
import { FILE_FORMATS } from '../../model/file-format.ts';
import { flattenRecord } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import { isTable, type SourceInfo } from '../../model/source.ts';
import { DELIMITER_NAMES } from './csv/dialect.ts';
import { recordObject } from './row.ts';
import type { Whole } from './survey.ts';

/** One entry per line of the terminal; at most `limit` rows, in a table of that width. */
export function previewLines(
  info: SourceInfo,
  rows: readonly Row[],
  limit = rows.length,
  width = 100,
): string[] {
  return [
    ...factLines(info, rows),
    '',
    ...rowLines(info, rows.slice(0, limit), width),
    ...moreLines(rows.length, limit),
  ];
}

/** What the rest of a file adds to its beginning. */
export function wholeLines(before: SourceInfo, { source, rows, unreadable }: Whole): string[] {
  const known = new Set(before.columns);
  const columns = source.columns.filter((column) => !known.has(column));
  const notes = source.notes.filter((note) => !before.notes.includes(note));
  const further = columns.length === 0 ? [] : [`further fields: ${columnsInWords(columns, '')}`];
  return [
    `Read to its end: ${countOf(rows, 'row')}${unreadableWords(unreadable)}.`,
    ...[...further, ...notes].map((line) => `  ${line}`),
  ];
}

function unreadableWords({ rows, first }: Whole['unreadable']): string {
  if (first?.kind !== 'unreadable') return '';
  return `, of which ${rows} can't be read (the first on line ${first.line}: ${first.problem})`;
}

function moreLines(rows: number, limit: number): string[] {
  return rows <= limit
    ? []
    : ['', `There are more rows than the ${countOf(limit, 'row')} above (--rows N shows more of them).`];
}

function factLines(info: SourceInfo, rows: readonly Row[]): string[] {
  const facts: [string, string][] = [
    ['type', `${FILE_FORMATS[info.type].name}${info.compression === 'gzip' ? ', compressed (gzip)' : ''}`],
    ['encoding', `${info.encoding}${info.bom ? ' with a byte order mark' : ''}`],
  ];
  if (info.sheet !== null) facts.push(['sheet', info.sheet]);
  if (info.delimiter !== null) {
    facts.push(['delimiter', `${delimiterInWords(info.delimiter)}${evidence(info, rows)}`]);
  }
  if (info.quote !== null) facts.push(['quote', info.quote]);
  const line = info.headerLine === 1 ? '' : ` on line ${info.headerLine}`;
  facts.push([isTable(info) ? 'header' : 'fields', columnsInWords(info.columns, line)]);
  for (const note of info.notes) facts.push(['note', note]);
  return facts.map(([name, value]) => `${name.padEnd(10)} ${value}`);
}

function delimiterInWords(delimiter: string): string {
  const name = DELIMITER_NAMES.get(delimiter) ?? 'the character';
  return delimiter === '\t' ? name : `${name} ${delimiter}`;
}

function evidence({ columns }: SourceInfo, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const fitting = rows.filter((row) => row.kind === 'cells').length;
  return ` (${countOf(columns.length, 'cell')} with it in ${fitting} of the first ${countOf(rows.length, 'row')})`;
}

function columnsInWords(columns: readonly string[], line: string): string {
  const count = `${countOf(columns.length, 'column')}${line}`;
  const names = columns.slice(0, NAMES_SHOWN).map((column) => (column === '' ? '(no name)' : column));
  const more = columns.length > NAMES_SHOWN ? ` and ${columns.length - NAMES_SHOWN} more` : '';
  return columns.length === 0 ? count : `${count}: ${names.join(', ')}${more}`;
}

const NAMES_SHOWN = 20;

function rowLines(info: SourceInfo, rows: readonly Row[], width: number): string[] {
  if (rows.length === 0) return ['no rows'];
  const readable = rows.filter((row) => row.kind !== 'unreadable');
  const unreadable = rows.filter((row) => row.kind === 'unreadable');
  const head = ['row', 'line', ...info.columns];
  const body = readable.map((row) => [String(row.row), String(row.line), ...cellsOf(row, info.columns)]);
  const table = readable.length === 0 ? [] : renderTable(head, body, width);
  const problems = unreadable.map((row) => `row ${row.row}, line ${row.line} can't be read: ${row.problem}`);
  return table.length === 0 || problems.length === 0 ? [...table, ...problems] : [...table, '', ...problems];
}

function cellsOf(row: Exclude<Row, { kind: 'unreadable' }>, columns: readonly string[]): readonly string[] {
  if (row.kind === 'cells') return row.cells;
  const leaves = flattenRecord(recordObject(row.text));
  return columns.map((path) => {
    const leaf = leaves.get(path);
    if (leaf === undefined) return '';
    return typeof leaf === 'string' ? leaf : JSON.stringify(leaf);
  });
}
