import type { ReferenceSpace } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import type { Conversion } from './conversion.ts';
import type { FieldPath } from './field-path.ts';

/** What fills one place of the body. `slot` is where a row's values hold the column's value. */
export type Binding =
  | {
      readonly kind: 'cell';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly conversion: Conversion;
    }
  | { readonly kind: 'constant'; readonly path: FieldPath; readonly value: JsonValue }
  /** The cell is the key of another record, whose identifier the field takes later. */
  | {
      readonly kind: 'reference';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly space: ReferenceSpace;
    }
  /** JSON only: a member whose contents are not shown, passed through as it stands. */
  | { readonly kind: 'member'; readonly path: FieldPath; readonly column: string; readonly slot: number }
  /** JSON only: an object or a list that some record leaves empty or null. */
  | {
      readonly kind: 'container';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly shape: 'object' | 'list';
    };

/** What fills a field, for a message: `column "Country"` or `a constant`. */
export function describeBinding(binding: Binding): string {
  return binding.kind === 'constant' ? 'a constant' : `column "${binding.column}"`;
}
