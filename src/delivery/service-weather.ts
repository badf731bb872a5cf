/** What a process has lately seen of the service: whether others get through, and since when nobody does. */
export type ServiceWeather = {
  /** A definite answer came. */
  answered(): void;
  /** An attempt ended without one, in a way that may pass. */
  stumbled(): void;
  /** Whether a definite answer came since the given time (ms). */
  answeredSince(time: number): boolean;
  /** Milliseconds since the first stumble that no answer has followed; 0 in good weather. */
  awayFor(): number;
};

export function createServiceWeather(now: () => number): ServiceWeather {
  let lastAnswer = Number.NEGATIVE_INFINITY;
  let awaySince: number | null = null;
  return {
    answered() {
      lastAnswer = now();
      awaySince = null;
    },
    stumbled() {
      awaySince ??= now();
    },
    answeredSince: (time) => lastAnswer >= time,
    awayFor: () => (awaySince === null ? 0 : now() - awaySince),
  };
}
