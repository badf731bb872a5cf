/**
 * What the user has to correct before the program can start: usage, configuration, an unreadable
 * file, Redis. The message says what was wrong, what was expected and what to do; the exit status
 * is 3. Its text is bounded: a hostile header must not fill notes and logs.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The first problems, the number of omitted ones, and the last, which often says what to do. */
  readonly problems: readonly string[];
  readonly all: readonly Problem[];

  constructor(problems: string | readonly Problem[], options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [problems] : problems;
    const told = toldOf(all);
    super(told.join('\n'), options);
    this.problems = told;
    this.all = all;
  }
}

/** The same of what was begun; the exit status is 2. */
export class GivenUpError extends UsageError {}

/** As a function where finding the words takes long: only shown ones are found. */
type Problem = string | (() => string);

/** As many as a person corrects before the next try. */
export const MOST_PROBLEMS = 20;
const MOST_SIGNS = 2_000;
/** Behind a name that is too long stands what to do. */
const LAST_SIGNS = 500;

function toldOf(all: readonly Problem[]): readonly string[] {
  const left = all.length - MOST_PROBLEMS - 1;
  // "and 1 more" is no shorter than the line it replaces.
  if (left <= 1) return all.map(wordsOf);
  return [...all.slice(0, MOST_PROBLEMS).map(wordsOf), `and ${left} more`, ...all.slice(-1).map(wordsOf)];
}

function wordsOf(problem: Problem): string {
  const words = typeof problem === 'string' ? problem : problem();
  if (words.length <= MOST_SIGNS) return words;
  return `${words.slice(0, MOST_SIGNS - LAST_SIGNS)} … ${words.slice(-LAST_SIGNS)}`;
}
