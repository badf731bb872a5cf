/**
 * The page's front door: a server of hono's that lets a request in (guard.ts, sessions.ts), finds its route, and writes the answer. What
 * every answer has, and what none may be, is decided here: no script and no style but our own, nothing kept by browsers, no body larger
 * or slower than it may be. A route never sees a request, and never a visitor of the wrong role.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { shortDigest } from '../lib/digest.ts';
import { errorCode, messageOf } from '../lib/errors.ts';
import { Text } from '../lib/html-text.tsx';
import type { Log } from '../lib/log.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Role, Visitor } from '../model/ask.ts';
import type { Assets } from './assets.ts';
import { boundedForm, pacedBytes } from './bodies.ts';
import { Enter } from './enter.tsx';
import { refusalOf } from './guard.ts';
import { Layout } from './layout.tsx';
import type { Standing } from './page.ts';
import { type Page, ROUTES } from './routes.ts';
import type { Sessions } from './sessions.ts';
import type { Reply, Route } from './visit.ts';

export type PageSettings = {
  readonly host: string;
  readonly port: number;
  /** Where browsers see it behind a proxy, `https://…`; `null`: at `host` and `port`. */
  readonly origin: string | null;
  /** A proxy that has logged people in: the header with their name, and the addresses that may set it. */
  readonly proxy: { readonly header: string; readonly addresses: readonly string[] } | null;
};

type PageParts = {
  readonly page: Page;
  readonly settings: PageSettings;
  readonly sessions: Sessions;
  readonly assets: Assets;
  readonly log: Log;
};

/** Absent where no server is between. */
type Bindings = { readonly incoming?: Pick<IncomingMessage, 'socket'> };
type Context = HonoContext<{ Bindings: Bindings }>;

export type PageServer = { readonly url: string; close(): Promise<void> };

const LIMITS = {
  headersTimeout: 10_000,
  // Uploads have a limit of their own, by their pace.
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 8_192,
} as const;
const CONNECTIONS = 200;
const PER_ADDRESS = 50;

/** Listens; where the port is taken and `--web` named none, the next free one. Throws a UsageError where it can't. */
export async function servePage(parts: PageParts, mayMove: boolean): Promise<PageServer> {
  const { host } = parts.settings;
  let hosts: readonly string[] = [];
  const app = createApp(parts, () => hosts);
  for (let port = parts.settings.port; ; port += 1) {
    const server = createServer(LIMITS, getRequestListener(app.fetch));
    server.maxConnections = CONNECTIONS;
    limitPerAddress(server);
    try {
      const bound = await listen(server, host, port);
      hosts = hostsOf(host, bound);
      return {
        url: `http://${hosts[0]}`,
        async close() {
          const closed = new Promise((resolve) => server.close(resolve));
          server.closeAllConnections();
          await closed;
        },
      };
    } catch (error) {
      const isTaken = errorCode(error) === 'EADDRINUSE';
      if (isTaken && mayMove && port < parts.settings.port + PORTS_TRIED) continue;
      throw new UsageError(
        `--web ${host}:${port}: can't listen there (${errorCode(error)}): expected an address of this machine and a free port, such as 127.0.0.1:4780.`,
        { cause: error },
      );
    }
  }
}

const PORTS_TRIED = 20;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address === null || typeof address === 'string' ? port : address.port);
    });
  });
}

/** As a Host header has them. */
function hostsOf(host: string, port: number): readonly string[] {
  const shown = host.includes(':') ? `[${host}]` : host;
  return [`${shown}:${port}`, `localhost:${port}`];
}

function limitPerAddress(server: Server): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => open.set(address, (open.get(address) ?? 1) - 1));
    if (count > PER_ADDRESS) socket.destroy();
  });
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const HTML = 'text/html; charset=utf-8';
const MAY: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'operator'],
  operator: ['operator'],
};

