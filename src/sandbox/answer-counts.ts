/** How many requests each route got which answer: route → status (or reset, close, hang, cut) → requests. */
export type AnswerCounts = {
  add(route: string, label: string): void;
  all(): Record<string, Record<string, number>>;
};

export function createAnswerCounts(): AnswerCounts {
  const routes = new Map<string, Map<string, number>>();
  return {
    add(route, label) {
      const labels = routes.get(route) ?? new Map<string, number>();
      labels.set(label, (labels.get(label) ?? 0) + 1);
      routes.set(route, labels);
    },
    all: () => Object.fromEntries([...routes].map(([route, labels]) => [route, Object.fromEntries(labels)])),
  };
}
