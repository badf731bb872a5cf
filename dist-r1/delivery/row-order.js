/**
 * The order in which one take of a chunk sends its rows for the first time. The ledger is told of it as ranges, in one field of the chunk
 * instead of one for each row; whoever takes the chunk over reads from it which rows may have been sent. So each range names the rows
 * before its end that go another way. A row that is tried again, follows its record's fields or may repeat what a lost worker did is in no order.
 */
import { UNSENT_MARK } from '../ledger/mark.js';
export function createRowOrder(options) {
    const { chunk, taker, taken, claimed, repeatable, inOrder } = options;
    const apart = options.rows.flatMap((row) => apartOf(row, options));
    let isOver = claimed === undefined;
    let last = 0;
    return {
        has: (row) => !isOver && row > last && inOrder.has(row),
        rangeOf(rows) {
            const end = rows.at(-1)?.row ?? 0;
            // What a taker before has left in doubt is told with the first range, wherever it stands.
            const told = apart.filter(([row, mark]) => (mark !== UNSENT_MARK && last === 0) || (row > last && row < end));
            return { chunk, taker, seen: taken.at, repeatable, claimed: claimed ?? '', rows, apart: told };
        },
        passed(row) {
            last = Math.max(last, row);
        },
        end() {
            isOver = true;
        },
    };
}
/** A row that is in no order, with what stands on it; none where it has its outcome. */
function apartOf(row, { taken, inOrder }) {
    const mark = taken.marks.get(row);
    if (inOrder.has(row) || mark?.kind === 'settled')
        return [];
    return [[row, mark?.text ?? UNSENT_MARK]];
}
//# sourceMappingURL=row-order.js.map