/** The page as a function from requests to responses; `hosts` are known once it listens. */
export function createApp(parts: PageParts, hosts: () => readonly string[]) {
  const { settings, assets, sessions } = parts;
  const app = new Hono<{ Bindings: Bindings }>();
  const live = createLive();

  app.use(async (context, next) => {
    const { method } = context.req;
    const refused = refusalOf(
      { method, header: (name) => context.req.header(name) },
      { hosts: hosts(), origin: settings.origin },
    );
    if (refused === null) await next();
    else context.res = new Response(`${refused.words}\n`, { status: refused.status });
    for (const [name, value] of Object.entries(HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });

  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/assets/:name', (context) => {
    const asset = assets.find(context.req.path);
    if (asset === undefined) return context.notFound();
    const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
    return context.body(asset.text, 200, headers);
  });

  app.get('/enter', (context) => enterPage(context, parts, { to: '/', problem: '' }));
  app.post('/enter', (context) => enter(context, parts));
  app.post('/leave', (context) => {
    sessions.leave(getCookie(context, cookieName(settings)));
    return toEnter(context);
  });

  for (const route of ROUTES)
    app.on(route.method, route.path, async (context) => {
      const visitor = await visitorOf(context, parts);
      if (visitor === null) return refusedOrEnter(context);
      if (!MAY[route.role].includes(visitor.role))
        return messagePage(context, parts, { visitor, status: 403, words: NOT_YOURS });
      try {
        const ask = () => answer(context, route, { parts, visitor });
        const reply = route.path.endsWith('/live')
          ? await live(`${visitor.role} ${context.req.url}`, ask)
          : await ask();
        return await responseTo(reply, context, { parts, visitor });
      } catch (error) {
        return await failed(error, context, { parts, visitor });
      }
    });

  app.notFound(async (context) => {
    const visitor = await visitorOf(context, parts);
    if (visitor === null) return refusedOrEnter(context);
    return messagePage(context, parts, { visitor, status: 404, words: 'There is no such page.' });
  });
  return app;
}

const NOT_YOURS = 'That is for operators: you are logged in as a viewer.';

type Around = { readonly parts: PageParts; readonly visitor: Visitor };

async function answer(context: Context, route: Route<Page>, { parts, visitor }: Around): Promise<Reply> {
  const { raw } = context.req;
  return route.answer({
    visitor,
    params: context.req.param(),
    query: new URL(context.req.url).searchParams,
    form: route.method === 'POST' ? await boundedForm(raw) : new URLSearchParams(),
    bytes: route.method === 'PUT' && raw.body !== null ? pacedBytes(raw.body) : null,
    page: parts.page,
  });
}

async function responseTo(reply: Reply, context: Context, around: Around): Promise<Response> {
  switch (reply.kind) {
    case 'page': {
      const html = await whole(context, around, { title: reply.title, body: reply.body });
      return context.body(html, statusOf(reply.status ?? 200), { 'content-type': HTML });
    }
    case 'fragment': {
      const html = String(await reply.body);
      const etag = `"${shortDigest(html, 22)}"`;
      if (context.req.header('if-none-match') === etag) return context.body(null, 304, { etag });
      return context.body(html, 200, { 'content-type': HTML, etag });
    }
    case 'redirect':
      return context.redirect(reply.to, 303);
    case 'json':
      return Response.json(reply.value);
    case 'download':
      return new Response(bodyOf(reply.body), {
        headers: {
          'content-type': reply.type,
          'content-disposition': `attachment; filename="${reply.name.replaceAll(/[^\w.-]/g, '_')}"`,
          'content-security-policy': 'sandbox',
        },
      });
    case 'report':
      return new Response(new Uint8Array(reply.html), {
        headers: { 'content-type': HTML, 'content-security-policy': REPORT_POLICY },
      });
    case 'missing':
      return messagePage(context, around.parts, { visitor: around.visitor, status: 404, words: reply.words });
    default:
      return reply satisfies never;
  }
}

/** Its own policy, which names the hash of its style, stands in the file. */
const REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

function bodyOf(
  body: Extract<Reply, { kind: 'download' }>['body'],
): ConstructorParameters<typeof Response>[0] {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : ReadableStream.from(body);
}

function statusOf(status: number): 200 | 400 | 404 | 409 {
  return status === 400 || status === 404 || status === 409 ? status : 200;
}

async function failed(error: unknown, context: Context, around: Around): Promise<Response> {
  const isUsage = error instanceof UsageError;
  if (!isUsage) around.parts.log.error('page', { path: context.req.routePath, problem: messageOf(error) });
  const words = isUsage
    ? error.problems
    : ['Something went wrong on this side; nothing was changed by it. Its log has more.'];
  if (context.req.method === 'PUT')
    return Response.json({ problem: words.join(' ') }, { status: isUsage ? 400 : 500 });
  const { parts, visitor } = around;
  return messagePage(context, parts, { visitor, status: isUsage ? 400 : 500, words: words.join(' ') });
}

type Message = { readonly visitor: Visitor; readonly status: 400 | 403 | 404 | 500; readonly words: string };

async function messagePage(
  context: Context,
  parts: PageParts,
  { visitor, status, words }: Message,
): Promise<Response> {
  const body = (
    <>
      <h1>{status === 404 ? 'Not here' : status === 403 ? 'Not for you' : 'Not done'}</h1>
      <p>
        <Text of={words} bytes={2_000} />
      </p>
    </>
  );
  const html = await whole(context, { parts, visitor }, { title: 'Not done', body });
  return context.body(html, status, { 'content-type': HTML });
}

