/** Closes what was opened, last first; safe to call twice, and tries all. */
export type Releasers = ReturnType<typeof createReleasers>;

/** `onTrouble` gets what could not be closed; without it `release` throws. */
export function createReleasers(onTrouble?: (error: unknown) => void) {
  const stack: Array<() => Promise<void> | void> = [];
  let running: Promise<void> | null = null;

  const releaseAll = async () => {
    const errors: unknown[] = [];
    const tell = onTrouble ?? ((error: unknown) => void errors.push(error));
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      try {
        await next();
      } catch (error) {
        tell(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'some parts could not be closed');
  };

  return {
    push: (release: () => Promise<void> | void) => void stack.push(release),
    release: () => {
      running ??= releaseAll();
      return running;
    },
  };
}
