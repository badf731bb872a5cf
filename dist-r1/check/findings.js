/**
 * What the check finds in a file: counts that add up, the first examples of everything, and how long sending would take. Of a
 * bounded size however many rows there are. `Checked` is what `onboard check --json` prints: it holds cell values, so it is for
 * the person who asked.
 */
import { ratePerSecond } from '../config/job-definition.js';
import { referenceIssue } from '../delivery/references.js';
const ISSUES_SHOWN = 100;
/** How many examples are shown of each warning, of known keys, of open references and of requests. */
const EXAMPLES_SHOWN = 3;
/** Gathers what is found in a file, row by row. */
export function createFindings() {
    const counts = {
        invalid: 0,
        issuesTotal: 0,
        skipped: 0,
        waiting: 0,
        known: 0,
        held: 0,
        rows: 0,
        requests: 0,
    };
    const issues = [];
    const codes = new Map();
    const warnings = new Map();
    const examples = [];
    const requests = [];
    const references = createReferenceTally();
    const addInvalid = (rows, found) => {
        counts.invalid += rows;
        counts.issuesTotal += found.length;
        for (const { code } of found)
            codes.set(code, (codes.get(code) ?? 0) + 1);
        if (issues.length < ISSUES_SHOWN)
            issues.push(...gatherIssues(found).slice(0, ISSUES_SHOWN - issues.length));
    };
    const addKey = ({ lead, key }, state) => {
        counts[state.kind] += 1;
        if (examples.length === EXAMPLES_SHOWN)
            return;
        const { row, line } = lead;
        const id = state.kind === 'known' ? state.id : '';
        examples.push({ row, line, key, kind: state.kind, run: state.run, id });
    };
    const addWarnings = (found) => {
        for (const warning of found) {
            const known = warnings.get(warning.code) ?? { count: 0, examples: [] };
            known.count += 1;
            if (known.examples.length < EXAMPLES_SHOWN)
                known.examples.push(warning);
            warnings.set(warning.code, known);
        }
    };
    const addSent = ({ rows, lead }, { request, waits, ...sent }) => {
        addWarnings(sent.warnings);
        references.add(lead, sent.references);
        if (waits)
            counts.waiting += rows.length;
        else {
            counts.rows += rows.length;
            counts.requests += 1;
        }
        if (requests.length === EXAMPLES_SHOWN)
            return;
        const { row, line } = lead;
        const { method, path, body } = request;
        requests.push({ row, line, method, path, body: body === null ? null : JSON.parse(body), waits });
    };
    return {
        /** Whether requests are still shown. */
        showsMore: () => requests.length < EXAMPLES_SHOWN,
        add(forecast) {
            const { rows, state, fate } = forecast;
            if (state.kind === 'known' || state.kind === 'held')
                addKey(forecast, state);
            if (fate.kind === 'invalid')
                addInvalid(rows.length, fate.issues);
            else if (fate.kind === 'skipped')
                counts.skipped += rows.length;
            else
                addSent(forecast, fate);
        },
        toSend: () => ({ rows: counts.rows, requests: counts.requests }),
        result({ job, reading, rows, look, earlier, estimate }) {
            const { columns: _, notes, ...source } = reading.source;
            return {
                file: reading.path,
                job,
                rows,
                invalid: counts.invalid,
                issues,
                issuesTotal: counts.issuesTotal,
                codes: Object.fromEntries(codes),
                skipped: counts.skipped,
                waiting: counts.waiting,
                sendable: counts.rows,
                source,
                notes,
                warnings: [...warnings].map(([code, found]) => ({ code, ...found })),
                earlierRun: earlier === null ? null : { run: earlier.id, state: earlier.state },
                keys: {
                    target: look.kind === 'ledger' ? look.target : null,
                    reason: look.kind === 'none' ? look.reason : null,
                    known: counts.known,
                    held: counts.held,
                    examples,
                },
                // Rows wait for nothing else.
                references: { ...references.counts(), unresolvedRows: counts.waiting },
                requests,
                estimate,
            };
        },
    };
}
/** The issues of one request, those that differ in nothing but the row as one entry of the first row. */
export function gatherIssues(found) {
    if (found.length < 2)
        return found;
    const alike = new Map();
    for (const issue of found) {
        const { code, column, value, expected } = issue;
        const mark = JSON.stringify([code, column, value, expected]);
        const others = alike.get(mark);
        if (others === undefined)
            alike.set(mark, [issue]);
        else
            others.push(issue);
    }
    return [...alike.values()].flatMap((issues) => {
        const [first] = issues;
        if (first === undefined)
            return [];
        return issues.length === 1 ? [first] : [{ ...first, rows: issues.map(({ row }) => row) }];
    });
}
function createReferenceTally() {
    const counts = { total: 0, known: 0, inFile: 0, unresolved: 0 };
    const examples = [];
    const addOpen = (lead, { reference, state }) => {
        counts.unresolved += 1;
        if (examples.length === EXAMPLES_SHOWN || state.kind === 'known')
            return;
        const { column, space, key } = reference;
        const { row, line } = lead;
        const { expected } = referenceIssue(lead, reference, state);
        examples.push({ row, line, column, space, key, state: stateName(state), expected });
    };
    return {
        add(lead, references) {
            for (const one of references) {
                counts.total += 1;
                if (one.standing === 'known')
                    counts.known += 1;
                else if (one.standing === 'in-file')
                    counts.inFile += 1;
                else
                    addOpen(lead, one);
            }
        },
        counts: () => ({ ...counts, examples }),
    };
}
function stateName(state) {
    if (state.kind === 'held')
        return state.inDoubt ? 'in-doubt' : 'held';
    return state.kind === 'free' ? 'free' : 'not-created';
}
/** An answer's duration where nothing is known of the service. */
export const ASSUMED_MS = 100;
export function estimateOf({ rows, requests }, { send }, last) {
    const of = (basis, perSecond, count) => ({
        requests,
        seconds: Math.ceil(count / perSecond),
        basis,
        perSecond,
        run: basis === 'last-run' ? (last?.run ?? null) : null,
    });
    if (send.rate !== undefined)
        return of('rate', ratePerSecond(send.rate), requests);
    if (last !== null)
        return of('last-run', last.rowsPerSecond, rows);
    return of('assumption', send.concurrency / (ASSUMED_MS / 1000), requests);
}
//# sourceMappingURL=findings.js.map