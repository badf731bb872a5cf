/**
 * The stand-in for the service, on 127.0.0.1, with faults to order. It remembers what was made,
 * whatever its callers were told. A request goes handler → received → calls → records → answer.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { z } from 'zod';
import { createReleasers, type Releasers } from '../lib/releasers.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { BuiltInCall } from '../operations/operations.ts';
import { createAnswerCounts } from './answer.ts';
import { createTokenBook } from './calls.ts';
import { createControl, type SandboxControl } from './control.ts';
import { parseFaults } from './fault-rules.ts';
import { createFaultPlan } from './faults.ts';
import { createHandler } from './handler.ts';
import { openRecords } from './records.ts';

export { FAULT_HELP } from './fault-rules.ts';

const KEEP_ALIVE_MS = 65_000;
const DEFAULT_SEED = 1;

/** The token that a sandbox takes unless told otherwise: it guards nothing. */
export const DEFAULT_TOKEN = 'sandbox-token';

type SandboxOptions = {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  readonly tokens?: readonly string[] | undefined;
  readonly faults?: readonly string[] | undefined;
  /** Of the faults' random shares. */
  readonly seed?: number | undefined;
  /** Of what was made; read at the start. Default: memory only. */
  readonly dataFile?: string | undefined;
  /** A body that doesn't fit is answered 400. */
  readonly bodySchemas?: Partial<Readonly<Record<BuiltInCall, z.ZodType>>> | undefined;
};

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

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { tokens = [DEFAULT_TOKEN], seed = DEFAULT_SEED, bodySchemas = {} } = options;
  const releasers = createReleasers();
  try {
    const faults = createFaultPlan(parseFaults(options.faults ?? []), seed);
    const records = await openRecords(options.dataFile ?? null);
    releasers.push(() => records.dataFile.close());
    const book = createTokenBook(tokens);
    const parts = { records, tokens: book, bodySchemas, played: 0, faults, counts: createAnswerCounts() };
    const control = createControl(parts, seed);
    const { server, port } = await serve(createHandler(parts, control), options.port ?? 0, releasers);
    const url = `http://127.0.0.1:${port}`;
    return { ...control, server, url, port, tokens, close: releasers.release };
  } catch (error) {
    await releasers.release();
    throw error;
  }
}

async function serve(handle: RequestListener, wanted: number, releasers: Releasers) {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  const port = await listen(server, wanted);
  releasers.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { server, port };
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
      `The sandbox can't listen on 127.0.0.1:${port}; expected a free port. Choose another, or 0.`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a listening TCP server has an address');
  return address.port;
}
