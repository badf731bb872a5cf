import { someResults } from '../some-results.ts';
import type { ScaleResults, Together } from './scale-results.ts';

/** Results of a measurement that never ran: a machine with cores for four workers. */
export function someScale(): ScaleResults {
  return {
    measuredAt: '2026-01-02T03:04:05.000Z',
    command: 'npm run bench -- --scale --write',
    machine: someResults().machine,
    together: [some(1, 1_000), some(2, 2_000), some(4, 4_000), some(8, 4_500)],
    busy: { rows: 100_000, rowsPerSecond: 10_000, perRow: { commands: 5, scripts: 0.1, redisMicros: 40 } },
    clientCommandsPerRow: 0.7,
    beats: [
      { members: 10, commands: 17, redisMicros: 100, lookMicros: 200 },
      { members: 1_000, commands: 1_007, redisMicros: 2_080, lookMicros: 5_000 },
    ],
    fsyncMicros: 500,
    keys: [{ settings: 'embedded', keys: 100_000, bytesPerKey: 123.4 }],
  };
}

/** Redis has 1,000 µs a second to do by itself, and `onboard watch` takes a second to start. */
function some(workers: number, rowsPerSecond: number): Together {
  const rows = 10_000 * workers;
  return {
    workers,
    rows,
    rowsPerSecond,
    heldMs: 50,
    perRow: {
      commands: 10 - workers,
      scripts: 0.5,
      redisMicros: 100 - workers,
      bytesIn: 1_000,
      bytesOut: 400,
      aofBytes: 800,
      keptBytes: 300,
      workerMicros: 500,
      readerMicros: 40 + 1_000_000 / rows,
    },
    perIdleWorker: {
      commands: 9,
      redisMicros: 300 + 1_000 / workers,
      networkBytes: 1_000,
      connections: 2,
      memoryBytes: 60_000,
    },
  };
}
