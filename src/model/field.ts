/** The JSON type of a request field as service-api.md, section 2, gives it. */
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
 * Every field that an operation's request can carry: path → type. A list of objects appears as `name.#`,
 * for example `accounts.#.iban`; `string-list` fields can be addressed whole or by index.
 * `object` marks a member whose contents are not shown: only JSON input can fill it, and it is passed through.
 */
export type FieldCatalog = ReadonlyMap<string, FieldType>;
