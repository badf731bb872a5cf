import { z } from 'zod';
import { machineSchema } from '../results.ts';

const togetherSchema = z.object({
  workers: z.number(),
  rows: z.number(),
  /** In the middle of the run, as the service counted, which held each answer for `heldMs`. */
  rowsPerSecond: z.number(),
  heldMs: z.number(),
  /** CPU times in µs. `commands` are those within scripts, too; `keptBytes` is what Redis holds more when the run is over. */
  perRow: z.object({
    commands: z.number(),
    scripts: z.number(),
    redisMicros: z.number(),
    bytesIn: z.number(),
    bytesOut: z.number(),
    aofBytes: z.number(),
    keptBytes: z.number(),
    workerMicros: z.number(),
    readerMicros: z.number(),
  }),
  /** Of one worker that has nothing to do, per second; what it holds as it stands. */
  perIdleWorker: z.object({
    commands: z.number(),
    redisMicros: z.number(),
    networkBytes: z.number(),
    connections: z.number(),
    memoryBytes: z.number(),
  }),
});
/** Several workers on one run. */
export type Together = z.infer<typeof togetherSchema>;

const busySchema = z.object({
  rows: z.number(),
  rowsPerSecond: z.number(),
  perRow: z.object({ commands: z.number(), scripts: z.number(), redisMicros: z.number() }),
});
/** One `onboard run` at a service that answers at once: what waits for Redis meanwhile travels together. */
export type Busy = z.infer<typeof busySchema>;

/** `embedded`: the server that the program starts; `default`: a Redis as it comes. */
export const HASH_SETTINGS = ['embedded', 'default'] as const;

/** The content of scale.json. */
export const scaleResultsSchema = z.object({
  /** ISO 8601, UTC. */
  measuredAt: z.string(),
  command: z.string(),
  machine: machineSchema,
  together: z.array(togetherSchema).min(1),
  busy: busySchema,
  /** Commands a row that come from a process and not from a script, at one worker. */
  clientCommandsPerRow: z.number(),
  /** One sign of life of a worker, among so many members; `lookMicros`: one that is due to look at all of them. */
  beats: z
    .array(
      z.object({
        members: z.number(),
        commands: z.number(),
        redisMicros: z.number(),
        lookMicros: z.number(),
      }),
    )
    .min(2),
  /** A small append to the disk, µs. */
  fsyncMicros: z.number(),
  keys: z.array(z.object({ settings: z.enum(HASH_SETTINGS), keys: z.number(), bytesPerKey: z.number() })),
});
export type ScaleResults = z.infer<typeof scaleResultsSchema>;
