/** Why a workbook can't be read as a whole: what is wrong, what was expected, what to do. `readWorkbook` adds the path. */
export class WorkbookError extends Error {
    name = 'WorkbookError';
}
/** A file that says it is a workbook and contradicts itself. */
export function damaged(what, cause) {
    return new WorkbookError(`is a damaged workbook (${what}): expected a whole .xlsx file; open it in Excel and save it again, or save it as CSV UTF-8`, { cause });
}
/** A workbook that is larger than any portfolio. */
export function tooLarge(what) {
    return new WorkbookError(`is too large for a workbook (${what}): split it, or save the sheet as CSV UTF-8, which may be of any size`);
}
/** Another kind of file. */
export function otherFile(what) {
    return new WorkbookError(`${what}: expected an Excel workbook (.xlsx), CSV or JSON; save it as .xlsx or as CSV UTF-8`);
}
/** A workbook with a password, or an archive with one. */
export function encrypted() {
    return new WorkbookError('is encrypted: expected a workbook without a password; save it without one');
}
//# sourceMappingURL=error.js.map