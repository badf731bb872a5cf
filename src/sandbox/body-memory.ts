/** The bodies of the most recent subclients as JSON text, by identifier; older ones are forgotten. */
export type BodyMemory = {
  get(id: string): string | null;
  set(id: string, body: string): void;
};

/** Holds at most `limit` bodies, so that a load test's millions don't stay in memory. */
export function createBodyMemory(limit: number): BodyMemory {
  const bodies = new Map<string, string>();
  return {
    get: (id) => bodies.get(id) ?? null,
    set(id, body) {
      // Deleted first, so that it becomes the youngest: a Map iterates in insertion order.
      bodies.delete(id);
      bodies.set(id, body);
      if (bodies.size <= limit) return;
      for (const oldest of bodies.keys()) {
        bodies.delete(oldest);
        return;
      }
    },
  };
}
