/** "Did you mean …": the known name nearest to a name that was not found, whatever its case and separators. */
import { distance } from 'fastest-levenshtein';
/** Nobody means a longer name by another one; comparing two takes time in proportion to both lengths. */
const LONGEST_NAME = 100;
/** As many candidates as there are fields, and more than a file that people made has columns. */
const MOST_CANDIDATES = 1_000;
/** The candidate nearest to what was written; `null` where none is within `most(length)` edits, too far to be meant. */
export function nearest(written, candidates, most = (length) => Math.max(2, Math.floor(length / 3))) {
    if (written.length > LONGEST_NAME)
        return null;
    const wanted = fold(written);
    let best = null;
    let bestDistance = most(wanted.length) + 1;
    let left = MOST_CANDIDATES;
    for (const candidate of candidates) {
        if (left === 0)
            break;
        left -= 1;
        if (candidate.length > LONGEST_NAME)
            continue;
        const d = distance(wanted, fold(candidate));
        if (d < bestDistance) {
            best = candidate;
            bestDistance = d;
        }
    }
    return best;
}
/** ` Did you mean "x"?`, with its leading space, or an empty text. */
export function didYouMean(written, candidates) {
    const candidate = nearest(written, candidates);
    return candidate === null ? '' : ` Did you mean "${candidate}"?`;
}
function fold(text) {
    return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
//# sourceMappingURL=did-you-mean.js.map