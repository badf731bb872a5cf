import type { Finders } from './bind-columns.ts';
import { bindColumns } from './bind-columns.ts';
import { bindDefinition } from './bind-definition.ts';
import type { Binding } from './binding.ts';
import { formatFieldPath } from './field-path.ts';
import type { MappingOptions } from './mapping-options.ts';

/**
 * Everything that fills a field: the definition's `fields` and the headers that are field paths.
 * A field that the definition takes from the key column is taken from its own column where the file has that.
 */
export function bindFields(
  options: MappingOptions,
  finders: Finders,
  problems: string[],
): readonly Binding[] {
  const defined = byPlace(bindDefinition(options, finders, problems));
  const own = byPlace(bindColumns(options, finders, problems));
  const key = keyColumn(options, finders);
  return [
    ...defined.filter(({ place, column }) => {
      const others = own.filter((o) => o.place === place);
      return column !== key || others.length === 0 || others.some((o) => o.column === column);
    }),
    ...own.filter(({ place, column }) => !defined.some((d) => d.place === place && d.column === column)),
  ].map(({ binding }) => binding);
}

/** The key column as the file names it. */
function keyColumn({ definition: { key } }: MappingOptions, { find }: Finders): string | undefined {
  const found = key === undefined ? null : find(key);
  return found?.kind === 'found' ? found.column : key;
}

type Placed = { readonly place: string; readonly column: string | null; readonly binding: Binding };

function byPlace(bindings: readonly Binding[]): readonly Placed[] {
  return bindings.map((binding) => ({
    place: formatFieldPath(binding.path),
    column: binding.kind === 'constant' ? null : binding.column,
    binding,
  }));
}
