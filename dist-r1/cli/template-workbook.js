import writeXlsxFile, {} from 'write-excel-file/node';
/** What Excel shows cells of text as, and leaves as they are typed. */
const TEXT = '@';
/** The header is the first cell with a format, so that its style is the first behind the plain one. */
const TEXT_STYLE = 1;
const WIDTH = 24;
/** A sheet's name has no more, and none of the signs below (Excel's specifications and limits). */
const MAX_NAME_CHARS = 31;
/** A template as a workbook: columns of text are formatted as such to the sheet's end. */
export async function templateWorkbook(columns, { sheet, header = 1 }, job) {
    const above = Array.from({ length: header - 1 }, () => []);
    const names = columns.map((column) => textCell(column.header));
    const rows = columns[0]?.cells.map((_, row) => columns.map((column) => cellOf(column, row))) ?? [];
    const made = writeXlsxFile([...above, names, ...rows], {
        sheet: sheet ?? job.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, MAX_NAME_CHARS),
        columns: columns.map(() => ({ width: WIDTH })),
        stickyRowsCount: header,
        dateFormat: 'yyyy-mm-dd',
    }, { features: [textColumns(columns)] });
    return made.toBuffer();
}
function cellOf({ kind, cells }, row) {
    const cell = cells[row] ?? '';
    if (cell === '')
        return null;
    if (kind === 'number')
        return Number(cell);
    if (kind === 'boolean')
        return cell === 'true';
    return kind === 'date' ? new Date(cell) : textCell(cell);
}
function textCell(value) {
    return { value, type: String, format: TEXT };
}
/** The library formats cells only; empty cells below the example take their column's style. */
function textColumns(columns) {
    return {
        files: {
            transform: {
                'xl/worksheets/sheet{id}.xml': {
                    transformElementAttributes: (tag, attributes, index) => {
                        const kind = tag === 'col' ? columns[index ?? 0]?.kind : undefined;
                        return kind === 'text' || kind === 'list' ? { ...attributes, style: TEXT_STYLE } : attributes;
                    },
                },
            },
        },
    };
}
//# sourceMappingURL=template-workbook.js.map