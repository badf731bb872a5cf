/**
 * YAML as plain data, with the line of every value. What could mean something else than it looks
 * like is refused: names given twice, own tags, a second document, aliases that grow or lead in a
 * circle.
 */
import type { Document, ErrorCode, Node, ParsedNode } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { messageOf } from '../lib/errors.ts';

export type DocumentPath = readonly PropertyKey[];

type ReadDocument =
  | {
      readonly kind: 'document';
      readonly value: unknown;
      /** Of the value at a path, or the nearest place above it. The first line is 1. */
      lineOf(path: DocumentPath): number;
    }
  | { readonly kind: 'problems'; readonly problems: readonly YamlProblem[] };

type YamlProblem = { readonly line: number; readonly problem: string };

const IN_OUR_WORDS: ReadonlyMap<ErrorCode, string> = new Map([
  ['MULTIPLE_DOCS', 'a second document begins here; expected one definition per file'],
  ['NON_STRING_KEY', 'expected the name of a setting, a plain word or text in quotes'],
]);

export function readDocument(text: string): ReadDocument {
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
  if (problems.length > 0) return { kind: 'problems', problems };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    JSON.stringify(value); // an alias inside its own anchor fails here, before anything walks in a circle
    return { kind: 'document', value, lineOf: (path) => lineOf(document, lines, path) };
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    return { kind: 'problems', problems: [{ line: 1, problem: `expected plain settings: ${reason}` }] };
  }
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): readonly YamlProblem[] {
  const problems = new Map<string, YamlProblem>();
  for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
    const { line } = lines.linePos(pos[0]);
    const problem = IN_OUR_WORDS.get(code) ?? message;
    problems.set(`${line} ${problem}`, { line, problem });
  }
  return [...problems.values()];
}

/** Names given twice, and a member named `__proto__`: schemas ignore one in silence. */
function nameProblems(document: Document.Parsed, lines: LineCounter): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<unknown>();
      for (const key of items.map((item) => item.key).filter(isScalar)) {
        const problem = nameProblem(key.value, names);
        if (problem !== null) problems.push({ line: lineAt(key, lines) ?? 1, problem });
        names.add(key.value);
      }
    },
  });
  return problems;
}

function nameProblem(name: unknown, before: ReadonlySet<unknown>): string | null {
  if (before.has(name)) return TWICE;
  return name === '__proto__' ? PROTO : null;
}

const PROTO = '"__proto__" is refused as a name';
const TWICE = 'this setting is written twice; expected it once';

function lineOf(document: Document.Parsed, lines: LineCounter, path: DocumentPath): number {
  let node: Node | null = document.contents;
  let line = lineAt(node, lines) ?? 1;
  for (const segment of path) {
    const step: Step | null = stepInto(document, node, segment);
    if (step === null) return line;
    line = lineAt(step.at, lines) ?? line;
    node = step.node;
  }
  return line;
}

type Step = { readonly at: unknown; readonly node: Node | null };

function stepInto(document: Document.Parsed, parent: Node | null, segment: PropertyKey): Step | null {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap<unknown, ParsedNode | null>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
    return pair === undefined ? null : { at: pair.key, node: pair.value };
  }
  if (!isSeq<ParsedNode>(node)) return null;
  const item = node.items[Number(segment)];
  return item === undefined ? null : { at: item, node: item };
}

function lineAt(node: unknown, lines: LineCounter): number | null {
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const [start] = node.range ?? [];
  return start === undefined ? null : lines.linePos(start).line;
}
