import { areFieldsKnown } from '../ledger/settle-entry.js';
import { changedFields, packFieldDigests } from '../mapping/field-digests.js';
import { besideKeyless, mergeGroup } from '../mapping/group.js';
import { describeIssue } from '../model/issue.js';
import { withReferences } from '../model/json-record.js';
import { IDENTITY, REPEATABLE } from '../model/operation.js';
import { resolveReferences } from './references.js';
/** Of a run that runs. Rows on which the program itself fails are invalid: they must not keep their chunk from ending. */
export function decide(rows, marks, means) {
    const mark = marks.get(rows.lead.row.row);
    // A mate that can't be sent says nothing yet of the others: all are looked at again.
    const settled = settledPlan(rows, marks, ({ outcome }) => outcome !== 'invalid');
    if (settled !== null)
        return { plan: settled };
    try {
        return decideUnsettled(rows, mark?.kind === 'intent' ? mark : null, means);
    }
    catch (error) {
        return { plan: internalError(error) };
    }
}
/** Of a run that was cancelled: nothing is sent any more, and what may have been sent is in doubt. */
export function decideCancelled(rows, marks) {
    const { lead } = rows;
    const settled = settledPlan(rows, marks, () => true);
    if (settled !== null)
        return { plan: settled };
    if (marks.has(lead.row.row))
        return { plan: { kind: 'end', end: WORKER_LOST } };
    const mayCreate = !REPEATABLE[callOfClaimed(lead.run.operation)];
    return { plan: { kind: 'end', end: lead.suspect && mayCreate ? JOURNAL_LOST : { outcome: 'cancelled' } } };
}
/**
 * Rows of a group end together: where a worker died while it recorded them, the others get what one of them has already.
 * `decides`: whether a settled mate's outcome is the others' too. `null`: nothing is settled.
 */
