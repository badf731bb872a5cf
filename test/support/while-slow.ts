import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export type SlowOptions = {
  /** The service's faults afterwards. */
  readonly after: readonly string[];
  /** Of each answer meanwhile; those under way at the end keep it. Default: ten rows a second from each process that has twenty in flight. */
  readonly latency?: string;
};

/**
 * While that happens the service takes its time. For all that takes as long as the machine takes, and must find the run not over: that a
 * process starts, a command is carried out, replicas are missed. So many seconds of it as a test has are worth fewer rows than its file has left.
 */
export async function whileSlow<T>(
  sandbox: Pick<Sandbox, 'setFaults'>,
  { after, latency = '2s' }: SlowOptions,
  work: () => Promise<T>,
): Promise<T> {
  sandbox.setFaults([`latency=${latency}`]);
  try {
    return await work();
  } finally {
    sandbox.setFaults(after);
  }
}
