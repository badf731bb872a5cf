/**
 * The way to the service: certificates, and the proxy between. Promised: an error is noted
 * (network-error.ts) where nobody can have read a request, since no connection came about, or TLS
 * 1.3 refused it afterwards.
 */
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import { type ProxyServer, proxyFor, type RouteSettings } from '../../config/service-route.ts';
import { errorOf } from '../../lib/errors.ts';
import { followTls, type Tls } from '../../lib/tls-files.ts';
import {
  codeOf,
  isCertificateAlert,
  noteConnectError,
  noteHandshakeError,
  PROXY_CODE,
} from './network-error.ts';

export type Route = {
  /** For the handshake with the service; the same object until a file changes. */
  tls(): Promise<Tls>;
  readonly proxy: ProxyServer | null;
};

const VERIFIED: Tls = { rejectUnauthorized: true };

export const DIRECT: Route = { tls: async () => VERIFIED, proxy: null };

/** A UsageError where a file can't be used. */
export function openRoute(origin: string, settings: RouteSettings): Route {
  return { tls: followTls(settings.tls, 'MSB_TLS'), proxy: proxyFor(origin, settings) };
}

export type Connect = buildConnector.connector;
type To = buildConnector.Options;

/** For each step of a connection; `firstMs`: until one came about or failed. */
type Times = { readonly ms: number; readonly firstMs: number };

/** `close` leaves the connections to their owners. */
export function createConnector({ tls, proxy }: Route, times: Times) {
  let isTried = false;
  const timeout = () => (isTried ? times.ms : times.firstMs);
  const toService = createConnectors(timeout);
  const toProxy = createConnectors(timeout);
  const connectProxy: Connect = (to, callback) => toProxy(VERIFIED)(to, callback);
  const tunnels = proxy && new Pool(proxy.origin, { connect: connectProxy });
  const open = async (to: To): Promise<Socket> => {
    const own = await tls();
    if (proxy === null || tunnels === null) return connected(toService(own), to);
    const httpSocket = await openTunnel(tunnels, proxy, to, timeout());
    return connected(toService(own), { ...to, httpSocket });
  };
  const connect: Connect = (to, callback) => {
    open(to).then(
      (socket) => {
        isTried = true;
        callback(null, watched(socket));
      },
      (cause: unknown) => {
        isTried = true;
        const error = errorOf(cause);
        noteConnectError(error);
        callback(error, null);
      },
    );
  };
  return { connect, close: async () => tunnels?.destroy() };
}

function connected(connect: Connect, to: To): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(to, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

/** One for each time and certificate, since it keeps sessions. */
function createConnectors(timeoutMs: () => number) {
  const made = new Map<number, { readonly tls: Tls; readonly connect: Connect }>();
  return (tls: Tls): Connect => {
    const timeout = timeoutMs();
    const known = made.get(timeout);
    if (known?.tls === tls) return known.connect;
    const connect = buildConnector({ ...tls, allowH2: false, timeout });
    made.set(timeout, { tls, connect });
    return connect;
  };
}

/** Before the proxy's 2xx to CONNECT nothing is sent that is for the service. */
async function openTunnel(proxy: Pool, { login }: ProxyServer, { host = '', port }: To, ms: number) {
  const path = port === '' ? `${host}:443` : host;
  const headers = { host: path, ...(login !== null && { 'proxy-authorization': login }) };
  const asked = proxy.connect({ path, headers, signal: AbortSignal.timeout(ms) });
  const { socket, statusCode } = await asked.catch((cause: unknown) => {
    throw proxyError(codeOf(errorOf(cause)), cause);
  });
  // Whoever speaks TLS through it hears of its end.
  socket.on('error', () => undefined);
  if (socket instanceof Socket && statusCode >= 200 && statusCode < 300) return socket;
  socket.destroy();
  throw proxyError(String(statusCode));
}

function proxyError(code: string, cause?: unknown): Error {
  const error = new Error('the proxy opened no connection', { cause });
  return Object.assign(error, { code: PROXY_CODE + code });
}

/**
 * TLS 1.3 refuses a client's certificate, or that there is none, by an alert after the client's
 * handshake. Who sends it before anything else has read nothing beyond the certificate; a session's
 * ticket says that it was taken (RFC 8446, 4.4.2, 4.6.1). None is asked for later: Node doesn't
 * offer the extension.
 */
function watched(socket: Socket): Socket {
  if (!isTls13(socket)) return socket;
  let isTaken = false;
  socket.once('session', () => {
    isTaken = true;
  });
  return socket.on('error', (error) => {
    if (isTaken || socket.bytesRead > 0 || !isCertificateAlert(codeOf(error))) return;
    noteHandshakeError(error);
    // Else undici takes the connection's end, which follows, for the reason.
    socket.destroy(error);
  });
}

function isTls13(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.getProtocol() === 'TLSv1.3';
}

const TRIAL_MS = 5_000;
/** In which TLS 1.3 refuses a connection that seems to stand. */
const SECOND_THOUGHTS_MS = 1_000;

/** Opens a connection to the service and closes it; rejects where it can't be used. */
export async function tryConnection(origin: string, route: Route): Promise<void> {
  const { hostname, host, port, protocol } = new URL(origin);
  const { connect, close } = createConnector(route, { ms: TRIAL_MS, firstMs: TRIAL_MS });
  // undici's own pool takes the brackets off an IPv6 address, its connector doesn't.
  const to = { hostname: hostname.replace(/^\[|\]$/g, ''), host, port, protocol };
  const socket = await connected(connect, to).finally(close);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    for (const event of ['session', 'close']) socket.once(event, () => resolve());
    setTimeout(resolve, isTls13(socket) ? SECOND_THOUGHTS_MS : 0).unref();
  });
  socket.destroy();
}
