/**
 * Report files that are loaded again, such as a `failed.csv` with its rows corrected. They are read with the definition
 * of the job's own file, which says things that don't hold for a report: its encoding, its delimiter, its title lines. How
 * a report is told from a partner's file, and what it says of its own rows, is decided here.
 */
import { readTyped } from '../lib/typed-cells.js';
import { REPORT_MEMBER, REPORT_ROW_COLUMN, REPORT_TYPED_COLUMN } from '../model/source.js';
/** Whether a text's beginning, in whatever encoding, is that of a report file. */
export function isReport(text) {
    return isReportText(text) || text.includes(`"${REPORT_MEMBER}"`);
}
/** Whether a text begins with the header of a report file, with `delimiter` before the report's column. */
export function isReportText(text, delimiter = '') {
    const firstLine = text.slice(0, text.search(/[\r\n]|$/));
    return firstLine.includes(`${delimiter}${REPORT_ROW_COLUMN}`);
}
/** The cells that were typed in the workbook, by the report's own column, where they are unchanged; `null` where that can't be told. */
export function typedInReport(cells, columns) {
    const told = cells[columns.indexOf(REPORT_TYPED_COLUMN)] ?? '';
    return told === '' ? NONE : readTyped(told, cells, columns);
}
const NONE = { typed: [], numeric: [] };
/** What is wrong with a row in which the report's column about typed cells was changed. */
export const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report file had it; restore it, or empty it where its cells are written as the job definition reads text`;
//# sourceMappingURL=report-file.js.map