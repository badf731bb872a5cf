/**
 * The JSON object with one more member before its closing brace, on one line, and without an older member of that name.
 * A line break between two tokens becomes a space; all else stays as it is written.
 */
export function spliceMember(text, name, value) {
    const rest = withoutMember(oneLine(text), name);
    const brace = rest.lastIndexOf('}');
    const comma = membersOf(rest).length === 0 ? '' : ',';
    return `${rest.slice(0, brace)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${rest.slice(brace)}`;
}
/** JSON text without line breaks, so that it can stand in a file of one record per line: in strings they are escaped anyway. */
export function oneLine(json) {
    return json.replaceAll(/[\r\n]/g, ' ');
}
/** The places of the elements in a text that is one JSON array; throws on any other text. */
export function elementsOf(text) {
    const elements = [];
    readList(text, ['[', ']'], (start) => {
        const end = endOfValue(text, start);
        elements.push({ start, end });
        return end;
    });
    return elements;
}
function withoutMember(text, name) {
    const members = membersOf(text);
    const at = members.findIndex((member) => member.name === name);
    const member = members[at];
    if (member === undefined)
        return text;
    return withoutMember(cut(text, member, members[at + 1]), name);
}
/** The text without the member and one comma: the comma before it, or for the first member the one after it. */
function cut(text, member, next) {
    const start = member.comma ?? member.start;
    const commaAfter = next?.comma ?? null;
    const end = member.comma === null && commaAfter !== null ? commaAfter + 1 : member.end;
    return text.slice(0, start) + text.slice(end);
}
/** The places of the members in a text that is one JSON object; throws on any other text. */
function membersOf(text) {
    const members = [];
    readList(text, ['{', '}'], (start, comma) => {
        const nameEnd = endOfString(text, start);
        const colon = skipSpace(text, nameEnd);
        if (text[colon] !== ':')
            throw notJson(':', colon);
        const end = endOfValue(text, skipSpace(text, colon + 1));
        members.push({ name: String(JSON.parse(text.slice(start, nameEnd))), start, end, comma });
        return end;
    });
    return members;
}
function readList(text, [open, close], readItem) {
    let at = skipSpace(text, 0);
    if (text[at] !== open)
        throw notJson(open, at);
    at = skipSpace(text, at + 1);
    if (text[at] === close)
        return;
    for (let comma = null;; at = skipSpace(text, comma + 1)) {
        at = skipSpace(text, readItem(at, comma));
        if (text[at] === close)
            return;
        if (text[at] !== ',')
            throw notJson(`, or ${close}`, at);
        comma = at;
    }
}
function endOfValue(text, start) {
    const first = text.charAt(start);
    if (first === '"')
        return endOfString(text, start);
    return first === '{' || first === '[' ? endOfNested(text, start) : endOfScalar(text, start);
}
function endOfNested(text, start) {
    let depth = 0;
    for (let at = start; at < text.length; at += 1) {
        const c = text[at];
        if (c === '"')
            at = endOfString(text, at) - 1;
        else if (c === '{' || c === '[')
            depth += 1;
        else if (c === '}' || c === ']')
            depth -= 1;
        if (depth === 0)
            return at + 1;
    }
    throw notJson('} or ]', text.length);
}
function endOfString(text, start) {
    if (text[start] !== '"')
        throw notJson('"', start);
    for (let at = start + 1; at < text.length; at += 1) {
        const c = text[at];
        if (c === '\\')
            at += 1;
        else if (c === '"')
            return at + 1;
    }
    throw notJson('"', text.length);
}
function endOfScalar(text, start) {
    let at = start;
    while (!AFTER_SCALAR.has(text.charAt(at)))
        at += 1;
    if (at === start)
        throw notJson('a value', at);
    return at;
}
/** Everything that ends a number, `true`, `false` or `null`. */
const AFTER_SCALAR = new Set([',', '}', ']', ' ', '\t', '\n', '\r', '']);
function skipSpace(text, start) {
    let at = start;
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t')
        at += 1;
    return at;
}
/** A bug of the caller, since only valid JSON is given here. The message has no part of the text, which is personal data. */
function notJson(expected, at) {
    return new Error(`the text is not the JSON that was expected: no ${expected} at character ${at}`);
}
//# sourceMappingURL=json-text.js.map