/**
 * Short digests of texts (SHA-256), and a table that holds a number for each of millions of texts by their digests, in a
 * fraction of the memory that the texts would take.
 */
import { hash } from 'node:crypto';
/** The first `length` characters of the text's SHA-256 in base64url: 6 bits each. */
export function shortDigest(text, length) {
    // `hash` takes half the time of a hash object, which counts at a digest per row.
    return hash('sha256', text, 'base64url').slice(0, length);
}
/** A slot: three words of the digest and the value, which is 0 where the slot is free. */
const WORDS = 4;
const FIRST_SLOTS = 1024;
/** The share of taken slots above which the table grows: beyond it look-ups take ever more steps. */
const FULL = 0.6;
export function createDigestTable() {
    let table = new Int32Array(FIRST_SLOTS * WORDS);
    let used = 0;
    const grow = () => {
        const old = table;
        table = new Int32Array(old.length * 2);
        for (let at = 0; at < old.length; at += WORDS) {
            if (old[at + 3] !== 0)
                table.set(old.subarray(at, at + WORDS), placeOf(table, old.subarray(at, at + 3)));
        }
    };
    const put = (words, at, value) => {
        if (table[at + 3] === 0)
            used += 1;
        table.set(words, at);
        table[at + 3] = value;
        if (used > (table.length / WORDS) * FULL)
            grow();
    };
    return {
        get(text) {
            const value = table[placeOf(table, wordsOf(text)) + 3];
            return value === 0 ? undefined : value;
        },
        set(text, value) {
            const words = wordsOf(text);
            put(words, placeOf(table, words), value);
        },
        setFirst(text, value) {
            const words = wordsOf(text);
            const at = placeOf(table, words);
            const known = table[at + 3];
            if (known !== 0)
                return known;
            put(words, at, value);
            return undefined;
        },
    };
}
function wordsOf(text) {
    const digest = hash('sha256', text, 'buffer');
    return Int32Array.of(digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8));
}
/** Where the digest is, or the free slot that it would take. */
function placeOf(table, words) {
    const first = words[0] ?? 0;
    const last = table.length / WORDS - 1;
    for (let slot = first & last;; slot = (slot + 1) & last) {
        const at = slot * WORDS;
        const isSame = table[at] === first && table[at + 1] === words[1] && table[at + 2] === words[2];
        if (isSame || table[at + 3] === 0)
            return at;
    }
}
//# sourceMappingURL=digest.js.map