async function whole(
  context: Context,
  { parts, visitor }: { readonly parts: PageParts; readonly visitor: Visitor | null },
  { title, body }: Pick<Extract<Reply, { kind: 'page' }>, 'title' | 'body'>,
): Promise<string> {
  const standing = visitor === null ? null : await standingOf(parts.page);
  const html = (
    <Layout
      title={title}
      path={context.req.path}
      standing={standing}
      visitor={visitor}
      assets={parts.assets.paths}
    >
      {body}
    </Layout>
  );
  return `<!doctype html>\n${String(await html)}\n`;
}

/** What stands above a page must not keep it from being shown. */
function standingOf(page: Page): Promise<Standing | null> {
  return page.standing().catch(() => null);
}

/** A page's script learns that it is out; a browser is shown the way in. */
function refusedOrEnter(context: Context): Response {
  const isPage = context.req.method === 'GET' && !context.req.path.endsWith('/live');
  return isPage ? toEnter(context) : context.text('Expected a log-in.\n', 401);
}

function toEnter(context: Context): Response {
  const { pathname, search } = new URL(context.req.url);
  const isBack = context.req.method === 'GET' && pathname !== '/enter';
  return context.redirect(isBack ? `/enter?to=${encodeURIComponent(pathname + search)}` : '/enter', 303);
}

type EnterProps = { readonly to: string; readonly problem: string };

async function enterPage(
  context: Context,
  parts: PageParts,
  { to, problem }: EnterProps,
  status: 200 | 401 | 429 = 200,
): Promise<Response> {
  const back = context.req.query('to') ?? to;
  const body = <Enter to={back} problem={problem} />;
  const html = await whole(context, { parts, visitor: null }, { title: 'Log in', body });
  return context.body(html, status, { 'content-type': HTML });
}

async function enter(context: Context, parts: PageParts): Promise<Response> {
  const form = await boundedForm(context.req.raw);
  const field = (name: string) => (form.get(name) ?? '').trim();
  const name = field('name');
  const given =
    field('key') === ''
      ? ({ kind: 'token', token: field('token'), name } as const)
      : ({ kind: 'key', key: field('key'), name } as const);
  const entered = await parts.sessions.enter(given, addressOf(context));
  // Only a path of ours: `//elsewhere` would be another host's.
  const to = /^\/(?![/\\])/.test(field('to')) ? field('to') : '/';
  if (entered.kind === 'refused')
    return enterPage(
      context,
      parts,
      { to, problem: 'That is no token or link that lets anybody in now.' },
      401,
    );
  if (entered.kind === 'later')
    return enterPage(context, parts, { to, problem: 'Too many tries: wait a minute.' }, 429);
  const { settings } = parts;
  const secure = isSecure(settings);
  setCookie(context, cookieName(settings), entered.cookie, {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    secure,
  });
  return context.redirect(to, 303);
}

async function visitorOf(context: Context, { settings, sessions }: PageParts): Promise<Visitor | null> {
  const { proxy } = settings;
  if (proxy !== null) {
    const name = context.req.header(proxy.header);
    if (name !== undefined && name !== '' && proxy.addresses.includes(addressOf(context)))
      return { name, role: 'operator' };
  }
  return sessions.visitorOf(getCookie(context, cookieName(settings)));
}

function isSecure({ origin }: PageSettings): boolean {
  return origin?.startsWith('https:') === true;
}

/** Cookies are the same for all ports of a host: pages of two homes must not log each other's visitors out. */
function cookieName(settings: PageSettings): string {
  return isSecure(settings) ? '__Host-onboard' : `onboard-${settings.port}`;
}

function addressOf({ env }: Context): string {
  return env?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
}

const FRESH_MS = 1_000;
const LIVE_KEPT = 200;

/** What changes by the second is made once for all who look, however many. */
function createLive() {
  const made = new Map<string, { readonly at: number; readonly reply: Promise<Reply> }>();
  return (name: string, make: () => Promise<Reply>): Promise<Reply> => {
    const known = made.get(name);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.reply;
    const reply = make().then(settled);
    made.delete(name);
    made.set(name, { at: performance.now(), reply });
    reply.catch(() => made.delete(name));
    const [oldest] = made.keys();
    if (made.size > LIVE_KEPT && oldest !== undefined) made.delete(oldest);
    return reply;
  };
}

async function settled(reply: Reply): Promise<Reply> {
  return reply.kind === 'fragment' ? { ...reply, body: await reply.body } : reply;
}
