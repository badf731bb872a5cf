/**
 * The page's front door: a server that admits a request (guard.ts, sessions.ts), finds its route,
 * and writes the response (reply.tsx). The rules for all of them are here: no script and style but
 * our own, nothing cached, bounds of size and time. A view never sees a request, nor a visitor of
 * the wrong role.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { hasCode } from '../../lib/errors.ts';
import { Called } from '../../lib/html-text.tsx';
import { createKept } from '../../lib/kept.ts';
import { type ListenAddress, listenAt } from '../../lib/listening.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Role, Visitor } from '../../model/ask.ts';
import { assertSafe, type WebAccess } from './access.ts';
import { createEntrance } from './enter.tsx';
import { isForMachines, refusalOf, textWithin } from './guard.ts';
import { addMachineRoutes, type MachineRoute, problemResponse } from './machines.ts';
import {
  type Asked,
  createLines,
  type Frame,
  failureResponse,
  fragmentResponse,
  inTime,
  livePath,
  messageResponse,
  responseTo,
  withService,
} from './reply.tsx';
import { createSessions, type Sessions } from './sessions.ts';
import type { Core, Reply, Route } from './visit.ts';

type PageOptions<Page extends Core> = Omit<Frame, 'page' | 'lines'> & {
  readonly page: Page;
  readonly routes: readonly Route<Page>[];
  readonly machineRoutes?: readonly MachineRoute<Page>[];
  readonly access: WebAccess;
  /** The host name without an origin: only at this machine. */
  readonly name: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A taken port may become the next free one. */
  readonly mayMove: boolean;
};

const LIMITS = {
  headersTimeout: 10_000,
  // An upload of 2 GiB at 200 kB a second.
  requestTimeout: 3 * 3_600_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 8_192,
} as const;
/** A connection on which nothing moves, in either direction. */
const STILL_MS = 60_000;
const CONNECTIONS = 200;
const PER_ADDRESS = 50;
const PORTS_TRIED = 20;

