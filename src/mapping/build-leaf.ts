import type { JobDefinition } from '../config/job-definition.ts';
import type { JsonValue } from '../model/request.ts';
import type { Binding } from './binding.ts';
import { type Conversion, convert } from './conversion.ts';
import type { RowContext } from './row-context.ts';
import { addIssue } from './row-context.ts';
import { keyText } from './row-key.ts';

/** Makes one part of a row's body; `undefined`: the row has nothing for it. */
export type Build = (context: RowContext) => JsonValue | undefined;

type EmptyCell = JobDefinition['emptyCell'];

const REFERENCE = 'the key of another record, as text';

/** The part of the body that one binding fills. */
export function buildLeaf(binding: Binding, emptyCell: EmptyCell): Build {
  switch (binding.kind) {
    case 'cell':
      return buildCell(binding, emptyCell);
    case 'constant':
      return () => binding.value;
    case 'reference':
      return buildReference(binding, emptyCell);
    case 'member':
      return buildMember(binding, emptyCell);
    case 'container':
      return buildContainer(binding, emptyCell);
    default:
      return binding satisfies never;
  }
}

function buildCell(binding: Extract<Binding, { kind: 'cell' }>, emptyCell: EmptyCell): Build {
  const { slot, conversion, column } = binding;
  const empty = emptyCell === 'null' ? null : undefined;
  return (context) => {
    const value = context.values[slot];
    if (value === '' || value === null) return empty;
    if (value === undefined) return undefined;
    const isTyped = context.typed.includes(slot);
    const applied = isTyped ? (conversion.typed ?? conversion) : conversion;
    const converted = convert(applied, value);
    if (converted === null) return empty;
    context.filled += 1;
    if (converted === undefined) {
      const remedy = isTyped ? '' : remedyOf(applied, value);
      const expected = `${applied.expected}${remedy}`;
      addIssue(context, { code: 'cell_not_convertible', column, value, expected });
    }
    return converted;
  };
}

function remedyOf({ remedy }: Conversion, value: JsonValue): string {
  return typeof value === 'string' && remedy !== undefined ? remedy(value) : '';
}

/** Puts nothing into the body: the identifier comes when it is known. */
function buildReference(binding: Extract<Binding, { kind: 'reference' }>, emptyCell: EmptyCell): Build {
  const { path, column, slot, space } = binding;
  return (context) => {
    const value = context.values[slot];
    if (value === undefined) return undefined;
    if (value === '' || value === null) return emptyCell === 'null' ? null : undefined;
    context.filled += 1;
    const key = keyText(value);
    if (key !== null) context.references.push({ space, key, path, column });
    else addIssue(context, { code: 'cell_not_convertible', column, value, expected: REFERENCE });
    return undefined;
  };
}

function buildMember(binding: Extract<Binding, { kind: 'member' }>, emptyCell: EmptyCell): Build {
  return (context) => {
    const value = context.values[binding.slot];
    if (value === null) return emptyCell === 'null' ? null : undefined;
    if (value !== undefined) context.filled += 1;
    return value;
  };
}

/** An empty list says something (there are none); an empty object doesn't, but is passed on as it stands. */
function buildContainer(binding: Extract<Binding, { kind: 'container' }>, emptyCell: EmptyCell): Build {
  const { slot, shape, column } = binding;
  const expected = shape === 'list' ? 'a list of objects' : 'an object that holds the fields';
  return (context) => {
    const value = context.values[slot];
    if (value === undefined) return undefined;
    if (value === '' || value === null) return emptyCell === 'null' ? null : undefined;
    if (shape === 'object' && isEmptyObject(value)) return value;
    context.filled += 1;
    if (shape === 'list' && Array.isArray(value) && value.length === 0) return value;
    addIssue(context, { code: 'cell_not_convertible', column, value, expected });
    return undefined;
  };
}

function isEmptyObject(value: JsonValue): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
