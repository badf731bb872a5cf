/**
 * From a view's reply to a response: pages within the layout, live parts, downloads, and messages
 * where something can't be shown. Each kind has its own policy; server.tsx has what all responses
 * share.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { shortDigest } from '../../lib/digest.ts';
import { messageOf } from '../../lib/errors.ts';
import { Called, Prose } from '../../lib/html-text.tsx';
import type { Log } from '../../lib/log.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { asCalled } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { withDeadline } from '../../lib/waiting.ts';
import type { Visitor } from '../../model/ask.ts';
import type { Assets } from './assets.ts';
import { Layout, Service } from './layout.tsx';
import type { Core, Reply, Standing } from './visit.ts';

export type Frame = {
  readonly page: Core;
  readonly assets: Assets;
  readonly log: Log;
  readonly lines: Lines;
};

type Lines = ReturnType<typeof createLines>;

const LINES_KEPT = 200;

/** What was done, until the page that comes next has told it, to whoever did it alone. */
export function createLines() {
  return createRecentMap<string, { readonly words: string; readonly by: string }>(LINES_KEPT);
}

const SAID = 'said';

/** `visitor`: `null`: not logged in. */
export type Asked = { readonly context: Context; readonly frame: Frame; readonly visitor: Visitor | null };

const HTML = { 'content-type': 'text/html; charset=utf-8' };

export async function responseTo(reply: Reply, asked: Asked): Promise<Response> {
  switch (reply.kind) {
    case 'page':
      return pageResponse(asked, reply);
    case 'redirect':
      return asked.context.redirect(toldAt(reply, asked), 303);
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
        headers: { ...HTML, 'content-security-policy': reportPolicy(reply.html) },
      });
    case 'missing':
      return messageResponse(asked, { status: 404, words: reply.words });
    default:
      return reply satisfies never;
  }
}

function toldAt({ to, said }: Extract<Reply, { kind: 'redirect' }>, { frame, visitor }: Asked): string {
  if (said === undefined || visitor === null) return to;
  const name = randomBytes(9).toString('base64url');
  frame.lines.set(name, { words: said, by: visitor.name });
  return `${to}${to.includes('?') ? '&' : '?'}${SAID}=${name}`;
}

const ETAG = 22;

/** Where a page's live part is fetched. */
export function livePath(path: string): string {
  return `${path === '/' ? '' : path}/live`;
}

/** A live part, or 304 where the browser has it. */
export function fragmentResponse(html: string, context: Context): Response {
  const etag = `"${shortDigest(html, ETAG)}"`;
  if (context.req.header('if-none-match') === etag)
    return new Response(null, { status: 304, headers: { etag } });
  return new Response(html, { headers: { ...HTML, etag } });
}

/** A report's style hash stands within so many bytes. */
const HEAD_BYTES = 1_000;

/** A report loads and runs nothing and is embedded nowhere; its head has its style's hash. */
function reportPolicy(html: Uint8Array): string {
  const head = Buffer.from(html.subarray(0, HEAD_BYTES)).toString('latin1');
  const style = /style-src (?:'|&#39;)(sha256-[\w+/=]+)(?:'|&#39;)/.exec(head)?.[1];
  const allowed = style === undefined ? "'none'" : `'${style}'`;
  return `sandbox; default-src 'none'; style-src ${allowed}; base-uri 'none'; frame-ancestors 'none'`;
}

function bodyOf(
  body: Extract<Reply, { kind: 'download' }>['body'],
): ConstructorParameters<typeof Response>[0] {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : ReadableStream.from(body);
}

export async function pageResponse(
  { context, frame, visitor }: Asked,
  { title, body, live, status = 200 }: Omit<Extract<Reply, { kind: 'page' }>, 'kind'>,
): Promise<Response> {
  const { pathname, search, searchParams } = new URL(context.req.url);
  const line = searchParams.get(SAID) ?? '';
  const kept = frame.lines.get(line);
  const said = kept?.by === visitor?.name ? kept?.words : undefined;
  if (said !== undefined) frame.lines.delete(line);
  const own = search.replace(new RegExp(`[?&]${SAID}=[^&]*$`), '');
  const standing = visitor === null ? null : await standingOf(frame.page);
  // Whoever is not logged in learns no folder.
  const called = (visitor === null ? null : frame.page.command) ?? 'onboard';
  const html = (
    <Called.Provider value={called}>
      <Layout
        title={title}
        path={pathname}
        standing={standing}
        visitor={visitor}
        looksOnly={frame.page.ask === null}
        assets={frame.assets.paths}
        isLive={live !== undefined}
      >
        {said === undefined ? null : (
          <p class="notice" role="status">
            <b aria-hidden="true">✓</b> <Prose of={said} bytes={1_500} />
          </p>
        )}
        {body}
        {live === undefined ? null : (
          <div data-live={livePath(pathname) + own}>{await withService(live, frame.page, standing)}</div>
        )}
      </Layout>
    </Called.Provider>
  );
  return new Response(`<!doctype html>\n${String(await html)}\n`, { status, headers: HTML });
}

/** What a live part shows first: it is fetched again, and what stands above the page is not. */
export async function withService(live: JSX.Element, page: Core, known?: Standing | null) {
  const standing = known === undefined ? await standingOf(page) : known;
  return (
    <>
      {standing === null ? null : <Service service={standing.service} looksOnly={page.ask === null} />}
      {live}
    </>
  );
}

const STANDING_MS = 2_000;

/** Must not keep the page from being shown. */
async function standingOf(page: Core): Promise<Standing | null> {
  const standing = await withDeadline(page.standing(), STANDING_MS).catch(() => null);
  return standing === 'late' ? null : standing;
}

type Message = { readonly status: 400 | 403 | 404 | 500 | 503; readonly words: string };

const HEADING: Readonly<Record<Message['status'], string>> = {
  400: 'Not done',
  403: 'Not for you',
  404: 'Not here',
  500: 'Not done',
  503: 'Not now',
};

export function messageResponse(asked: Asked, { status, words }: Message): Promise<Response> {
  const body = (
    <>
      <h1>{HEADING[status]}</h1>
      <p>
        <Prose of={words} bytes={2_000} />
      </p>
    </>
  );
  return pageResponse(asked, { title: HEADING[status], body, status });
}

/** As long as any look may take; a search ends by itself before. */
const LOOK_MS = 6_000;
const LATE =
  'Redis does not answer, so nothing can be shown just now. That loses no row: what is sent is recorded when it is back. Look again in a moment.';

/** Waits no longer for an absent Redis than a person would. */
export async function inTime(answer: Promise<Response>, asked: Asked): Promise<Response> {
  const response = await withDeadline(answer, LOOK_MS);
  return response === 'late' ? messageResponse(asked, { status: 503, words: LATE }) : response;
}

const UNEXPECTED = 'Something went wrong on this side. The log of the page has more.';

/**
 * Says what the visitor can correct; the rest goes to the log, since an error may hold what a
 * viewer must not see.
 */
export function failureResponse(error: unknown, asked: Asked): Promise<Response> | Response {
  const isUsage = error instanceof UsageError;
  const { context, frame } = asked;
  if (!isUsage) frame.log.error('page', { path: context.req.routePath, problem: messageOf(error) });
  const words = isUsage ? error.problems.join(' ') : UNEXPECTED;
  const status = isUsage ? 400 : 500;
  if (context.req.method === 'PUT')
    return Response.json({ problem: asCalled(words, frame.page) }, { status });
  return messageResponse(asked, { status, words });
}