/** A UsageError where nobody could log in, or others could listen in. */
export async function startPage<Page extends Core>(options: PageOptions<Page>) {
  const { host, port, mayMove, access, name } = options;
  await assertSafe(access, host);
  const sessions = createSessions({ ...access, now: () => performance.now() });
  let url = '';
  const app = createApp({ ...options, sessions, origin: () => url });
  const server = createServer(LIMITS, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.timeout = STILL_MS;
  boundConnections(server, access.proxy?.addresses ?? []);
  const bound = await listen(server, { host, port }, mayMove ? port + PORTS_TRIED : port);
  url = access.origin ?? new URL(`http://${name}:${bound}`).origin;
  return {
    url,
    /** Lets one person in, once, within ten minutes. */
    link: (visitor: string) => `${url}/enter#k=${sessions.newKey(`${visitor} (by link)`)}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port }: ListenAddress, last: number): Promise<number> {
  try {
    return (await listenAt(server, { host, port }, { name: '--web', usual: '127.0.0.1:4780' })).port;
  } catch (error) {
    const isTaken = error instanceof Error && hasCode(error.cause, 'EADDRINUSE');
    if (isTaken && port < last) return listen(server, { host, port: port + 1 }, last);
    throw error;
  }
}

/**
 * Where an address, or all together, have too many connections, closes the one that has waited
 * longest without a whole request: whoever holds or reopens connections keeps nobody out and ends
 * no answer.
 */
function boundConnections(server: Server, proxies: readonly string[]): void {
  const open = new Map<Socket, string>();
  const waiting = new Set<Socket>();
  const forget = (socket: Socket) => open.delete(socket) && waiting.delete(socket);
  server.on('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress);
    open.set(socket, address);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    const own = [...open.values()].filter((from) => from === address).length;
    const isFull = open.size > CONNECTIONS;
    // Everybody comes from a proxy's address.
    if (!isFull && (own <= PER_ADDRESS || proxies.includes(address))) return;
    const longest = [...waiting].find((one) => isFull || open.get(one) === address) ?? socket;
    forget(longest);
    longest.destroy();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const begin = () => waiting.delete(socket);
    // A form's sender may be unknown before it is read; an upload's is known.
    if (request.method === 'POST') request.once('end', begin);
    else begin();
    response.once('close', () => open.has(socket) && waiting.add(socket));
  });
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  // Nothing leaks outside; without it browsers would hide a form's origin within.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const MAY: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'operator'],
  operator: ['operator'],
};

/** All who ask within a second get the same fragment. */
const FRESH_MS = 1_000;
const FRAGMENTS = 200;

const NOT_YOURS = 'That is for operators: you are logged in as a viewer.';

/** Absent without a server. */
type Bindings = { readonly incoming?: Pick<IncomingMessage, 'socket'> };
type Env = { Bindings: Bindings };
type Context = HonoContext<Env>;

type AppOptions<Page extends Core> = Pick<
  PageOptions<Page>,
  'page' | 'assets' | 'log' | 'routes' | 'machineRoutes' | 'access'
> & {
  readonly sessions: Sessions;
  origin(): string;
};

function createApp<Page extends Core>(options: AppOptions<Page>) {
  const { page, routes, machineRoutes = [], assets, log, access, sessions } = options;
  const frame = { page, assets, log, lines: createLines() };
  const app = new Hono<Env>();
  const fragments = createKept<string | Reply>(FRESH_MS, FRAGMENTS);
  const entrance = createEntrance({ access, sessions, frame });

  app.use(async (context, next) => {
    const { method, path } = context.req;
    const header = (name: string) => context.req.header(name);
    const refused = refusalOf({ method, path, header }, options.origin());
    if (refused === null) await next();
    else if (isForMachines(path)) context.res = problemResponse(refused.status, [refused.words]);
    else context.res = new Response(`${refused.words}\n`, { status: refused.status });
    const { headers } = context.res;
    for (const [name, value] of Object.entries(HEADERS)) if (!headers.has(name)) headers.set(name, value);
  });

  app.get('/healthz', (context) => context.text('ok\n'));
  // Browsers ask for it by themselves.
  app.get('/favicon.ico', (context) => context.body(null, 204));
  app.get('/assets/:name', (context) => {
    const asset = assets.find(context.req.path);
    if (asset === undefined) return context.text('Not here.\n', 404);
    const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
    return context.body(asset.text, 200, headers);
  });
  app.get('/enter', (context) => entrance.show(context));
  app.post('/enter', async (context) =>
    entrance.enter(context, await boundedForm(context.req.raw), addressOf(context)),
  );
  app.post('/leave', (context) => entrance.leave(context));

  addMachineRoutes(app, { page, routes: machineRoutes, access, log, addressOf });

  const visitorOf = (context: Context, isLive: boolean) =>
    entrance.visitorOf(context, { address: addressOf(context), isLive });

  for (const route of routes) {
    const show = async (asked: AskedBy) => responseTo(await answer(route, asked, page), asked);
    const showLive = async (asked: AskedBy) => {
      const { pathname, search } = new URL(asked.context.req.url);
      const { command = 'onboard' } = page;
      const made = await fragments(`${asked.visitor.role} ${pathname}${search}`, async () => {
        const reply = await answer(route, asked, page);
        if (reply.kind !== 'page') return reply;
        if (reply.live !== undefined) {
          const live = await withService(reply.live, page);
          return String(await (<Called.Provider value={command}>{live}</Called.Provider>));
        }
        return { kind: 'redirect', to: pathname.replace(/\/live$/, '') + search };
      });
      return typeof made === 'string' ? fragmentResponse(made, asked.context) : responseTo(made, asked);
    };
    app.on(route.method, route.path, async (context) => {
      const visitor = await visitorOf(context, false);
      if (visitor === null) return entrance.refer(context);
      return ifAllowed(route, { context, frame, visitor }, show);
    });
    if (route.isLive !== true) continue;
    app.get(livePath(route.path), async (context) => {
      const visitor = await visitorOf(context, true);
      if (visitor === null) return entrance.refuse(context);
      return ifAllowed(route, { context, frame, visitor }, showLive);
    });
  }

  app.notFound(async (context) => {
    const visitor = await visitorOf(context, false);
    if (visitor === null) return entrance.refer(context);
    return messageResponse({ context, frame, visitor }, { status: 404, words: 'There is no such page.' });
  });
  app.onError((error, context) => failureResponse(error, { context, frame, visitor: null }));
  return app;
}

type AskedBy = Asked & { readonly visitor: Visitor };

function ifAllowed(
  { role, method, readsFile = false }: Pick<Route, 'role' | 'method' | 'readsFile'>,
  asked: AskedBy,
  show: (asked: AskedBy) => Promise<Response>,
): Promise<Response> {
  if (!MAY[role].includes(asked.visitor.role))
    return messageResponse(asked, { status: 403, words: NOT_YOURS });
  const shown = show(asked).catch((error: unknown) => failureResponse(error, asked));
  return method === 'GET' && !readsFile ? inTime(shown, asked) : shown;
}

async function answer<Page extends Core>(
  route: Route<Page>,
  { context, visitor }: AskedBy,
  page: Page,
): Promise<Reply> {
  const { raw } = context.req;
  return route.answer({
    visitor,
    params: context.req.param(),
    query: new URL(context.req.url).searchParams,
    form: route.method === 'POST' ? await boundedForm(raw, route.formBytes) : new URLSearchParams(),
    bytes: route.method === 'PUT' ? raw.body : null,
    page,
  });
}

const FORM_BYTES = 65_536;

/** A UsageError where it is too large. */
async function boundedForm(request: Request, most = FORM_BYTES): Promise<URLSearchParams> {
  const text = await textWithin(request, most);
  if (text === null) throw new UsageError(`The form has more than ${most} bytes: expected less.`);
  return new URLSearchParams(text);
}

function addressOf({ env }: Context): string {
  return plainAddress(env?.incoming?.socket.remoteAddress);
}

/** IPv4 as such, also from an IPv6 socket. */
function plainAddress(address = ''): string {
  return address.replace(/^::ffff:/, '');
}
