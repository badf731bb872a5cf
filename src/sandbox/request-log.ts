import { z } from 'zod';

/** A request to one of the operations as it was received; never its token. */
export const recordedRequestSchema = z.object({
  method: z.string(),
  /** Path and query as they stood in the request line. */
  target: z.string(),
  contentType: z.string().nullable(),
  /** Verbatim; empty where there was none. */
  body: z.string(),
});
export type RecordedRequest = z.infer<typeof recordedRequestSchema>;

/** The last requests received, for tests that look at the wire. */
export type RequestLog = {
  record(request: RecordedRequest): void;
  /** The last `count`, oldest first. */
  last(count: number): RecordedRequest[];
};

/** Remembers the last `limit` requests; 0 remembers none. */
export function createRequestLog(limit: number): RequestLog {
  const ring: RecordedRequest[] = [];
  let next = 0;
  return {
    record(request) {
      if (limit === 0) return;
      ring[next] = request;
      next = (next + 1) % limit;
    },
    last(count) {
      const inOrder = ring.length < limit ? ring : [...ring.slice(next), ...ring.slice(0, next)];
      return count <= 0 ? [] : inOrder.slice(-count);
    },
  };
}
