/**
 * A template as an Excel workbook. Apart from template.ts because the library takes long to load: only who asks for a
 * workbook waits for it.
 */
import type { Blob } from 'node:buffer';
import type { Stream } from 'node:stream';
import writeXlsxFile, { type Cell, type Feature } from 'write-excel-file/node';
import type { Format } from '../config/job-definition.ts';
import type { TemplateColumn } from '../mapping/template.ts';

/** What Excel shows cells of text as, and leaves as they are typed. */
const TEXT = '@';
/** The header is the first cell with a format, so that its style is the first behind the plain one. */
const TEXT_STYLE = 1;
const WIDTH = 24;
/** A sheet's name has no more, and none of the signs below (Excel's specifications and limits). */
const MAX_NAME_CHARS = 31;

/** A template as a workbook: columns of text are formatted as such to the sheet's end. */
export async function templateWorkbook(
  columns: readonly TemplateColumn[],
  { sheet, header = 1 }: Format,
  job: string,
): Promise<Buffer> {
  const above = Array.from({ length: header - 1 }, () => []);
  const names = columns.map((column) => textCell(column.header));
  const rows = columns[0]?.cells.map((_, row) => columns.map((column) => cellOf(column, row))) ?? [];
  const name = sheet ?? job.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, MAX_NAME_CHARS);
  const made = writeXlsxFile(
    [
      {
        data: [...above, names, ...rows],
        sheet: name,
        columns: columns.map(() => ({ width: WIDTH })),
        stickyRowsCount: header,
        dateFormat: 'yyyy-mm-dd',
      },
      {
        data: explanation(columns),
        sheet: name === EXPLANATION ? `${EXPLANATION} (2)` : EXPLANATION,
        columns: EXPLAINED.map(([, width]) => ({ width })),
        stickyRowsCount: 1,
      },
    ],
    { features: [textColumns(columns)] },
  );
  return made.toBuffer();
}

const EXPLANATION = 'About the columns';
const EXPLAINED = [
  ['Column', WIDTH],
  ['Field', 34],
  ['Meaning', 40],
  ['Required', 10],
  ['Format', 26],
  ['Allowed', 40],
  ['Example', WIDTH],
] as const;

/** The second sheet: a line for each column of the first. */
function explanation(columns: readonly TemplateColumn[]): Cell[][] {
  const heading = EXPLAINED.map(([text]) => ({ ...textCell(text), fontWeight: 'bold' as const }));
  const lines = columns.map(({ header, cells, about }) =>
    [
      header,
      about.fields.join(', '),
      about.meaning,
      about.isRequired ? 'yes' : 'no',
      about.format,
      about.allowed,
      cells[0] ?? '',
    ].map((text) => (text === '' ? null : { value: text, type: String, wrap: true })),
  );
  return [heading, ...lines];
}

function cellOf({ kind, cells }: TemplateColumn, row: number): Cell {
  const cell = cells[row] ?? '';
  if (cell === '') return null;
  if (kind === 'number') return Number(cell);
  if (kind === 'boolean') return cell === 'true';
  return kind === 'date' ? new Date(cell) : textCell(cell);
}

function textCell(value: string): Cell {
  return { value, type: String, format: TEXT };
}

/** The library formats cells only; empty cells below the example take their column's style. */
function textColumns(columns: readonly TemplateColumn[]): Feature<Stream | Buffer | Blob> {
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transformElementAttributes: (tag, attributes, index, _, { sheetIndex }) => {
            const kind = tag === 'col' && sheetIndex === 0 ? columns[index ?? 0]?.kind : undefined;
            return kind === 'text' || kind === 'list' ? { ...attributes, style: TEXT_STYLE } : attributes;
          },
        },
      },
    },
  };
}
