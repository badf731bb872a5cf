/** `true` and `false` as names are words of YAML. */
export function settingName(name: string): string {
  return name === 'true' || name === 'false' ? `"${name}"` : name;
}

/** A setting's value on one line. */
export function settingValue(value: unknown): string {
  return Array.isArray(value) ? flow(value.map(String)) : scalar(String(value));
}

/** A list on one line. */
export function flow(values: readonly string[]): string {
  return `[${values.map(scalar).join(', ')}]`;
}

const PLAIN = /^[A-Za-z][\w./]*(?: [\w./]+)*$/;
/** What YAML, in one version or another, takes for something else than text. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Text as a YAML scalar on one line: JSON's strings are YAML's, too. */
export function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.has(text.toLowerCase()) ? text : quoted(text);
}

/** Text on one line, whatever it holds. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
