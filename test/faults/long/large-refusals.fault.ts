import { expect, test } from 'vitest';
import { largeRefusals } from '../scenarios/large-refusals.ts';

test('300 refusals with bodies of 8 MB, 50 at a time, take less than 300 MB', async () => {
  const { peakMb, kept } = await largeRefusals({ rows: 300, concurrency: 50, bodyBytes: 8_000_000 });
  expect(kept).toHaveLength(300);
  expect(peakMb).toBeLessThan(300);
});
