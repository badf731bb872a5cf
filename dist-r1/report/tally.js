/** Counts a run's settlements as they are written to its report: outcomes, records, and what went wrong most often. */
import { noOutcomes, REMAINDER, wasAccepted } from '../model/outcome.js';
import { warningsOf } from '../model/settlement.js';
import { adviceIn } from './results.js';
export function createTally(advising) {
    const outcomes = noOutcomes();
    const errors = new Map();
    const warnings = new Map();
    let lastRow = 0;
    let records = 0;
    let lastAccepted = null;
    const countRecord = (settlement) => {
        if (lastAccepted === null || !isSameRecord(lastAccepted, settlement))
            records += 1;
        lastAccepted = settlement;
    };
    return {
        add(settlement) {
            if (settlement.row <= lastRow) {
                throw new Error(`the ledger gave row ${settlement.row} after row ${lastRow}: expected each row once, in order`);
            }
            lastRow = settlement.row;
            outcomes[settlement.outcome] += 1;
            if (wasAccepted(settlement.outcome))
                countRecord(settlement);
            if (REMAINDER[settlement.outcome] !== 'none')
                countError(errors, settlement, advising);
            for (const { code } of warningsOf(settlement))
                countWarning(warnings, code, settlement.row);
        },
        outcomes: () => ({ ...outcomes }),
        records: () => records,
        topErrors: () => [...errors.values()].sort(commonestFirst).slice(0, TOP),
        topWarnings: () => [...warnings.values()].sort(commonestFirst),
    };
}
function isSameRecord(before, { row, key, id }) {
    return row === before.row + 1 && key !== '' && id !== '' && key === before.key && id === before.id;
}
function countError(errors, { outcome, code, row }, advising) {
    const pair = `${outcome} ${code}`;
    const known = errors.get(pair);
    if (known !== undefined)
        known.count += 1;
    else if (errors.size < MAX_PAIRS) {
        errors.set(pair, {
            outcome,
            code,
            count: 1,
            exampleRow: row,
            advice: adviceIn({ code, outcome }, advising),
        });
    }
}
function countWarning(warnings, code, row) {
    const known = warnings.get(code);
    if (known !== undefined)
        known.count += 1;
    else if (warnings.size < MAX_PAIRS)
        warnings.set(code, { code, count: 1, exampleRow: row });
}
const TOP = 10;
/** Codes come from tables, so there are few; the bound keeps memory flat should a code ever hold other text. */
const MAX_PAIRS = 1000;
function commonestFirst(a, b) {
    return b.count - a.count || a.exampleRow - b.exampleRow;
}
//# sourceMappingURL=tally.js.map