import { Violation } from './checks.ts';

/** What was found wrong; `null`: nothing. Anything else that went wrong is thrown. */
export async function violationIn(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const violation = causeOf(error);
    if (violation === null) throw error;
    return violation.message;
  }
}

function causeOf(error: unknown): Violation | null {
  if (error instanceof Violation) return error;
  return error instanceof Error ? causeOf(error.cause) : null;
}
