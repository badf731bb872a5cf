/**
 * References of a row to records that other rows create: which questions the ledger is asked before the request can be made, and what its
 * answers make of the row. A reference is filled with the id of a record that was created, or the row is not sent; only an earlier row of
 * the same run is waited for.
 */
/** A row that was denied may be unsent again, should the permission be missing: so long an end is not believed. */
const GIVEN_BACK_MS = 4_000;
/** What the ledger's answers make of a row's references. */
export function resolveReferences({ run, row }, references, { states, waitedMs }) {
    const ids = [];
    const issues = [];
    let waits = false;
    for (const [i, reference] of references.entries()) {
        const state = states[i] ?? { kind: 'free' };
        if (state.kind === 'known')
            ids.push({ path: reference.path, id: state.id });
        else if (isOnItsWay(state, { run: run.id, row: row.row, waitedMs }))
            waits = true;
        else
            issues.push(referenceIssue(row, reference, state));
    }
    if (issues.length > 0)
        return { kind: 'issues', issues };
    return waits ? { kind: 'wait' } : { kind: 'resolved', ids };
}
/** A later row is not waited for: the two could wait for each other. */
function isOnItsWay(state, own) {
    if (state.kind === 'free' || state.run !== own.run || state.row >= own.row)
        return false;
    return state.kind === 'held' ? !state.inDoubt : own.waitedMs < GIVEN_BACK_MS;
}
/** Why a row can't be sent that refers to a key in this state. */
export function referenceIssue({ row, line }, { key, column, space }, state) {
    const isInDoubt = state.kind === 'held' && state.inDoubt;
    return {
        row,
        line,
        column,
        value: key,
        expected: `the key of a ${space} that was created; ${whatIsKnown(state, key)}`,
        code: isInDoubt ? 'reference_in_doubt' : 'reference_unknown',
    };
}
function whatIsKnown(state, key) {
    switch (state.kind) {
        case 'free':
            return `nothing is known of "${key}"`;
        case 'given-back':
            return `row ${state.row} of run ${state.run}, which has "${key}", was not created`;
        case 'held':
            return `row ${state.row} of run ${state.run} has "${key}" and ${state.inDoubt ? 'its outcome is in doubt' : 'is not done yet'}`;
        default:
            return state;
    }
}
//# sourceMappingURL=references.js.map