import type { Binding } from '../binding.ts';
import { formatFieldPath } from '../field-path.ts';
import type { BesideOf } from './cell-check.ts';

/** Finds what fills the field of that name in the same object as the binding's own field. */
export function createBeside(bindings: readonly Binding[]): (binding: Binding, name: string) => BesideOf {
  const byPlace = new Map(bindings.map((binding) => [formatFieldPath(binding.path), binding]));
  return ({ path }, name) => textOf(byPlace.get(formatFieldPath([...path.slice(0, -1), name])));
}

function textOf(binding: Binding | undefined): BesideOf {
  if (binding === undefined) return () => '';
  if (binding.kind === 'constant') return () => String(binding.value);
  return ({ values }) => {
    const value = values[binding.slot];
    return typeof value === 'string' ? value : '';
  };
}
