/**
 * What people change most of a job definition, as the inputs of a form over its text. Only what
 * differs from the text is written, into the text itself: its comments, its order and all that the
 * form doesn't show stay. Pure.
 */
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { writtenIn } from '../../config/job-change.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { isJsonList, isJsonObject, memberOf } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';

/** `scalar`: a number or yes and no as such; `lines`: a line each; `pairs`: a line each, with =. */
type Shape = 'text' | 'scalar' | 'lines' | 'pairs';

/** Of a field. */
export const PARTS = [
  { part: 'column', shape: 'text' },
  { part: 'pattern', shape: 'lines' },
  { part: 'default', shape: 'scalar' },
  { part: 'values', shape: 'pairs' },
] as const satisfies readonly { readonly part: string; readonly shape: Shape }[];
type Part = (typeof PARTS)[number]['part'];

export const SETTINGS = [
  { name: 'required', shape: 'lines' },
  { name: 'ignore', shape: 'lines' },
  { name: 'onKnownKey', shape: 'text' },
  { name: 'stopAfter', shape: 'scalar' },
  { name: 'send.rate', shape: 'text' },
  { name: 'send.concurrency', shape: 'scalar' },
  { name: 'send.timeoutSeconds', shape: 'scalar' },
] as const satisfies readonly { readonly name: string; readonly shape: Shape }[];
type FormSetting = (typeof SETTINGS)[number];

/** Lines of the form that are empty at first. */
export const NEW_FIELDS = 2;

export type FormField = {
  readonly field: string;
  /** As the form shows them; `null`: such as it is, it stands in the text alone. */
  readonly parts: ReadonlyMap<Part, string> | null;
};

export function fieldsIn(text: string): readonly FormField[] {
  const { fields } = writtenIn(text);
  if (!isJsonObject(fields)) return [];
  return Object.entries(fields).map(([field, source]) => ({ field, parts: partsOf(source) }));
}

function partsOf(source: JsonValue): FormField['parts'] {
  const whole: JsonObject = isJsonObject(source) ? source : { column: source };
  if (typeof whole.column !== 'string') return null;
  return new Map(PARTS.map(({ part, shape }) => [part, shownAs(shape, whole[part])]));
}

export function settingIn(text: string, { name, shape }: FormSetting): string {
  let value: JsonValue | undefined = writtenIn(text);
  for (const segment of name.split('.')) value = memberOf(value, segment);
  return shownAs(shape, value);
}

/** `inputOf`: what came for an input; `null`: the form hadn't it. */
export function changedText(text: string, inputOf: (name: string) => string | null): string {
  const document = parseDocument(text, READING);
  let isChanged = false;
  const take = (name: string, was: string, put: (given: string) => void) => {
    const given = inputOf(name)?.replaceAll('\r\n', '\n').trim() ?? was.trim();
    if (given === was.trim()) return;
    isChanged = true;
    try {
      put(given);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      // An alias of YAML: what it stands for may be elsewhere too.
      throw new UsageError(`${name} is said elsewhere in the text: change it there.`, { cause: error });
    }
  };
  for (const { field, parts } of fieldsIn(text)) {
    if (parts === null) continue;
    // Without a column it goes, whatever else is said of it.
    const isGone = inputOf(`column/${field}`)?.trim() === '';
    for (const { part, shape } of isGone ? PARTS.slice(0, 1) : PARTS)
      take(`${part}/${field}`, parts.get(part) ?? '', (given) => {
        writePart(document, { field, part, value: givenAs(shape, given, `${part} of ${field}`) });
      });
  }
  for (const setting of SETTINGS)
    take(setting.name, settingIn(text, setting), (given) => {
      write(document, setting.name.split('.'), givenAs(setting.shape, given, setting.name));
    });
  for (let i = 0; i < NEW_FIELDS; i += 1)
    take(`field/${i}`, '', (field) => addField(document, field, inputOf(`new/${i}`)?.trim() ?? ''));
  return isChanged ? document.toString({ lineWidth: 0 }) : text;
}

/** As definitions are read. */
const READING = {
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false,
  version: '1.2',
} as const;

