/**
 * Tells a permission that is missing from single rows that are forbidden: three 403 in a row, with no other answer between them, pause the
 * run, and the rows that were settled as denied before the third are taken back with it. One streak for each run and process.
 */
/** This many 403 in a row are a missing permission, not rows that are forbidden (DESIGN.md, section 5). */
const STREAK = 3;
export function createDenialStreak() {
    let earlier = [];
    /** They are taken back once: by the time of a later 403 one of them may be on its way again. */
    let isTaken = false;
    return {
        broken() {
            if (earlier.length > 0)
                earlier = [];
            isTaken = false;
        },
        denied(rows) {
            if (earlier.length < STREAK - 1) {
                earlier.push(rows);
                return { kind: 'row' };
            }
            const back = isTaken ? [] : earlier.flat();
            isTaken = true;
            return { kind: 'streak', earlier: back };
        },
    };
}
//# sourceMappingURL=denial-streak.js.map