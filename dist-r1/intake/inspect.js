/**
 * The first reading of a file, over all its bytes: its hash, its size, and how its bytes become text. Every later
 * reading of the same file goes by what was decided here, so that an encoding never changes in the middle of a run.
 */
import { createHash } from 'node:crypto';
import { UsageError } from '../lib/usage-error.js';
import { containerOf, refuseNested, SIGNATURE_BYTES, unpack } from './container.js';
import { chooseEncoding, createEvidenceGatherer } from './encoding.js';
import { fileBytes } from './file.js';
/** Reads a file once to its end and tells how to read it; UsageError where that can't be told. */
export async function inspectFile(path, format) {
    return inspectBytes(() => fileBytes(path), path, format);
}
/** The same for bytes from anywhere; `path` is for the name's ending and for messages. */
export async function inspectBytes(open, path, format) {
    const hash = createHash('sha256');
    let bytes = 0;
    const raw = tap(open(), (block) => {
        hash.update(block);
        bytes += block.length;
    });
    try {
        const { start, all } = await peek(raw, SIGNATURE_BYTES);
        const container = containerOf(start, path, format);
        const text = container === 'workbook' ? await drain(all) : await readText(all, container, path);
        const openText = () => unpack(open(), container, path);
        const chosen = text === null ? WORKBOOK : await decide(text, openText, path, format);
        return { container, ...chosen, sha256: hash.digest('hex'), bytes };
    }
    finally {
        await raw.return(undefined);
    }
}
const WORKBOOK = { encoding: 'utf-8', notes: [] };
async function readText(raw, container, path) {
    const bytes = unpack(raw, container, path);
    try {
        const { start: head, all } = await peek(bytes, HEAD_BYTES);
        if (container === 'gzip')
            refuseNested(head.subarray(0, SIGNATURE_BYTES), path);
        const gatherer = createEvidenceGatherer();
        const lineEnds = createLineEndWatch();
        for await (const block of all) {
            gatherer.add(block);
            lineEnds.add(block);
        }
        return { evidence: gatherer.end(), head, isUnended: lineEnds.isUnended() };
    }
    finally {
        await bytes.return(undefined);
    }
}
/** How much of a text is searched for the marks of a report. */
const HEAD_BYTES = 64 * 1024;
async function decide({ evidence, head, isUnended }, openText, path, format) {
    const inWords = async ({ at, words }) => words(await lineAt(openText(), at));
    const choice = chooseEncoding(evidence, head, format.encoding);
    if (choice.kind === 'refused')
        throw new UsageError(`${path}: ${await inWords(choice.why)}`);
    const notes = await Promise.all(choice.notes.map(inWords));
    return { encoding: choice.encoding, notes, ...(isUnended ? { isUnended } : {}) };
}
/** The line at an offset, 1 = first. Line ends are LF, or CR where there is no LF before. */
async function lineAt(bytes, offset) {
    let feeds = 0;
    let returns = 0;
    let left = offset;
    for await (const block of bytes) {
        const part = block.subarray(0, left);
        feeds += countBytes(part, 0x0a);
        returns += countBytes(part, 0x0d);
        left -= part.length;
        if (left === 0)
            break;
    }
    return 1 + (feeds === 0 ? returns : feeds);
}
function createLineEndWatch() {
    const ended = new Map([
        [LF, 0],
        [CR, 0],
    ]);
    let last = [];
    return {
        add(block) {
            for (const [byte, found] of ended) {
                if (found < ENOUGH)
                    ended.set(byte, found + countBytes(block, byte, ENOUGH - found));
            }
            last = [...last, ...block.subarray(-2)].slice(-2);
        },
        isUnended() {
            const byte = last.at(-1);
            // In UTF-16LE a line end has its NUL byte behind it.
            const isTable = [...ended.values()].some((found) => found >= ENOUGH);
            return isTable && !isLineEnd(byte) && !(byte === NUL && isLineEnd(last[0]));
        },
    };
}
const ENOUGH = 2;
const LF = 0x0a;
const CR = 0x0d;
const NUL = 0;
function isLineEnd(byte) {
    return byte === LF || byte === CR;
}
/** How often the byte occurs, counted up to `most` and no further: a table's line ends needn't be searched to its end. */
function countBytes(bytes, byte, most = Number.POSITIVE_INFINITY) {
    let found = 0;
    for (let at = bytes.indexOf(byte); at !== -1 && found < most; at = bytes.indexOf(byte, at + 1))
        found += 1;
    return found;
}
/** The first `length` bytes, fewer where there are no more, and all bytes from the first on. */
async function peek(bytes, length) {
    const blocks = [];
    let held = 0;
    while (held < length) {
        const next = await bytes.next();
        if (next.done)
            break;
        blocks.push(next.value);
        held += next.value.length;
    }
    return { start: Buffer.concat(blocks).subarray(0, length), all: after(blocks, bytes) };
}
async function* after(blocks, rest) {
    yield* blocks;
    yield* rest;
}
async function* tap(blocks, see) {
    for await (const block of blocks) {
        see(block);
        yield block;
    }
}
async function drain(bytes) {
    for await (const _ of bytes)
        ;
    return null;
}
//# sourceMappingURL=inspect.js.map