/** A JSON object whose members are not known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object itself, or an empty one where the value is none. */
export function objectOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Reads the first of the JSON pointers (RFC 6901, through objects only) that leads to text that isn't empty, else `null`. */
export function textReader(pointers: readonly string[]): (value: unknown) => string | null {
  const paths = pointers.map((pointer) => pointer.split('/').slice(1).map(unescapeStep));
  return (value) => {
    for (const path of paths) {
      const found = textAt(value, path);
      if (found !== null) return found;
    }
    return null;
  };
}

function textAt(value: unknown, path: readonly string[]): string | null {
  let at = value;
  for (const step of path) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return null;
    at = at[step];
  }
  return typeof at === 'string' && at !== '' ? at : null;
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The sent object laid over the known one: objects member by member, all else (lists, null) as sent. */
export function merge(known: Members, sent: Members): Members {
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(sent)) {
    const before = merged.get(name);
    merged.set(name, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  // fromEntries defines own members, so a member called __proto__ stays a member.
  return Object.fromEntries(merged);
}

/** The value without its null members, at any depth: `null` is how a caller empties a field, whatever its type. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