function settledPlan({ lead, mates }, marks, decides) {
    const first = marks.get(lead.row.row);
    // Most requests are of one row.
    if (mates.length === 0)
        return first?.kind === 'settled' ? { kind: 'done' } : null;
    const others = mates.map(({ row }) => marks.get(row.row)).filter((mark) => mark?.kind === 'settled');
    if (first?.kind === 'settled')
        return others.length === mates.length ? { kind: 'done' } : endLike(first.settlement);
    const decided = others.find(({ settlement }) => decides(settlement));
    return decided === undefined ? null : endLike(decided.settlement);
}
function endLike({ row, outcome, status, id, attempts, ms, code, message }) {
    if (outcome !== 'invalid')
        return { kind: 'end', end: { outcome, status, id, attempts, ms, code, message } };
    return unsendable('group_member', `row ${row}, of the same key, can't be sent`);
}
function decideUnsettled(rows, mark, means) {
    const { lead } = rows;
    const { definition } = means;
    const step = stepOf(lead, definition);
    if (step.kind === 'end')
        return { plan: step };
    if (!REPEATABLE[step.call] && definition.onUnknownOutcome === 'hold') {
        if (mark !== null)
            return { plan: { kind: 'end', end: WORKER_LOST } };
        if (lead.suspect)
            return { plan: { kind: 'end', end: JOURNAL_LOST } };
    }
    const tracked = trackedFields(lead, definition);
    const expected = mark?.text ?? '';
    if (definition.group !== undefined) {
        const merged = mergedOf(rows, means.mapping, definition.group);
        if (merged.kind === 'issues')
            return invalidGroup(merged.issues, lead.row);
        const mapped = { ...merged, warnings: [] };
        return {
            plan: planOf({ lead, step, mapped, expected, tracked }, means),
            warnings: merged.warnings,
        };
    }
    const mapped = means.mapping.map(lead.row);
    if (mapped.kind === 'issues')
        return { plan: invalid(mapped.issues) };
    return { plan: planOf({ lead, step, mapped, expected, tracked }, means) };
}
function mergedOf({ lead, mates, keyless }, mapping, list) {
    const rows = [lead.row, ...mates.map(({ row }) => row)];
    return keyless === null ? mergeGroup(rows, mapping.map, list) : besideKeyless(rows, keyless);
}
/** None of the rows is sent, each for its own reason. */
function invalidGroup(issues, { row: lead }) {
    const ends = new Map([...issues].map(([row, own]) => [row, invalid(own).end]));
    const { end } = invalid(issues.get(lead) ?? []);
    return { plan: { kind: 'end', end, issues: [...issues.values()].flat() }, ends };
}
function stepOf({ claim, run }, definition) {
    switch (claim.kind) {
        case 'claimed':
            return { kind: 'call', call: callOfClaimed(run.operation), knownId: null };
        case 'known':
            return stepOfKnown(claim, run.operation, definition);
        case 'duplicate': {
            const apart = definition.group === undefined ? '' : ': rows of one key must follow each other';
            return unsendable('duplicate_key', `the same key is in row ${claim.row} of this file${apart}`);
        }
        case 'held': {
            const place = `row ${claim.row} of run ${claim.run}`;
            return claim.inDoubt
                ? unsendable('key_in_doubt', `${place} has this key and its outcome is in doubt`)
                : unsendable('key_held', `${place} has this key and is not done yet`);
        }
        default:
            return claim;
    }
}
/** The call for a key that was free. */
function callOfClaimed(operation) {
    return operation === 'subclient.upsert' ? 'subclient.create' : operation;
}
function stepOfKnown({ run, id }, operation, { onKnownKey, group }) {
    const policy = operation === 'subclient.upsert' ? 'update' : onKnownKey;
    switch (policy) {
        case 'update':
            return { kind: 'call', call: 'subclient.update', knownId: id };
        case 'skip': {
            const message = `already created by run ${run}${group === undefined ? '' : `; its ${group} were not compared`}`;
            return { kind: 'end', end: { outcome: 'skipped', id, code: 'key_known', message } };
        }
        case 'fail':
            return unsendable('key_known', `already created by run ${run} as ${id}`);
        default:
            return policy;
    }
}
function unsendable(code, message) {
    return { kind: 'end', end: { outcome: 'invalid', code, message } };
}
function invalid(issues) {
    const code = issues[0]?.code ?? 'unreadable_row';
    return {
        kind: 'end',
        end: { outcome: 'invalid', code, message: issues.map(describeIssue).join('; ') },
        issues,
    };
}
function trackedFields({ run, identityKey: key }, definition) {
    const space = IDENTITY[run.operation];
    const mayUpdate = run.operation === 'subclient.upsert' || definition.onKnownKey === 'update';
    const follows = mayUpdate && definition.updateWith === 'changed' && definition.key !== undefined;
    return follows && space !== null && key !== null ? { space, key } : null;
}
function planOf(outgoing, means) {
    const { mapped, step, tracked } = outgoing;
    const fieldsOf = step.knownId === null ? null : tracked;
    if (mapped.references.length === 0 && fieldsOf === null)
        return sendPlan(outgoing, { body: mapped.body, known: '' }, means);
    return {
        kind: 'ask',
        questions: { references: mapped.references, fieldsOf },
        decide(answers) {
            try {
                return planInformed(outgoing, answers, means);
            }
            catch (error) {
                return internalError(error);
            }
        },
    };
}
/** The plan once the ledger has answered. */
function planInformed(outgoing, answers, means) {
    const { lead, mapped, step, tracked } = outgoing;
    const { fields } = answers;
    const resolved = resolveReferences(lead, mapped.references, answers);
    if (resolved.kind === 'wait')
        return resolved;
    if (resolved.kind === 'issues')
        return invalid(resolved.issues);
    const whole = withReferences(mapped.body, resolved.ids);
    if (step.knownId === null || tracked === null || !areFieldsKnown(fields))
        return sendPlan(outgoing, { body: whole, known: fields }, means);
    const body = changedFields(whole, tracked.key, fields);
    if (body !== null)
        return sendPlan(outgoing, { body, known: fields }, means);
    return {
        kind: 'end',
        end: { outcome: 'skipped', id: step.knownId, code: 'unchanged', message: UNCHANGED },
    };
}
const UNCHANGED = 'no field has changed since the service last accepted the record';
/** `known`: the digests of what the service has of the record's fields. */
function sendPlan({ step, mapped, expected, tracked }, { body, known }, { service }) {
    const request = service.build(step.call, { pathId: step.knownId ?? mapped.pathId, body });
    // Most rows: an object put together of parts costs more than the rest of the plan.
    if (mapped.warnings.length === 0 && tracked === null)
        return { kind: 'send', request, expected };
    return {
        kind: 'send',
        request,
        expected,
        ...(mapped.warnings.length > 0 && { warnings: mapped.warnings }),
        ...(tracked !== null && { fields: fieldsChange(tracked, body, known) }),
    };
}
function fieldsChange(record, body, before) {
    const after = packFieldDigests(body, record.key, areFieldsKnown(before) ? before : '');
    return { ...record, before, after };
}
function internalError(error) {
    const name = error instanceof Error ? error.name : 'unknown';
    const message = `this row could not be made into a request: a defect of the program (${name})`;
    return { kind: 'end', end: { outcome: 'invalid', code: 'internal', message } };
}
const WORKER_LOST = {
    outcome: 'in-doubt',
    code: 'worker_lost',
    message: 'the worker ended while the request was in flight',
};
const JOURNAL_LOST = {
    outcome: 'in-doubt',
    code: 'journal_lost',
    message: 'Redis lost what it knew, and the journal of a worker that may have sent the row is gone',
};
//# sourceMappingURL=decide.js.map