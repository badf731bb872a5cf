/**
 * One HTTP attempt, sent once at most, answered by exactly one reply that says whether anything can
 * have been sent. No redirect, no retry, no compression; TLS is always verified.
 */
import { Pool } from 'undici';
import type { Reply, ServiceRequest } from '../../model/request.ts';
import { withoutSecrets } from './answer-text.ts';
import { AttemptHandler } from './attempt-handler.ts';
import { parseBaseUrl } from './base-url.ts';
import { type Connect, createConnector, DIRECT, type Route } from './route.ts';

/**
 * Below usual servers' idle time (Node 5 s): a server that closes first may have read a request.
 */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Until a first connection came about: a mistyped address that swallows packets shows in 5 s. */
const FIRST_CONNECT_TIMEOUT_MS = 3_500;
/** A payment's documents are some hundred records: more is no answer of this service. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** What HTTP can carry in a request line; anything else would make undici drop the connection. */
const LEGAL_PATH = /^\/[\x21-\x7e]*$/;
/** What a header's value can carry, without spaces. */
export const LEGAL_TOKEN = /^[\x21-\x7e]+$/;

type ClientOptions = {
  /** https, or http to this machine itself; a path is kept and stands before every request's. */
  readonly baseUrl: string;
  /** Connections at most; more attempts than that wait, within their own time. */
  readonly concurrency: number;
  /** For one whole attempt, from the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly version: string;
  /** The wall clock in ms, for `Retry-After` dates. */
  readonly now?: () => number;
  /** How long an idle connection stays open; by default `KEEP_ALIVE_MS`. */
  readonly keepAliveMs?: number;
  /** 10 s by default; undici's timers are up to a second late. */
  readonly connectTimeoutMs?: number;
  /** Until a connection came about or failed. */
  readonly firstConnectTimeoutMs?: number;
  readonly maxResponseBytes?: number;
  /** A response header, in small letters: its value is part of the reply. */
  readonly requestId?: string | undefined;
  /** By default that to this machine. */
  readonly route?: Route;
};

/** What goes over the wire; `path` stands below the base URL's own. */
type HttpRequest = Pick<ServiceRequest, 'method' | 'path' | 'body' | 'idempotency'>;

export type ServiceClient = {
  /** One HTTP attempt; never rejects. No redirect is followed and nothing is sent a second time. */
  attempt(request: HttpRequest, token: string): Promise<Reply>;
  /** Lets the attempts in flight end, then closes the connections; safe to call twice. */
  close(): Promise<void>;
  /** Breaks off the attempts in flight: each settles as sent, with its outcome unknown. */
  destroy(): Promise<void>;
};

/** A UsageError for a base URL that must not be used. */
export function createClient(options: ClientOptions): ServiceClient {
  const { origin, basePath } = parseBaseUrl(options.baseUrl);
  const connector = createConnector(options.route ?? DIRECT, connectTimes(options));
  const pool = createPool(origin, connector.connect, options);
  const headersFor = createHeaders(options.version);
  const now = options.now ?? Date.now;
  let closing: Promise<void> | null = null;

  const attempt = (request: HttpRequest, token: string) =>
    new Promise<Reply>((resolve) => {
      const path = basePath + request.path;
      if (!LEGAL_PATH.test(path) || !LEGAL_TOKEN.test(token)) return resolve(NEVER_A_REQUEST);
      const body = request.body === null ? null : Buffer.from(request.body);
      const { header, value } = request.idempotency ?? {};
      const own = header === undefined ? [] : [header, value ?? ''];
      const headers = [...headersFor(token, body !== null), ...own];
      const settle = (reply: Reply) => resolve(withoutToken(reply, token));
      const handler = new AttemptHandler(settle, options.timeoutMs, now, options.requestId);
      pool.dispatch({ method: request.method, path, headers, body }, handler);
    });

  return {
    attempt,
    close: () => {
      closing ??= pool.close().then(connector.close);
      return closing;
    },
    destroy: () => {
      closing = pool.destroy().then(connector.close);
      return closing;
    },
  };
}

/** Refusals are kept, and titles of pages; services that are set up to debug send requests back. */
function withoutToken(reply: Reply, token: string): Reply {
  if (reply.kind !== 'response' || isUsual(reply)) return reply;
  return { ...reply, body: withoutSecrets(reply.body, token, reply.restBytes !== undefined) };
}

/** Nothing of such an answer is shown or kept. */
function isUsual({ status, contentType }: Extract<Reply, { kind: 'response' }>): boolean {
  return status < 300 && contentType === undefined;
}

const NEVER_A_REQUEST: Reply = { kind: 'no-response', sent: false, code: 'UND_ERR_INVALID_ARG', ms: 0 };

function connectTimes({ connectTimeoutMs: ms = CONNECT_TIMEOUT_MS, firstConnectTimeoutMs }: ClientOptions) {
  return { ms, firstMs: Math.min(firstConnectTimeoutMs ?? FIRST_CONNECT_TIMEOUT_MS, ms) };
}

function createPool(origin: string, connect: Connect, options: ClientOptions): Pool {
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS;
  return new Pool(origin, {
    connections: options.concurrency,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    // A server's own hint may shorten the idle time, never lengthen it.
    keepAliveMaxTimeout: keepAliveMs,
    // The attempt's own timer decides: undici's don't look into the socket first.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    connect,
  });
}

/** Made once per token, since undici copies the list. */
function createHeaders(version: string): (token: string, hasBody: boolean) => string[] {
  let current = '';
  let bare: string[] = [];
  let withBody: string[] = [];
  return (token, hasBody) => {
    if (token !== current) {
      current = token;
      bare = [
        'authorization',
        `Bearer ${token}`,
        'accept',
        'application/json',
        'user-agent',
        `onboard/${version}`,
      ];
      withBody = [...bare, 'content-type', 'application/json'];
    }
    return hasBody ? withBody : bare;
  };
}
