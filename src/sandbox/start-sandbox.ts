import { createServer } from 'node:http';
import type { Releasers } from '../lib/releasers.ts';
import { createReleasers } from '../lib/releasers.ts';
import type { CallParts } from './answer-call.ts';
import { createAnswerCounts } from './answer-counts.ts';
import type { SandboxControl } from './control.ts';
import type { ControlledParts } from './create-control.ts';
import { createControl } from './create-control.ts';
import { createFaultPlan } from './fault-plan.ts';
import type { Handler } from './handle-request.ts';
import { createHandler } from './handle-request.ts';
import { createKeyReader } from './key-reader.ts';
import { listen } from './listen.ts';
import { parseFaults } from './parse-fault.ts';
import type { Records } from './records.ts';
import { openRecords } from './records.ts';
import { createRequestLog } from './request-log.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { DEFAULT_TOKEN, PERMISSIONS } from './sandbox-options.ts';
import { createTokenBook } from './token-book.ts';

const DEFAULT_KEEP_ALIVE_MS = 65_000;
const DEFAULT_BODY_LIMIT = 50_000;
const DEFAULT_SEED = 1;

/** A running stand-in for the service. */
export type Sandbox = SandboxControl & {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The tokens it was started with. */
  readonly tokens: readonly string[];
  /** Ends all connections, hanging ones included; may be called twice. */
  close(): Promise<void>;
};

/**
 * Starts a stand-in for the four operations of service-api.md on 127.0.0.1. Where the document is silent (the
 * rules of drafts, 404 for unknown ids, the bodies of errors) it has ways of its own, said where they are coded.
 * Throws a UsageError for a fault that can't be read, a port that is taken or a data file that can't be opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const releasers = createReleasers();
  try {
    const running = await openParts(options, releasers);
    const control = createControl(running);
    const handler = createHandler({ ...running, control });
    const port = await serve(handler, options, releasers);
    const tokens = options.tokens ?? [DEFAULT_TOKEN];
    return { ...control, url: `http://127.0.0.1:${port}`, port, tokens, close: releasers.release };
  } catch (error) {
    await releasers.release();
    throw error;
  }
}

async function openParts(options: SandboxOptions, releasers: Releasers): Promise<ControlledParts> {
  const seed = options.seed ?? DEFAULT_SEED;
  const faults = createFaultPlan(parseFaults(options.faults ?? []), seed);
  const records = await openRecords(options.dataFile ?? null, options.bodyLimit ?? DEFAULT_BODY_LIMIT);
  releasers.push(() => records.dataFile.close());
  return {
    parts: callParts(options, records),
    keyOf: createKeyReader(options.keyPointers ?? {}),
    plan: { faults, down: false },
    seed,
    counts: createAnswerCounts(),
    log: createRequestLog(options.recordRequests ?? 0),
  };
}

async function serve(handler: Handler, options: SandboxOptions, releasers: Releasers): Promise<number> {
  const keepAliveTimeout = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
  const server = createServer({ keepAliveTimeout }, handler.handle);
  const port = await listen(server, options.port ?? 0);
  releasers.push(async () => {
    handler.dropDelayed();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return port;
}

function callParts(options: SandboxOptions, records: Records): CallParts {
  const { tokenTtlSeconds, tokenRequests } = options;
  return {
    records,
    tokens: createTokenBook(options.tokens ?? [DEFAULT_TOKEN], {
      ttlMs: tokenTtlSeconds === undefined ? null : tokenTtlSeconds * 1000,
      requests: tokenRequests ?? null,
    }),
    permissions: new Set(options.permissions ?? PERMISSIONS),
    bodySchemas: options.bodySchemas ?? {},
  };
}
