/** Code and message of whatever was thrown. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error));
}

/** For `catch`: `value` for an error with one of these codes. */
export function insteadOf<T>(codes: string | readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (hasCode(error, ...[codes].flat())) return value;
    throw error;
  };
}

/** What `read` answers, or else, where it throws. */
export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
