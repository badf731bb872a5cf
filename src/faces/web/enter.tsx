/**
 * Log-in and log-out: by a printed link, whose key stands behind the # and so in no log, by a
 * token, or through a proxy that has logged people in. Every failure reads the same; redirects lead
 * only to our own pages.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Visitor } from '../../model/ask.ts';
import type { WebAccess } from './access.ts';
import { type Frame, pageResponse } from './reply.tsx';
import { isSameSecret, type Sessions } from './sessions.ts';

type EntranceParts = { readonly access: WebAccess; readonly sessions: Sessions; readonly frame: Frame };

const PROXY_SECRET = 'x-onboard-proxy-secret';
/** Apache's text for an unset variable. */
const NO_NAME = '(null)';

/** `isLive`: the page asked by itself, which is no sign of a person. */
type From = { readonly address: string; readonly isLive: boolean };

export function createEntrance({ access, sessions, frame }: EntranceParts) {
  const isSecure = access.origin?.startsWith('https:') === true;

  /** Ports share cookies: pages of two homes must not log each other's visitors out. */
  function cookieName({ req }: Context): string {
    return isSecure ? '__Host-onboard' : `onboard-${/\d*$/.exec(req.header('host') ?? '')?.[0] ?? ''}`;
  }

  /** '' without the proxy's secret: other users of its machine come from its address too. */
  function nameByProxy({ req }: Context, address: string): string {
    const { proxy } = access;
    if (proxy === null || !proxy.addresses.includes(address)) return '';
    const isProxy = isSameSecret(req.header(PROXY_SECRET) ?? '', proxy.secret);
    return isProxy ? (req.header(proxy.header) ?? '').trim() : '';
  }

  function show(context: Context, { to, problem, status }: Shown): Promise<Response> {
    const body = <Enter to={ownPath(to)} problem={problem} />;
    return pageResponse({ context, frame, visitor: null }, { title: 'Log in', body, status });
  }

  return {
    show: (context: Context) =>
      show(context, { to: context.req.query('to') ?? '/', problem: '', status: 200 }),
    async enter(context: Context, form: URLSearchParams, address: string): Promise<Response> {
      const field = (name: string) => (form.get(name) ?? '').trim();
      const entered = await sessions.enter({ secret: field('token'), name: field('name') }, address);
      const to = field('to');
      if (entered.kind === 'later') return show(context, { to, problem: LATER, status: 429 });
      if (entered.kind === 'refused') return show(context, { to, problem: REFUSED, status: 401 });
      await frame.page.recordEntry(entered.visitor);
      setCookie(context, cookieName(context), entered.cookie, {
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
        secure: isSecure,
      });
      return context.redirect(ownPath(to), 303);
    },
    leave(context: Context): Response {
      sessions.leave(getCookie(context, cookieName(context)));
      return context.redirect('/enter', 303);
    },
    /** `null`: nobody known. */
    async visitorOf(context: Context, { address, isLive }: From): Promise<Visitor | null> {
      const name = nameByProxy(context, address);
      if (name !== '' && name !== NO_NAME) return sessions.visitorNamed(name);
      return sessions.visitorOf(getCookie(context, cookieName(context)), { isSign: !isLive });
    },
    refuse,
    /** To the log-in, and from there back to where the visitor was going. */
    refer(context: Context): Response {
      if (context.req.method !== 'GET') return refuse(context);
      const { pathname, search } = new URL(context.req.url);
      return context.redirect(`/enter?to=${encodeURIComponent(pathname + search)}`, 303);
    },
  };
}

/** For anything but a page. */
function refuse(context: Context): Response {
  return context.text('Expected a log-in.\n', 401);
}

type Shown = { readonly to: string; readonly problem: string; readonly status: number };

const LATER = 'Too many tries: wait a minute.';
const REFUSED = 'That is no token or link that lets anybody in now.';

/** Only a path of ours: `//elsewhere` and `/\elsewhere` would be another host's. */
function ownPath(to: string): string {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : '/';
}

/** `problem`: why the last try failed; empty before the first. */
function Enter({ to, problem }: { readonly to: string; readonly problem: string }) {
  return (
    <section class="enter">
      <h1>Log in</h1>
      {problem === '' ? null : (
        <p class="alarm" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action="/enter" data-enter>
        <input type="hidden" name="to" value={to} />
        <p>
          <label>
            Your name <input name="name" autocomplete="username" maxlength={64} />
          </label>
          <br />
          <span class="dim">Recorded with what you do. Not needed with a token of your own.</span>
        </p>
        <p>
          <label>
            Token <input name="token" type="password" autocomplete="current-password" required />
          </label>
        </p>
        <button type="submit" class="go">
          Log in
        </button>
      </form>
      <p class="dim">
        <code>onboard start</code> prints a link that lets one person in, once, within ten minutes. Tokens
        come from <code>onboard web --add</code>, or from <code>ONBOARD_WEB_TOKEN</code>.
      </p>
    </section>
  );
}
