/**
 * The stand-in for the service: its four documented operations on 127.0.0.1, with tokens and faults
 * to order. It remembers what was really made, whatever its callers were told. A request goes
 * handler → received → calls → records → answer.
 */
import { createServer, type Server } from 'node:http';
import { createReleasers, type Releasers } from '../lib/releasers.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type CallParts, createTokenBook } from './calls.ts';
import { type ControlledParts, createAnswerCounts, createControl, type SandboxControl } from './control.ts';
import { parseFaults } from './fault-rules.ts';
import { createFaultPlan } from './faults.ts';
import { createHandler, type Handler } from './handler.ts';
import { DEFAULT_TOKEN, type SandboxOptions } from './options.ts';
import { createKeyReader } from './received.ts';
import { openRecords, type Records } from './records.ts';

const KEEP_ALIVE_MS = 65_000;
const DEFAULT_SEED = 1;

export type Sandbox = SandboxControl & {
  readonly server: Server;
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The tokens that it was started with. */
  readonly tokens: readonly string[];
  /** Ends all connections, hanging ones included; may be called twice. */
  close(): Promise<void>;
};

/**
 * A UsageError for a fault that can't be read, a port that is taken, a data file that can't be
 * opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const releasers = createReleasers();
  try {
    const running = await openParts(options, releasers);
    const control = createControl(running);
    const { server, port } = await serve(createHandler({ ...running, control }), options, releasers);
    const tokens = options.tokens ?? [DEFAULT_TOKEN];
    const url = `http://127.0.0.1:${port}`;
    return { ...control, server, url, port, tokens, close: releasers.release };
  } catch (error) {
    await releasers.release();
    throw error;
  }
}

async function openParts(options: SandboxOptions, releasers: Releasers): Promise<ControlledParts> {
  const seed = options.seed ?? DEFAULT_SEED;
  const faults = createFaultPlan(parseFaults(options.faults ?? []), seed);
  const records = await openRecords(options.dataFile ?? null);
  releasers.push(() => records.dataFile.close());
  return {
    parts: callParts(options, records),
    keyOf: createKeyReader(options.keyPointers ?? {}),
    plan: { faults },
    seed,
    counts: createAnswerCounts(),
  };
}

async function serve(handler: Handler, options: SandboxOptions, releasers: Releasers) {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handler.handle);
  const port = await listen(server, options.port ?? 0);
  releasers.push(async () => {
    handler.dropDelayed();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { server, port };
}

function callParts(options: SandboxOptions, records: Records): CallParts {
  return {
    records,
    tokens: createTokenBook(options.tokens ?? [DEFAULT_TOKEN]),
    bodySchemas: options.bodySchemas ?? {},
    played: { count: 0 },
  };
}

export async function listen(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw new UsageError(
      `The sandbox can't listen on 127.0.0.1:${port}; expected a free port. Choose another, or 0 for any free one.`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a listening TCP server has an address');
  return address.port;
}
