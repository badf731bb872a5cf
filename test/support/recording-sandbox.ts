import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

export type ReceivedRequest = Parameters<NonNullable<SandboxOptions['onRequest']>>[0];

export type RecordingOptions = Omit<SandboxOptions, 'onRequest'> & {
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
  const onRequest = (request: ReceivedRequest) => {
    if (kept.push(request) > recordRequests) kept.shift();
  };
  const sandbox = await startSandbox({ ...others, ...(recordRequests > 0 && { onRequest }) });
  return { ...sandbox, requests: (last = recordRequests) => kept.slice(-last) };
}
