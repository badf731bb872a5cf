/** A run that was under way could not be carried on, for a reason that is not its own; the same command goes on with it. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
}
