import type { Severity } from '../../model/issue.ts';
import type { Binding } from '../binding.ts';
import type { Place } from '../column-place.ts';
import { stringConversion } from '../convert-string.ts';
import { addIssue, addWarning, type RowContext } from '../row-context.ts';
import { isIdentifierField } from './identifier-fields.ts';

/** Notes the cells of a workbook's row that hold a number where an identifier is meant; `numeric`: their positions. */
export type CheckNumbers = (numeric: readonly number[], context: RowContext) => void;

const EXPECTED =
  'text; the cell holds a number, which has no leading zeros and keeps only 15 digits, so the identifier may be another one: format the column as text and write it again';

/** Compiles the check of identifiers and of the key. */
export function compileNumberCells(
  about: { readonly bindings: readonly Binding[]; readonly key: Place | null },
  severity: Severity,
): CheckNumbers {
  if (severity === 'off') return () => undefined;
  const columns = identifierColumns(about);
  const add = severity === 'error' ? addIssue : addWarning;
  return (numeric, context) => {
    for (const slot of numeric) {
      const column = columns.get(slot);
      if (column === undefined) continue;
      add(context, { code: 'number_cell', column, value: context.values[slot], expected: EXPECTED });
    }
  };
}

function identifierColumns({
  bindings,
  key,
}: {
  readonly bindings: readonly Binding[];
  readonly key: Place | null;
}): ReadonlyMap<number, string> {
  const places = key === null ? [] : [key];
  return new Map([...bindings.flatMap(identifierPlace), ...places].map(({ slot, column }) => [slot, column]));
}

function identifierPlace(binding: Binding): readonly Place[] {
  if (binding.kind === 'reference') return [binding];
  const isText = binding.kind === 'cell' && binding.conversion === stringConversion;
  return isText && isIdentifierField(binding.path) ? [binding] : [];
}
