/**
 * Bytes to text, block by block, in the encoding that was told before. Bytes that are no characters in it never become
 * a guess: `BAD_BYTES` stands for them, so that the parsers can mark just the rows they are in. A NUL character means
 * that the file is no text, and refuses all of it.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { UsageError } from '../lib/usage-error.js';
/**
 * Stands in decoded text for bytes that are no characters in its encoding. Two high surrogates in a row never come out
 * of text that is valid, so they can't be mistaken for a U+FFFD that the file really holds, nor for half of another character.
 */
export const BAD_BYTES = '\uD800\uD800';
/** The text of the bytes, whatever the block boundaries, with `BAD_BYTES` for bytes that are no character; UsageError where the text holds U+0000. */
export function decodeText(bytes, encoding, path) {
    return encoding === 'utf-8' ? decodeUtf8(bytes, path) : decodeOther(bytes, encoding, path);
}
async function* decodeUtf8(bytes, path) {
    let carry = Buffer.alloc(0);
    let decoded = 0;
    for await (const block of bytes) {
        const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
        const length = completeLength(all);
        carry = Buffer.from(all.subarray(length));
        if (length > 0)
            yield decodeBlock(all.subarray(0, length), decoded, path);
        decoded += length;
    }
    if (carry.length > 0)
        yield decodeBlock(carry, decoded, path);
}
function decodeBlock(bytes, offset, path) {
    const nul = bytes.indexOf(0);
    if (nul !== -1)
        throw new UsageError(`${path}: ${nulProblem(offset + nul + 1)}`);
    return isUtf8(bytes) ? bytes.toString('utf8') : decodeLines(bytes);
}
/** Decodes line by line, so that a U+FFFD that the file really holds is only taken for bad bytes in a line that has some. */
function decodeLines(bytes) {
    let text = '';
    let start = 0;
    for (let i = 0; i < bytes.length; i += 1) {
        if (bytes[i] !== 10 && bytes[i] !== 13)
            continue;
        text += decodeLine(bytes.subarray(start, i + 1));
        start = i + 1;
    }
    return text + decodeLine(bytes.subarray(start));
}
function decodeLine(line) {
    const text = line.toString('utf8');
    return isUtf8(line) ? text : text.replaceAll('\uFFFD', BAD_BYTES);
}
async function* decodeOther(bytes, encoding, path) {
    const decoder = iconv.getDecoder(encoding, { stripBOM: false });
    const unitBytes = UNIT_BYTES[encoding];
    const marked = MARKED[encoding];
    let held = '';
    let length = 0;
    let decoded = 0;
    for await (const block of bytes) {
        length += block.length;
        const all = held + decoder.write(block);
        // iconv-lite cuts pairs of surrogates in UTF-16BE, so that a first half waits for the next block.
        held = isHighSurrogate(all.charCodeAt(all.length - 1)) ? all.slice(-1) : '';
        const text = all.slice(0, all.length - held.length);
        refuseNulCharacter(text, path, { decoded, unitBytes });
        decoded += text.length;
        if (text !== '')
            yield marked(text);
    }
    const rest = marked(held + (decoder.end() ?? ''));
    // iconv-lite drops half a unit at the end of a file in UTF-16 that was cut off.
    const odd = length % unitBytes === 0 ? '' : BAD_BYTES;
    if (rest + odd !== '')
        yield rest + odd;
}
const UNIT_BYTES = {
    'utf-16le': 2,
    'utf-16be': 2,
    'windows-1252': 1,
    'iso-8859-1': 1,
    'iso-8859-15': 1,
};
function refuseNulCharacter(text, path, place) {
    const nul = text.indexOf('\u0000');
    if (nul !== -1)
        throw new UsageError(`${path}: ${nulProblem((place.decoded + nul) * place.unitBytes + 1)}`);
}
function isHighSurrogate(unit) {
    return unit >= 0xd800 && unit <= 0xdbff;
}
/** Marks the characters that the decoder gives for bytes without a character, as a test observes them. */
const MARKED = {
    'utf-16le': markLone,
    'utf-16be': markLone,
    'windows-1252': (text) => text.replaceAll('\uFFFD', BAD_BYTES),
    'iso-8859-1': markControls,
    'iso-8859-15': markControls,
};
function markLone(text) {
    return text.isWellFormed() ? text : text.replaceAll(LONE_SURROGATE, BAD_BYTES);
}
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
/** iconv-lite makes the control characters U+0080 to U+009F of bytes that ISO 8859 has no letters or signs for. */
function markControls(text) {
    return text.replaceAll(/[\u0080-\u009F]/g, BAD_BYTES);
}
/** What is wrong with a text that holds U+0000, at a byte counted from 1. */
export function nulProblem(byte) {
    return `byte ${byte} is NUL, so this is no text: expected a CSV or JSON file in utf-8; export the data again as text`;
}
/** The number of bytes before a UTF-8 sequence that the end cuts off; all bytes where none is cut off. */
export function completeLength(bytes) {
    const end = bytes.length;
    for (let back = 1; back <= Math.min(3, end); back += 1) {
        const byte = bytes[end - back] ?? 0;
        if (byte >= 0xc0)
            return utf8SequenceAt(bytes, end - back) === 'cut' ? end - back : end;
        if (byte < 0x80)
            return end;
    }
    return end;
}
/**
 * The length of the UTF-8 sequence of several bytes that begins at `at` (Unicode, table 3-7), 0 where none does, or
 * `cut` where the bytes end within it.
 */
export function utf8SequenceAt(bytes, at) {
    const lead = bytes[at] ?? 0;
    const length = sequenceLength(lead);
    for (let k = 1; k < length; k += 1) {
        const next = bytes[at + k];
        if (next === undefined)
            return 'cut';
        if (!mayFollow(lead, k, next))
            return 0;
    }
    return length;
}
function sequenceLength(lead) {
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    if (lead >= 0xf0)
        return 4;
    return lead >= 0xe0 ? 3 : 2;
}
function mayFollow(lead, place, byte) {
    if (byte < 0x80 || byte > 0xbf)
        return false;
    if (place > 1)
        return true;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    if (lead === 0xe0)
        return byte >= 0xa0;
    if (lead === 0xed)
        return byte <= 0x9f;
    if (lead === 0xf0)
        return byte >= 0x90;
    return lead !== 0xf4 || byte <= 0x8f;
}
//# sourceMappingURL=decode.js.map