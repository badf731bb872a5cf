import { type ConnectionOptions, Queue } from 'bullmq';
import { type ChunkJob, chunkJobId, chunkJobSchema } from './chunk-job.ts';

/** BullMQ's name for the queue of chunks; the target is in the prefix. */
export const QUEUE_NAME = 'chunks';

/** Tried again for ever: a BullMQ job fails only while a row's fate can't be recorded, and its failure is no verdict on rows. */
const JOB_OPTIONS = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: false,
} as const;

export type ChunkQueue = {
  /** Adds chunks in order; one that is there already stays as it is. */
  add(chunks: readonly ChunkJob[]): Promise<void>;
  /** Whether the queue still has the chunk, waiting or being worked on. */
  has(run: string, chunk: number): Promise<boolean>;
  /** Puts chunks back that BullMQ gave up: it can do so without having run them. */
  retryFailed(): Promise<void>;
  /** Takes a chunk out of the queue for good, with its rows where it had them; `null`: a worker has it in hand. */
  takeOut(run: string, chunk: number): Promise<{ readonly rows: ChunkJob['rows'] | null } | null>;
  /** Lets chunks that were put back for a while start at once. */
  promote(): Promise<void>;
  close(): Promise<void>;
};

export function createChunkQueue(
  connection: ConnectionOptions,
  prefix: string,
  onError: (error: Error) => void,
): ChunkQueue {
  const queue = new Queue<ChunkJob, void, 'chunk'>(QUEUE_NAME, {
    connection,
    prefix,
    defaultJobOptions: JOB_OPTIONS,
  });
  queue.on('error', onError);
  return {
    async add(chunks) {
      await queue.addBulk(
        chunks.map((data) => ({ name: 'chunk', data, opts: { jobId: chunkJobId(data.run, data.chunk) } })),
      );
    },
    has: async (run, chunk) => (await queue.getJob(chunkJobId(run, chunk))) !== undefined,
    async retryFailed() {
      if ((await queue.getFailedCount()) > 0) await queue.retryJobs({ state: 'failed' });
    },
    async takeOut(run, chunk) {
      const id = chunkJobId(run, chunk);
      const job = await queue.getJob(id);
      // Refused while its lock lives: the worker that holds it may have rows on the wire.
      if (job !== undefined && (await queue.remove(id)) !== 1) return null;
      return { rows: chunkJobSchema.safeParse(job?.data).data?.rows ?? null };
    },
    promote: () => queue.promoteJobs(),
    close: () => queue.close(),
  };
}
