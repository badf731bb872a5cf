/**
 * What the user has to correct before the program can start: usage, configuration, an unreadable file, Redis.
 * The message says what was wrong, what was expected and what to do; the command ends with exit status 3.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const list = typeof problems === 'string' ? [problems] : problems;
    super(list.join('\n'), options);
    this.problems = list;
  }
}
