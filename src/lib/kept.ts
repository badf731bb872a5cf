/** Shares a look: all who ask while it runs or soon after get the same result. */

export function kept<Found>(ms: number, look: () => Promise<Found>): () => Promise<Found> {
  let found: Promise<Found> | null = null;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (found !== null && performance.now() - at < ms) return found;
    at = performance.now();
    found = look();
    // Errors are not kept.
    found.catch(() => {
      found = null;
    });
    return found;
  };
}
