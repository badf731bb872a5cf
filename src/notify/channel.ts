/** A way to tell somebody of events, and what is done where it fails: how long until the next try, and how many there are. */

/** What a try came to. `off`: nobody wants to be told there any more. */
export type Told =
  | { readonly kind: 'told' }
  | {
      readonly kind: 'failed';
      /** In words, for the log: without the event and without a secret. */
      readonly why: string;
      /** What the receiver asked for, ms; `null`: nothing. */
      readonly afterMs: number | null;
    }
  | { readonly kind: 'off'; readonly why: string };

/** An event as a channel is given it. */
export type Message = { readonly id: string; readonly body: string };

export type Channel = {
  readonly name: 'webhook' | 'command';
  /** Never rejects. */
  tell(message: Message): Promise<Told>;
  /** The pause before each further try, ms; after the last of them the event is given up. */
  readonly pausesMs: readonly number[];
  /** For longer than a try takes. */
  readonly leaseMs: number;
};

const SPREAD = 0.2;

/** How long to wait after so many failed tries, spread so that many events don't come at once; `null`: it is given up. */
export function pauseAfter(
  { pausesMs }: Pick<Channel, 'pausesMs'>,
  tries: number,
  { afterMs, random }: { readonly afterMs: number | null; readonly random: () => number },
): number | null {
  const pause = pausesMs[tries - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 + SPREAD * (2 * random() - 1));
  return Math.max(spread, Math.min(afterMs ?? 0, LONGEST_MS));
}

const LONGEST_MS = 86_400_000;
