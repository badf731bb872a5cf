/**
 * A run could not go on for a reason that is not its own; the same command goes on with it, unless
 * it is lost. In a file of its own: the command line knows it before anything else is loaded.
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
