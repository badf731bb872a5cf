import { namesOf } from '../lib/json-pointer.ts';
import type { SourceInfo } from '../model/source.ts';
import { parseFieldPath } from './field-path.ts';
import type { FieldLookup } from './known-field.ts';

/** A list of objects in a file that is one object. */
export type RecordList = {
  readonly pointer: string;
  /** What the columns of everything in it begin with. */
  readonly column: string;
};

/** The lists where the records of a file that is one object probably are: those that are no field of the operation. */
export function recordLists(
  { recordLists: pointers = [] }: Pick<SourceInfo, 'recordLists'>,
  lookUp: FieldLookup,
): readonly RecordList[] {
  return pointers
    .map((pointer) => ({ pointer, column: namesOf(pointer).join('.') }))
    .filter(({ column }) => {
      const parsed = parseFieldPath(column);
      return parsed.kind === 'problem' || lookUp(parsed.path).kind === 'unknown';
    });
}

/** The list that a column is in, or `undefined`. */
export function listAround(column: string, lists: readonly RecordList[]): RecordList | undefined {
  return lists.find((list) => column.startsWith(`${list.column}.`));
}
