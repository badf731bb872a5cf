/** Rows of one key are one request only while they are fewer: a group that is this long is cut here, and refused. */
export const MAX_GROUP_ROWS = 200;
/** Cuts rows in file order into groups, a group at a time in memory; `keyOf` is `null` where each row is for itself. */
export function createGroupCutter(keyOf) {
    if (keyOf === null)
        return { take: (lead) => ({ lead, mates: [], keyless: null }), end: () => null };
    const startsGroup = createGroupStart(keyOf);
    let open = null;
    let before = null;
    const close = (after) => {
        if (open === null)
            return null;
        const { lead, mates } = open;
        const last = mates.at(-1) ?? lead;
        const keyless = keylessBeside({ lead, last }, { before, after }, keyOf);
        open = null;
        before = last;
        return { lead, mates, keyless };
    };
    return {
        take(row) {
            const starts = startsGroup(row);
            if (open !== null && !starts) {
                open.mates.push(row);
                return null;
            }
            const ended = close(row);
            open = { lead: row, mates: [] };
            return ended;
        },
        end: () => close(null),
    };
}
/** The groups of all these rows. */
export function groupRows(rows, keyOf) {
    const cutter = createGroupCutter(keyOf);
    return [...rows.map((row) => cutter.take(row)), cutter.end()].filter((group) => group !== null);
}
/** Tells, asked for the rows in file order, whether a row begins a group. A row without a key is a group of its own. */
export function createGroupStart(keyOf) {
    let key = null;
    let last = 0;
    let size = 0;
    return (row) => {
        const own = keyOf(row);
        // In a rerun rows can be neighbours that were none in the file: they are no group.
        const joins = own !== null && own === key && row.row === last + 1 && size < MAX_GROUP_ROWS;
        key = own;
        last = row.row;
        size = joins ? size + 1 : 1;
        return !joins;
    };
}
/** A chunk ends at this size at the latest, also in a file of which every other row has lost its key. */
const FORCED_ROWS = 2 * MAX_GROUP_ROWS;
/**
 * Tells, asked for the rows in file order, whether a chunk of `size` rows so far may end before the row: not within a group,
 * nor between a group and a row without a key, which may belong to it and for which it is refused.
 */
export function createGroupEnd(keyOf) {
    const startsGroup = createGroupStart(keyOf);
    let isKeyless = false;
    return (row, size) => {
        const wasKeyless = isKeyless;
        isKeyless = keyOf(row) === null;
        return startsGroup(row) && (wasKeyless === isKeyless || size >= FORCED_ROWS);
    };
}
function keylessBeside({ lead, last }, { before, after }, keyOf) {
    if (keyOf(lead) === null)
        return null;
    if (before !== null && before.row === lead.row - 1 && keyOf(before) === null)
        return before.row;
    return after !== null && after.row === last.row + 1 && keyOf(after) === null ? after.row : null;
}
//# sourceMappingURL=row-group.js.map