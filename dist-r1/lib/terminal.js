/**
 * What a person reads in a terminal: the two streams, tables and paragraphs of a width, counts, moments, and words that a
 * shell takes as they stand. All text leaves the process through the functions here, which let no sign through that acts
 * on a terminal or hides in it, whoever gave the name, cell or message that holds it; the progress bar alone, which is made
 * of numbers and this program's own words, is drawn past them.
 */
import { createInterface } from 'node:readline/promises';
/** Lines of results, for people or programs; a line break within one is spelled out, so that no name makes a line of its own. */
export function say(io, ...lines) {
    io.stdout.write(inLines(lines));
}
/** Lines about what is going on, apart from the results. */
export function tell(io, ...lines) {
    io.stderr.write(inLines(lines));
}
/** Whether a person at the terminal says yes; `null`: there is no terminal to ask at. An interruption is a no. */
export async function confirm(io, question) {
    const { stdin, stderr, interrupted } = io;
    if (stdin?.isTTY !== true || stderr.isTTY !== true)
        return null;
    const lines = createInterface({ input: stdin, output: stderr });
    try {
        // Ctrl-C at the question, and Ctrl-D, which ends the input without an answer.
        const ended = new Promise((resolve) => {
            lines.once('SIGINT', () => resolve(''));
            lines.once('close', () => resolve(''));
        });
        const asked = lines
            .question(`${printableLines(question)} [y/N] `, { signal: interrupted })
            .catch(() => '');
        return /^y(es)?$/i.test((await Promise.race([asked, ended])).trim());
    }
    finally {
        lines.close();
    }
}
const CLEAR_LINE = '\r\u001b[K';
/** Lines in the place of a progress bar, where there is one; the bar draws itself again below. */
export function tellOverBar(io, ...lines) {
    io.stderr.write((io.stderr.isTTY === true ? CLEAR_LINE : '') + inLines(lines));
}
/** A file's content on stdout: byte for byte into a file or a pipe, on a terminal as text that can't act on it. */
export function sayContent(io, content) {
    io.stdout.write(io.stdout.isTTY === true ? printableLines(Buffer.from(content).toString('utf8')) : content);
}
function inLines(lines) {
    return lines.map((line) => `${printable(line)}\n`).join('');
}
/** Text of several lines, each of them printable: for texts in which every line break is the program's own. */
export function printableLines(text) {
    return text.split('\n').map(printable).join('\n');
}
/**
 * C0, C1, DEL, signs that turn the direction of text or are not seen, separators of lines, and halves of characters: what
 * acts on a terminal, or makes a name look like another one.
 */
const UNSEEN = String.raw `\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');
/** Text that can't act on a terminal: such signs spelled out as JSON spells them, so that JSON stays the JSON it is. */
export function printable(text) {
    return text.replaceAll(EACH_UNSEEN, spelled);
}
const SHORT = new Map([
    ['\r', '\\r'],
    ['\n', '\\n'],
    ['\t', '\\t'],
]);
function spelled(sign) {
    const unit = (at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return SHORT.get(sign) ?? [...sign.split('').keys()].map(unit).join('');
}
/** At most `width` characters of printable text, the last of them `…` where some were left out. */
export function shorten(text, width) {
    // A character has at most two units, and spelled-out line ends only make the text longer.
    const characters = [...printable(text.slice(0, 2 * width + 2))];
    return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}
const GAP = '  ';
const MAX_CELL = 24;
/** Aligned columns in lines of at most `width` characters; columns that don't fit are counted in a last line. */
export function renderTable(head, body, width) {
    const table = [head, ...body].map((cells) => cells.map((cell) => shorten(cell, MAX_CELL)));
    const widths = fitting(head.map((_, column) => widest(table, column)), width);
    const lines = table.map((cells) => widths
        .map((w, column) => pad(cells[column] ?? '', w))
        .join(GAP)
        .trimEnd());
    const hidden = head.length - widths.length;
    return hidden === 0 ? lines : [...lines, `and ${hidden} more ${hidden === 1 ? 'column' : 'columns'}`];
}
function widest(table, column) {
    return table.reduce((most, cells) => Math.max(most, lengthOf(cells[column] ?? '')), 0);
}
/** The first widths that fit side by side, one at least. */
function fitting(widths, width) {
    let used = -GAP.length;
    const last = widths.findIndex((w) => {
        used += w + GAP.length;
        return used > width;
    });
    return last === -1 ? widths : widths.slice(0, Math.max(1, last));
}
function pad(cell, width) {
    return cell + ' '.repeat(width - lengthOf(cell));
}
function lengthOf(text) {
    return [...text].length;
}
/** Words as lines of at most `width` columns, all but the first indented; a longer word stays whole on a line of its own. */
export function wrap(words, { width, indent }) {
    const lines = [];
    let line = '';
    for (const word of words) {
        const longer = line === '' ? word : `${line} ${word}`;
        const room = width - (lines.length === 0 ? 0 : indent.length);
        if (line === '' || longer.length <= room)
            line = longer;
        else {
            lines.push(line);
            line = word;
        }
    }
    return [...lines, line].map((text, i) => (i === 0 ? text : indent + text));
}
/** A number with what it counts, for people: `1 row`, `2 rows`; a plural that isn't made by an `s` is given. */
export function countOf(n, one, many = `${one}s`) {
    return `${n} ${n === 1 ? one : many}`;
}
/** A moment for people, by the wall clock of a time zone: `2026-11-21 22:00 Europe/London`; with `seconds` to the second. */
export function shownTime(at, timeZone, { seconds = false } = {}) {
    // Sweden writes dates as ISO 8601 does.
    const clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone,
        dateStyle: 'short',
        timeStyle: seconds ? 'medium' : 'short',
    });
    return `${clock.format(at)} ${timeZone}`;
}
/**
 * The text as one word of a shell: in single quotes where a shell would split or expand it, and with the bytes of signs
 * that a terminal does not show in octal, which bash, zsh, ksh and POSIX (since 2024) read back within `$'…'`.
 */
export function shellWord(text) {
    if (SOME_UNSEEN.test(text))
        return `$'${text.replaceAll(FOR_OCTAL, octal)}'`;
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
const SOME_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
/** Also what ends such a word or means something else in it, and `!`, which an interactive shell replaces. */
const FOR_OCTAL = new RegExp(String.raw `[${UNSEEN}'\\!]`, 'gu');
function octal(sign) {
    return [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
//# sourceMappingURL=terminal.js.map