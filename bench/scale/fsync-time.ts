import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../stats.ts';

const WRITES = 200;
/** About what the intents of a moment take in the journal. */
const WRITE_BYTES = 4_096;

/** How long a small append takes to reach the disk of a folder, median, µs. */
export async function fsyncMicros(folder: string): Promise<number> {
  const file = await open(join(folder, 'fsync'), 'w');
  const block = Buffer.alloc(WRITE_BYTES, 1);
  const times: number[] = [];
  try {
    for (let n = 0; n < WRITES; n += 1) {
      const from = performance.now();
      await file.write(block);
      await file.datasync();
      times.push((performance.now() - from) * 1000);
    }
  } finally {
    await file.close();
  }
  return median(times);
}
