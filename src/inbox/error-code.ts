/** The system's code of an error, such as ENOENT; an empty text where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
