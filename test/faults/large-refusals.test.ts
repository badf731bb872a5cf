import { expect, test } from 'vitest';
import { largeRefusals } from './scenarios/large-refusals.ts';

// Memory is read from /proc.
test.runIf(process.platform === 'linux')(
  'refusals with large bodies take little memory: of each 64 KiB are kept, and how long the rest was',
  async () => {
    const { peakMb, kept } = await largeRefusals({ rows: 60, concurrency: 50, bodyBytes: 8_000_000 });
    expect(peakMb).toBeGreaterThan(0);
    expect(peakMb).toBeLessThan(300);
    expect(kept).toHaveLength(60);
    for (const { body, restBytes } of kept) {
      expect([body.length, restBytes]).toEqual([64 * 1024, 8_000_000 - 64 * 1024]);
    }
  },
);
