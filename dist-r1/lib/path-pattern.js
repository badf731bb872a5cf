/**
 * Patterns of paths, as a shell writes them: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`, and `\`
 * before a sign that stands for itself. Matching takes time in proportion to the pattern and to the path, whatever the
 * two are: both a star within a name and `**` among folders only ever give way where the last one of them took too
 * little. A regular expression of several stars would keep the process busy for minutes with one name of 255 signs.
 */
/** The most signs of a pattern, all its alternatives written out. */
const MOST_SIGNS = 1_000;
/** The pattern, ready to be compared with paths; as text what is wrong with it, to follow "expected". */
export function parsePathPattern(text) {
    const written = alternativesOf(text);
    if (typeof written === 'string')
        return written;
    const alternatives = [];
    for (const one of written) {
        const parts = partsOf(one);
        if (typeof parts === 'string')
            return parts;
        alternatives.push(parts);
    }
    return (path) => {
        const parts = path.split('/').map((part) => [...part]);
        return alternatives.some((steps) => isLedThrough(steps, parts));
    };
}
/** Whether the steps lead through all items. Where one doesn't fit, only the last step of any number takes one item more. */
function isLedThrough(steps, items) {
    let step = 0;
    let again = null;
    for (let at = 0; at < items.length;) {
        const takes = steps[step];
        const item = items[at];
        if (takes === null) {
            again = { step, at };
            step += 1;
        }
        else if (takes !== undefined && item !== undefined && takes(item)) {
            step += 1;
            at += 1;
        }
        else {
            if (again === null)
                return false;
            again = { step: again.step, at: again.at + 1 };
            step = again.step + 1;
            at = again.at;
        }
    }
    return steps.slice(step).every((rest) => rest === null);
}
const UNPAIRED = 'a closing } for every {, and a comma between its alternatives; \\{ stands for the sign itself';
const TOO_LONG = `at most ${MOST_SIGNS} signs, all alternatives in { } written out; give several patterns`;
/** The pattern once for each choice among its `{a,b}`; as text what is wrong. */
function alternativesOf(text) {
    if (text.length > MOST_SIGNS)
        return TOO_LONG;
    const open = [text];
    const done = [];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
        const braces = innermostBraces(one);
        if (braces === 'unpaired')
            return UNPAIRED;
        if (braces === null)
            done.push(one);
        else
            open.push(...braces.toReversed());
        // An empty alternative counts as well: thirty pairs of braces around nothing are a thousand million of them.
        if ([...open, ...done].reduce((signs, { length }) => signs + length + 1, -1) > MOST_SIGNS)
            return TOO_LONG;
    }
    return done;
}
/** The texts that the innermost braces stand for, with what is around them; `null` where there are no braces. */
function innermostBraces(text) {
    let cuts = [];
    for (const { sign, at } of ownSigns(text)) {
        if (sign === '{')
            cuts = [at];
        if (sign === ',' && cuts.length > 0)
            cuts = [...cuts, at];
        if (sign === '}')
            return cuts.length < 2 ? 'unpaired' : choices(text, [...cuts, at]);
    }
    return cuts.length === 0 ? null : 'unpaired';
}
function choices(text, cuts) {
    const before = text.slice(0, cuts[0]);
    const after = text.slice((cuts.at(-1) ?? 0) + 1);
    return cuts.slice(1).map((cut, i) => before + text.slice((cuts[i] ?? 0) + 1, cut) + after);
}
/** The signs that have a meaning of their own: not behind a backslash, and not within `[…]`. */
function* ownSigns(text) {
    const token = /\\.?|\[[!^]?\]?(?:\\.|[^\\\]])*\]|./gsu;
    for (const { 0: sign, index: at } of text.matchAll(token))
        yield { sign, at };
}
/** One step for each part of the path; as text what is wrong. */
function partsOf(text) {
    const parts = [];
    let steps = [];
    let written = [];
    for (const { sign } of [...ownSigns(text), { sign: '/' }]) {
        if (sign !== '/') {
            const step = stepOf(sign, written.at(-1));
            if (typeof step === 'string')
                return step;
            steps.push(step);
            written.push(sign);
            continue;
        }
        const name = written.join('');
        if (['', '.', '..'].includes(name))
            return 'a path below the inbox, such as partner-x/subclients*';
        const own = steps;
        parts.push(name === '**' ? null : (part) => isLedThrough(own, part));
        steps = [];
        written = [];
    }
    // What lies below a folder is not the folder itself.
    return parts.at(-1) === null ? [...parts, () => true] : parts;
}
/** What one sign takes, by the sign before it in the same part of the path; as text what is wrong. */
function stepOf(sign, before) {
    if (sign === '*')
        return null;
    if (sign === '?')
        return () => true;
    if (sign === '!' && before === undefined) {
        return 'a name that is meant, not "!" and one that is not; \\! stands for the sign itself';
    }
    if (sign === '(' && before !== undefined && '!?*+@'.includes(before)) {
        return 'no "(" behind !, ?, *, + or @: give several patterns; \\( stands for the sign itself';
    }
    if (sign === '[')
        return 'a closing ] for every [; \\[ stands for the sign itself';
    if (sign === '\\')
        return 'a sign behind the last \\';
    if (sign.length > 1 && sign.startsWith('['))
        return classStep(sign);
    const literal = sign.startsWith('\\') ? sign.slice(1) : sign;
    return (one) => one === literal;
}
/** One of the signs in `[abc]` or `[a-z]`, with `!` or `^` at its beginning any other. */
function classStep(text) {
    const [, not = '', inner = ''] = /^\[([!^]?)(.*)\]$/su.exec(text) ?? [];
    const ranges = [...inner.matchAll(/(\\?.)(?:-(\\?.))?/gsu)].map(([, from = '', to = from]) => ({
        from: codeOf(from),
        to: codeOf(to),
    }));
    if (ranges.length === 0 || ranges.some(({ from, to }) => from > to)) {
        return 'signs, or a range such as a-z, within [ ]; \\[ stands for the sign itself';
    }
    return (one) => {
        const code = codeOf(one);
        return ranges.some(({ from, to }) => from <= code && code <= to) === (not === '');
    };
}
function codeOf(sign) {
    return (sign.length > 1 && sign.startsWith('\\') ? sign.slice(1) : sign).codePointAt(0) ?? 0;
}
//# sourceMappingURL=path-pattern.js.map