type PartChange = {
  readonly field: string;
  readonly part: Part;
  /** `undefined`: it is taken out. */
  readonly value: JsonValue | undefined;
};

function writePart(document: Document, { field, part, value }: PartChange): void {
  const path = ['fields', field];
  const node = document.getIn(path, true);
  if (part === 'column' && value === undefined) document.deleteIn(path);
  else if (!isScalar(node)) write(document, [...path, part], value);
  else if (part === 'column') node.value = value;
  else if (value !== undefined) {
    const whole = document.createNode({ column: node.value, [part]: value }, { flow: true });
    if (typeof node.comment === 'string') whole.comment = node.comment;
    document.setIn(path, whole);
  }
}

function addField(document: Document, field: string, column: string): void {
  if (column === '' || document.hasIn(['fields', field]))
    throw new UsageError(`${field}: expected a field that isn't there yet, and its column.`);
  document.setIn(['fields', field], column);
  const ignored = document.get('ignore');
  if (isSeq(ignored)) ignored.items = ignored.items.filter((one) => !isScalar(one) || one.value !== column);
}

/** What stays of a list or a map keeps its comments. */
function write(document: Document, path: readonly string[], value: JsonValue | undefined): void {
  const node = document.getIn(path, true);
  if (value === undefined) document.deleteIn(path);
  else if (isSeq(node) && isJsonList(value)) {
    const had = node.items;
    const nodeOf = (one: JsonValue) =>
      had.find((item) => isScalar(item) && item.value === one) ?? document.createNode(one);
    node.items = value.map(nodeOf);
  } else if (isMap(node) && isJsonObject(value)) {
    const names = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
    for (const name of names.filter((one) => !Object.hasOwn(value, one))) node.delete(name);
    for (const [name, one] of Object.entries(value)) node.set(name, one);
  } else if (typeof value !== 'object') document.setIn(path, value);
  else document.setIn(path, document.createNode(value, { flow: true }));
}

function shownAs(shape: Shape, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (shape === 'pairs') return isJsonObject(value) ? shownPairs(value) : '';
  return [value]
    .flat()
    .map(shape === 'scalar' ? shownScalar : String)
    .join('\n');
}

function shownPairs(values: JsonObject): string {
  return Object.entries(values)
    .map(([cell, meant]) => `${shownCell(cell)} = ${meant === null ? '' : shownScalar(meant)}`)
    .map((line) => line.trim())
    .join('\n');
}

/** `undefined`: nothing. */
function givenAs(shape: Shape, given: string, name: string): JsonValue | undefined {
  if (given === '') return undefined;
  if (shape === 'text') return given;
  if (shape === 'scalar') return scalarIn(given);
  const lines = given.split('\n').map((line) => line.trim());
  const filled = lines.filter((line) => line !== '');
  if (shape === 'pairs') return Object.fromEntries(filled.map((line) => pairIn(line, name)));
  return name.startsWith('pattern') && filled.length === 1 ? filled[0] : filled;
}

const PAIR = /^("(?:[^"\\]|\\.)*"|[^=]*?)\s*=\s*(.*)$/;

function pairIn(line: string, name: string): readonly [string, JsonValue] {
  const [, cell, meant = ''] = PAIR.exec(line) ?? [];
  if (cell === undefined)
    throw new UsageError(`${name}: expected a line such as Y = true, got ${JSON.stringify(line)}.`);
  return [quoted(cell) ?? cell, meant === '' ? null : scalarIn(meant)];
}

/** What would be read as something else stands in quotes. */
function shownCell(cell: string): string {
  const isPlain = cell.trim() === cell && !/^"|[=\n]/.test(cell);
  return isPlain ? cell : JSON.stringify(cell);
}

function shownScalar(value: JsonValue): string {
  const text = String(value);
  const isPlain = scalarIn(text) === value && /^\S(?:.*\S)?$/.test(text);
  return isPlain ? text : JSON.stringify(value);
}

/** A number only where nothing of it would be lost. */
function scalarIn(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  return quoted(text) ?? text;
}

/** `null`: it is no text in quotes. */
function quoted(text: string): string | null {
  if (!text.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
