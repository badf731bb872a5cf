import { decide } from '../delivery/decide.js';
import { createDigestTable } from '../lib/digest.js';
import { identityKeyOf } from '../model/identity.js';
import { IDENTITY } from '../model/operation.js';
import { buildRequest } from '../service/operations.js';
const FREE = { kind: 'free' };
/** The forecasts for rows in file order; what comes first decides on what comes later. */
export async function foresee(groups, foreseeing) {
    const { look, seen } = foreseeing;
    const keyed = groups.map((group) => keyedOf(group, foreseeing));
    const known = await statesOf(look, () => keyed.flatMap(({ identity }) => identity ?? []));
    const decideRows = createDecider(foreseeing);
    const planned = keyed.map(({ group, key, identity }) => {
        const state = identity === null ? FREE : known(identity);
        return { group, key, state, decided: decideRows(group, key, state) };
    });
    const stateOf = await statesOf(look, () => planned.flatMap(({ decided: { plan } }) => (plan.kind === 'ask' ? plan.questions.references : [])));
    return planned.map(({ group: { lead, mates }, key, state, decided }) => {
        const rows = [lead, ...mates];
        const fate = fateOf(decided.plan, { rows, lead, key, warnings: decided.warnings, stateOf }, foreseeing);
        // What refers to a row that is not sent, or waits itself, waits as well.
        if (key !== null && (fate.kind !== 'sent' || fate.waits))
            seen.spoil(key, lead.row);
        return { rows, lead, key, state, fate };
    });
}
/** One question for each identity space. */
async function statesOf(look, places) {
    if (look.kind === 'none')
        return () => FREE;
    const asked = places();
    const states = new Map();
    for (const space of new Set(asked.map((place) => place.space))) {
        const keys = new Set(asked.flatMap((place) => (place.space === space ? [place.key] : [])));
        states.set(space, await look.states(space, [...keys]));
    }
    return ({ space, key }) => states.get(space)?.get(key) ?? FREE;
}
/** `identity`: by what the ledger knows the rows; `null` where it knows nothing across runs. */
function keyedOf(group, { definition, mapping, sha256 }) {
    const key = mapping.keyOf(group.lead);
    const space = IDENTITY[definition.operation];
    const known = mapping.hasKey ? key : identityKeyOf({ sha256 }, mapping, group.lead);
    return { group, key, identity: space === null || known === null ? null : { space, key: known } };
}
const UNTOUCHED = new Map();
function createDecider({ definition, mapping, sha256, earlier, seen, isShown }) {
    const run = { id: earlier ?? '', operation: definition.operation, sha256 };
    const build = (call, parts) => isShown()
        ? buildRequest(call, { ...parts, query: definition.query })
        : { call, method: 'POST', path: '', body: null };
    const means = { definition, mapping, service: { build } };
    return ({ lead: row, mates, keyless }, key, state) => {
        const first = key === null ? null : seen.claim(key, row.row);
        const claim = claimOf(state, { first, earlier });
        if (claim === null)
            return { plan: { kind: 'done' } };
        // The fields that the service has are not looked at: they would go by the identity.
        const lead = { run, row, claim, suspect: false, identityKey: null };
        return decide({ lead, mates: mates.map((mate) => ({ row: mate })), keyless }, UNTOUCHED, means);
    };
}
/**
 * What the claim of the key would answer; `null`: the earlier run of this very file is done with the row. `first`: the row of
 * the file that has the key before this one.
 */
function claimOf(state, { first, earlier }) {
    if (first !== null)
        return { kind: 'duplicate', row: first };
    if (state.kind === 'free' || state.kind === 'given-back')
        return { kind: 'claimed' };
    if (state.run !== earlier)
        return state;
    return state.kind === 'held' && !state.inDoubt ? { kind: 'claimed' } : null;
}
function fateOf(plan, context, foreseeing) {
    switch (plan.kind) {
        case 'done':
            return { kind: 'skipped' };
        case 'end':
            return fateOfEnd(plan, context, foreseeing.definition);
        case 'send':
            return fateOfSend(plan, context, []);
        case 'ask':
            return fateOfAsk(plan, context, foreseeing);
        default:
            return plan;
    }
}
const EXPECTED = {
    duplicate_key: 'a key that no other row has; ',
    key_known: 'a key that is not known yet; ',
    key_held: 'a key that no other run has; ',
    key_in_doubt: 'a key that no other run has; ',
};
/** Where no cell is at fault, it is what the report of a run says of the rows. */
function fateOfEnd({ end, issues }, { rows, key: value }, definition) {
    if (end.outcome !== 'invalid')
        return { kind: 'skipped' };
    if (issues !== undefined)
        return { kind: 'invalid', issues };
    const { code = '', message = '' } = end;
    const column = definition.key ?? null;
    const expected = `${EXPECTED[code] ?? 'a row that can be sent; '}${message}`;
    return {
        kind: 'invalid',
        issues: rows.map(({ row, line }) => ({ row, line, column, value, expected, code })),
    };
}
function fateOfSend({ request, warnings = [] }, context, references) {
    return {
        kind: 'sent',
        request,
        warnings: context.warnings === undefined ? warnings : [...context.warnings.values()].flat(),
        references,
        waits: references.some(({ standing }) => standing === 'open'),
    };
}
/** The request is shown as it would be sent once all that it refers to is loaded. */
function fateOfAsk({ questions, decide: informed }, context, foreseeing) {
    const references = questions.references.map((reference) => {
        const state = context.stateOf(reference);
        return {
            reference,
            state,
            standing: standingOf(reference, { state, row: context.lead.row }, foreseeing),
        };
    });
    const states = references.map(({ reference: { space, key }, state }) => state.kind === 'known'
        ? state
        : { kind: 'known', run: '', row: 0, id: `<id of the ${space} ${key}>` });
    const plan = informed({ states, fields: '', waitedMs: 0 });
    if (plan.kind === 'send')
        return fateOfSend(plan, context, references);
    if (plan.kind === 'end')
        return fateOfEnd(plan, context, foreseeing.definition);
    throw new Error(`a request with all its answers is not decided, but ${plan.kind}`);
}
function standingOf({ space, key }, { state, row }, { definition, seen, before }) {
    if (state.kind === 'known')
        return 'known';
    // A row that comes later is not waited for: two rows could wait for each other.
    const isInFile = space === IDENTITY[definition.operation] &&
        (seen.hasCreatorBefore(key, row) || before.some((file) => file.hasCreatorBefore(key, Infinity)));
    return isInFile ? 'in-file' : 'open';
}
export function createSeenKeys() {
    // Below 0: a row that would not be sent.
    const rows = createDigestTable();
    return {
        claim(key, row) {
            const earlier = rows.setFirst(key, row);
            return earlier === undefined ? null : Math.abs(earlier);
        },
        spoil(key, row) {
            if (rows.get(key) === row)
                rows.set(key, -row);
        },
        hasCreatorBefore(key, row) {
            const creator = rows.get(key) ?? -1;
            return creator > 0 && creator < row;
        },
    };
}
//# sourceMappingURL=forecast.js.map