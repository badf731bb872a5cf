/** A bounded number of places, first come, first served. */
type Semaphore = {
  /** Resolves when a place is free; call the returned function once to give it back. */
  acquire(): Promise<() => void>;
};

export function createSemaphore(places: number): Semaphore {
  const waiting: Array<() => void> = [];
  let free = places;

  const release = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const place = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      release();
    };
  };

  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return place();
    },
  };
}
