/**
 * What a mapping is to its users: a row in, a request body or the row's issues out. Also the type
 * of each field that an operation's request can carry.
 */

import type { IsRight, Issue } from './issue.ts';
import type { KeyForm } from './key-form.ts';
import type { JsonObject } from './request.ts';
import type { Row } from './row.ts';

export type Mapped =
  | {
      readonly kind: 'mapped';
      /** `{}` for a call without a body. */
      readonly body: JsonObject;
      /** Fills `{id}` or `{paymentId}` of the path, not yet encoded; `null`: there is none. */
      readonly pathId: string | null;
      /** What looks damaged and is sent all the same. */
      readonly warnings: readonly Issue[];
      /** Keys whose ids have yet to be put into the body. */
      readonly references: readonly Reference[];
    }
  | {
      readonly kind: 'issues';
      /** Never empty. */
      readonly issues: readonly Issue[];
    };

export type GroupMapped =
  | {
      readonly kind: 'mapped';
      readonly body: JsonObject;
      readonly pathId: string | null;
      /** By row number; rows without warnings are absent. */
      readonly warnings: ReadonlyMap<number, readonly Issue[]>;
      readonly references: readonly Reference[];
    }
  /** By row number, with an entry for every row. */
  | { readonly kind: 'issues'; readonly issues: ReadonlyMap<number, readonly Issue[]> };

/** A field of the body for the id of the record created under a key. */
export type Reference = {
  readonly space: ReferenceSpace;
  readonly key: string;
  /** How the job compares keys. */
  readonly form?: KeyForm;
  /** Where the identifier goes: the members from the body down. */
  readonly path: readonly (string | number)[];
  readonly column: string;
};

export type ReferenceSpace = 'subclient' | 'counterparty';

/** Compiled against one file's columns: pure, and safe to call in any order. */
export type Mapping = {
  /** False: a row that creates a record is known by its content. */
  readonly hasKey: boolean;
  readonly keyForm: KeyForm;
  /** The body's fields that columns fill, from the body down; a list is one field. */
  readonly fields: ReadonlyArray<readonly string[]>;
  /** What of the file is not sent and why, for people; no cell values. */
  readonly notes: readonly string[];
  /** As the row has it; `null` where it has none, or where it can't be read. Never empty. */
  keyOf(row: Row): string | null;
  /** What rows of one request have in common: their key's identity. Of totals lines, their word. */
  groupOf(row: Row): string | null;
  map(row: Row): Mapped;
  /** Required fields are asked of the rows of a group as a whole. */
  mapGroup(rows: readonly Row[]): GroupMapped;
  /**
   * Of rows of one request the payee's name and accounts alone, whatever else is wrong with them; a
   * fraction of mapping them. `null`: these can't be read.
   */
  payeeOf(rows: readonly Row[]): JsonObject | null;
};

export type FileMapping = Mapping & {
  /** The same, where somebody has said of cells that look damaged that they are right. */
  lifting(isRight: IsRight): FileMapping;
};

/** A request field's JSON type, from the service's document. */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'date-time'
  | 'country'
  | 'string-list'
  | 'object';

/**
 * Every field of an operation's request: path → type. A list of objects is `name.#`, such as
 * `accounts.#.iban`; `string-list` fields are set whole or by index. `object` is a member whose
 * contents are not shown: only JSON input fills it, and it is passed through.
 */
export type FieldCatalog = ReadonlyMap<string, FieldType>;
