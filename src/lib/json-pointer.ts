/** JSON pointers (RFC 6901), by which job definitions name places in JSON. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/** RFC 6901, 3: `''`, or names that each follow a `/`. */
export function isJsonPointer(text: string): boolean {
  return POINTER.test(text);
}

/** RFC 6901, 4; `undefined`: there is no such value. */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce<unknown>(step, value);
}

/** Without escapes. */
export function namesOf(pointer: string): readonly string[] {
  const names = pointer.split('/').slice(1);
  // `~1` first: `~01` spells `~1`, and the other way round it would become a slash.
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function step(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
