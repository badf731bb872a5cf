/** A bounded number of places, first come, first served. */
export function createSemaphore(places: number) {
  const waiting: Array<() => void> = [];
  let free = places;

  const release = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    /** Gives the place back; to be called once. */
    async acquire(): Promise<() => void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  };
}
