import type { Binding } from './binding.ts';
import { convert } from './conversion.ts';
import type { RowContext } from './row-context.ts';
import { addIssue } from './row-context.ts';

/** The identifier for the path, or `null` where the row has none; what is wrong with it becomes an issue. */
export type PathIdOf = (context: RowContext) => string | null;

/** Percent-encoding leaves dots alone and can't write half a surrogate pair; control characters only come from damage. */
const UNFIT = /^\.{1,2}$|[\p{Cc}\p{Cs}]/u;
const FIT = 'an identifier that can stand in a path: not "." or "..", and no control characters';

/** Compiles the reading of the path's identifier; without a binding no row has one. */
export function compilePathId(binding: Binding | null, field: string, needed: boolean): PathIdOf {
  const column = binding === null || binding.kind === 'constant' ? field : binding.column;
  const expected = `an identifier: it fills {${field}} in the request's path`;
  return (context) => {
    const id = idOf(binding, context);
    if (id === undefined) return null;
    if (id !== '' && !UNFIT.test(id)) return id;
    if (id !== '') addIssue(context, { code: 'bad_path_id', column, value: id, expected: FIT });
    else if (needed) addIssue(context, { code: 'missing_required', column, value: undefined, expected });
    return null;
  };
}

/** Empty where the row has none, `undefined` where an issue says why it can't be read. */
function idOf(binding: Binding | null, context: RowContext): string | undefined {
  if (binding === null) return '';
  if (binding.kind === 'constant') return String(binding.value);
  if (binding.kind !== 'cell') return '';
  const { slot, conversion, column } = binding;
  const value = context.values[slot];
  const id = value === undefined ? null : convert(conversion, value);
  if (id === null) return '';
  if (typeof id === 'string') return id;
  addIssue(context, { code: 'cell_not_convertible', column, value, expected: conversion.expected });
  return undefined;
}
