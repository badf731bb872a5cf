import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { messageOf } from '../lib/errors.js';
const IN_OUR_WORDS = new Map([
    ['MULTIPLE_DOCS', 'a second document begins here; expected one definition per file'],
    ['NON_STRING_KEY', 'expected the name of a setting, a plain word or text in quotes'],
]);
/** Reads one YAML 1.2 document of plain data. */
export function readDocument(text) {
    const lines = new LineCounter();
    const document = parseDocument(text, {
        lineCounter: lines,
        merge: false,
        prettyErrors: false,
        resolveKnownTags: false,
        stringKeys: true,
        uniqueKeys: false, // the library compares each name with every other one; here a set does
        version: '1.2',
    });
    const problems = [...syntaxProblems(document, lines), ...nameProblems(document, lines)];
    if (problems.length > 0)
        return { kind: 'problems', problems };
    try {
        const value = document.toJS({ maxAliasCount: 100 });
        JSON.stringify(value); // an alias inside its own anchor fails here, before anything walks in a circle
        return { kind: 'document', value, lineOf: (path) => lineOf(document, lines, path) };
    }
    catch (error) {
        const [reason = ''] = messageOf(error).split('\n');
        return { kind: 'problems', problems: [{ line: 1, problem: `expected plain settings: ${reason}` }] };
    }
}
function syntaxProblems(document, lines) {
    const problems = new Map();
    for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
        const { line } = lines.linePos(pos[0]);
        const problem = IN_OUR_WORDS.get(code) ?? message;
        problems.set(`${line} ${problem}`, { line, problem });
    }
    return [...problems.values()];
}
/** Names given twice, and a member named `__proto__`: schemas ignore one in silence. */
function nameProblems(document, lines) {
    const problems = [];
    visit(document, {
        Map: (_, { items }) => {
            const names = new Set();
            for (const key of items.map((item) => item.key).filter(isScalar)) {
                const problem = names.has(key.value) ? TWICE : key.value === '__proto__' ? PROTO : null;
                if (problem !== null)
                    problems.push({ line: lineAt(key, lines) ?? 1, problem });
                names.add(key.value);
            }
        },
    });
    return problems;
}
const PROTO = '"__proto__" is refused as a name';
const TWICE = 'this setting is written twice; expected it once';
function lineOf(document, lines, path) {
    let node = document.contents;
    let line = lineAt(node, lines) ?? 1;
    for (const segment of path) {
        const step = stepInto(document, node, segment);
        if (step === null)
            return line;
        line = lineAt(step.at, lines) ?? line;
        node = step.node;
    }
    return line;
}
function stepInto(document, parent, segment) {
    const node = isAlias(parent) ? parent.resolve(document) : parent;
    if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
        return pair === undefined ? null : { at: pair.key, node: pair.value };
    }
    if (!isSeq(node))
        return null;
    const item = node.items[Number(segment)];
    return item === undefined ? null : { at: item, node: item };
}
function lineAt(node, lines) {
    if (!isScalar(node) && !isMap(node) && !isSeq(node))
        return null;
    const [start] = node.range ?? [];
    return start === undefined ? null : lines.linePos(start).line;
}
//# sourceMappingURL=yaml-document.js.map