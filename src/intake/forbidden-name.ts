const FORBIDDEN = /(?:^|[.[\]])(?:__proto__|constructor|prototype)(?:$|[.[\]])/;

/** Whether a column or a member name has a segment that would reach an object's prototype instead of a field. */
export function isForbiddenName(name: string): boolean {
  return name.length >= '__proto__'.length && FORBIDDEN.test(name);
}
