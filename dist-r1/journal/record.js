/**
 * What a journal records, and the lines that hold it: CRC-32, a space, JSON text. The first line of each file names the version of the
 * form; that line's own form never changes, so that every program can tell whose the journal is. Within a version, kinds and positions
 * within entries may gain, not change.
 */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
const chunkRowSchema = z.tuple([z.number().int(), z.number().int()]);
const markSchema = z.tuple([z.number().int(), z.number().int(), z.string()]);
const intentSchema = z.tuple([z.number().int(), z.number().int(), z.string(), z.string(), z.string()]);
const entrySchema = z.tuple([z.number().int(), z.number().int()]).rest(z.unknown());
const run = z.string().min(1);
/** A record as its line on the disk holds it: the entries of a settled one are an array there, not text. */
const storedRecordSchema = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('run'), run, target: z.string(), fields: z.record(z.string(), z.string()) }),
    z.object({ kind: z.literal('added'), run, chunk: z.number().int() }),
    z.object({ kind: z.literal('intended'), run, rows: z.array(intentSchema) }),
    z.object({ kind: z.literal('withdrawn'), run, rows: z.array(markSchema) }),
    z.object({ kind: z.literal('settled'), run, entries: z.array(entrySchema) }),
    z.object({ kind: z.literal('unsettled'), run, rows: z.array(chunkRowSchema) }),
    z.object({ kind: z.literal('forgotten'), run }),
]);
const CRC_DIGITS = 8;
/** The form of the journals that this program writes, and the only one that it reads. */
export const JOURNAL_VERSION = 1;
const headSchema = z.object({ kind: z.literal('journal'), version: z.number().int() });
/** The first line of a file. */
export const HEAD_LINE = checked(JSON.stringify({ kind: 'journal', version: JOURNAL_VERSION }));
/** The version that a file's first line names, without its line feed; 0: it names none; `null`: it isn't what was written. */
export function versionOf(line) {
    const json = jsonOf(line);
    return json === null ? null : (headSchema.safeParse(parsed(json)).data?.version ?? 0);
}
/** The record's line: CRC-32 of the JSON text in 8 hexadecimal digits, a space, the JSON text, a line feed. */
export function encodeLine(record) {
    return checked(record.kind === 'settled' ? settledJson(record) : JSON.stringify(record));
}
function checked(json) {
    return `${checksum(json)} ${json}\n`;
}
/** The entries are JSON text already: to parse or to quote them would cost more than all the rest. */
function settledJson({ run, entries }) {
    const line = entries.includes('\n') ? JSON.stringify(JSON.parse(entries)) : entries;
    return `{"kind":"settled","run":${JSON.stringify(run)},"entries":${line}}`;
}
/** The record of a line without its line feed; `null` where it isn't what was written. */
export function decodeLine(line) {
    const json = jsonOf(line);
    return json === null ? null : (storedRecordSchema.safeParse(parsed(json)).data ?? null);
}
/** Every line's JSON text begins so, and has these characters nowhere else: within its texts quotes are escaped. */
const BEGINNING = '{"kind":"';
/**
 * Whether a last line without a line feed is one that a process was killed over, and that nobody was told of: not where it holds a second
 * line, or lacks nothing but its end. Then a line feed was changed behind a line that counts.
 */
export function isTorn(line) {
    return line.lastIndexOf(BEGINNING) <= CRC_DIGITS + 1 && jsonOf(line.slice(0, -1)) === null;
}
function jsonOf(line) {
    const json = line.slice(CRC_DIGITS + 1);
    if (line.charAt(CRC_DIGITS) !== ' ' || line.slice(0, CRC_DIGITS) !== checksum(json))
        return null;
    return json;
}
function parsed(json) {
    try {
        return JSON.parse(json);
    }
    catch {
        return null;
    }
}
function checksum(json) {
    return crc32(json).toString(16).padStart(CRC_DIGITS, '0');
}
//# sourceMappingURL=record.js.map