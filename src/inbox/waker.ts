import { setTimeout as delay } from 'node:timers/promises';

/** What ends a wait: something may have changed in a folder, or a piece of work has ended. */
type Wake = 'look' | 'work';

/** Lets a loop wait for time or for news, whichever comes first; news that come while nobody waits end the next wait. */
export type Waker = {
  wake(why: Wake): void;
  /** Whether the next wait ends at once. */
  hasNews(): boolean;
  /** Answers what happened; nothing where the time ended it. */
  wait(ms: number): Promise<ReadonlySet<Wake>>;
};

export function createWaker(): Waker {
  let heard = new Set<Wake>();
  let ring = () => {};
  return {
    wake(why) {
      heard.add(why);
      ring();
    },
    hasNews: () => heard.size > 0,
    async wait(ms) {
      if (heard.size === 0) {
        const timer = new AbortController();
        const news = new Promise<void>((resolve) => {
          ring = resolve;
        });
        await Promise.race([news, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
        timer.abort();
      }
      const answer = heard;
      heard = new Set();
      return answer;
    },
  };
}
