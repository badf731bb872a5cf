/**
 * A run that was under way could not go on, for a reason that is not its own; the same command goes on with it, unless it
 * is lost. Apart from what throws it, since the command line tells it from other errors before any of that is loaded.
 */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
  readonly isLost: boolean;

  constructor(
    message: string,
    { isLost = false, cause }: { readonly isLost?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isLost = isLost;
  }
}
