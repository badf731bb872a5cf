/** Which segments hold something of which runs: decides what can be deleted. */
export type SegmentIndex = {
  opened(segment: number): void;
  told(segment: number, run: string): void;
  /** Nothing before this is kept of the run; that this was said stands in `segment`. */
  forgotten(segment: number, run: string): void;
  /** Nothing is kept of any run. */
  isIdle(): boolean;
  /** Whether something is kept of a run in the segment. */
  isNeeded(segment: number): boolean;
  /** Segments, other than the one being written, that can be deleted now, all at once. */
  deletable(current: number | null): readonly number[];
  deleted(segment: number): void;
};

type Held = {
  /** Runs of which the segment holds something that is to be kept. */
  readonly live: Set<string>;
  /** Runs of which it holds anything. */
  readonly mentioned: Set<string>;
  /** Runs of which it says that what came before is forgotten. */
  readonly forgotten: Set<string>;
};

export function createSegmentIndex(): SegmentIndex {
  const segments = new Map<number, Held>();
  const held = (segment: number): Held => {
    const known = segments.get(segment) ?? { live: new Set(), mentioned: new Set(), forgotten: new Set() };
    segments.set(segment, known);
    return known;
  };
  const isNeeded = (segment: number) => (segments.get(segment)?.live.size ?? 0) > 0;
  /** Without that word an earlier segment's records of the run would be taken for true. */
  const guardsEarlier = (segment: number, { forgotten }: Held) =>
    [...segments].some(
      ([other, { mentioned }]) => other < segment && [...forgotten].some((run) => mentioned.has(run)),
    );

  return {
    opened: (segment) => void held(segment),
    told(segment, run) {
      const { live, mentioned } = held(segment);
      live.add(run);
      mentioned.add(run);
    },
    forgotten(segment, run) {
      for (const { live } of segments.values()) live.delete(run);
      held(segment).forgotten.add(run);
    },
    isIdle: () => [...segments.values()].every(({ live }) => live.size === 0),
    isNeeded,
    deletable: (current) =>
      [...segments]
        .filter(([segment, h]) => segment !== current && !isNeeded(segment) && !guardsEarlier(segment, h))
        .map(([segment]) => segment),
    deleted: (segment) => void segments.delete(segment),
  };
}
