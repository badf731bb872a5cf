import type { IncomingMessage } from 'node:http';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A request to one of the operations; never its token. */
export type ReceivedRequest = {
  readonly method: string;
  /** Path and query as they stood in the request line. */
  readonly target: string;
  readonly contentType: string | null;
  /** Verbatim; empty where there was none. */
  readonly body: string;
};

export type RecordingOptions = Parameters<typeof startSandbox>[0] & {
  /** How many of the last requests are kept; default 0. */
  readonly recordRequests?: number;
};

export type RecordingSandbox = Sandbox & {
  /** The last requests to the operations, oldest first. */
  requests(last?: number): readonly ReceivedRequest[];
};

/** A sandbox that keeps requests as they were received, for tests that look at the wire. */
export async function startRecordingSandbox(options: RecordingOptions): Promise<RecordingSandbox> {
  const { recordRequests = 0, ...others } = options;
  const kept: ReceivedRequest[] = [];
  const sandbox = await startSandbox(others);
  const keep = (request: ReceivedRequest) => {
    if (kept.push(request) > recordRequests) kept.shift();
  };
  // Before the listener that answers: what a caller was told of is kept by then.
  if (recordRequests > 0)
    sandbox.server.prependListener('request', (request: IncomingMessage) => read(request, keep));
  return { ...sandbox, requests: (last = recordRequests) => kept.slice(-last) };
}

function read(request: IncomingMessage, keep: (request: ReceivedRequest) => void): void {
  const { method = '', url: target = '', headers } = request;
  if (target.startsWith('/sandbox/')) return;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () =>
    keep({
      method,
      target,
      contentType: headers['content-type'] ?? null,
      body: Buffer.concat(chunks).toString('utf8'),
    }),
  );
}
