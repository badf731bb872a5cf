/** A clock that only the test moves, with pauses on it. */
export type VirtualTime = {
  now(): number;
  /** Resolves at its time, with true. */
  pause(ms: number): Promise<boolean>;
  /** Goes on until then, pause by pause, letting everything happen that is ready to. */
  goOn(untilMs: number): Promise<void>;
};

export function createVirtualTime(): VirtualTime {
  const pauses: Array<{ readonly at: number; readonly resolve: (goesOn: boolean) => void }> = [];
  let now = 0;
  return {
    now: () => now,
    pause: (ms) =>
      ms <= 0 ? Promise.resolve(true) : new Promise((resolve) => pauses.push({ at: now + ms, resolve })),
    async goOn(untilMs) {
      for (;;) {
        await settle();
        pauses.sort((a, b) => a.at - b.at);
        const next = pauses[0];
        if (next === undefined || next.at > untilMs) break;
        now = next.at;
        pauses.shift();
        next.resolve(true);
      }
      now = untilMs;
    },
  };
}

/** Whatever only waits for promises goes on. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
