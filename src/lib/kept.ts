/** Shares looks: all who ask while one runs, or soon after, get its result. Errors are not kept. */
import { createRecentMap } from './recent.ts';

/** For `ms` after a look has ended; of the `most` latest names. */
export function createKept<Found>(ms: number, most: number) {
  const looks = createRecentMap<string, { readonly found: Promise<Found>; until: number }>(most);
  return (name: string, look: () => Promise<Found>): Promise<Found> => {
    const known = looks.get(name);
    if (known !== undefined && performance.now() < known.until) return known.found;
    const one = { found: look(), until: Number.POSITIVE_INFINITY };
    looks.set(name, one);
    one.found.then(
      () => {
        one.until = performance.now() + ms;
      },
      () => looks.delete(name),
    );
    return one.found;
  };
}

export function kept<Found>(ms: number, look: () => Promise<Found>): () => Promise<Found> {
  const keep = createKept<Found>(ms, 1);
  return () => keep('', look);
}
