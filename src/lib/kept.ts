/**
 * Keeps what was found for a while, so that many who ask often cost one look: those who ask while it is looked share the look, and
 * trouble is not kept.
 */

export function kept<Found>(ms: number, look: () => Promise<Found>): () => Promise<Found> {
  let found: Promise<Found> | null = null;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (found !== null && performance.now() - at < ms) return found;
    at = performance.now();
    found = look();
    // Trouble is not kept.
    found.catch(() => {
      found = null;
    });
    return found;
  };
}
