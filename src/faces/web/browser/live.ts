/**
 * In the browser: live parts are fetched once a second while they are visible and not held, and
 * morphed in, so that what is unfolded, selected or scrolled stays. After failures they are fetched
 * less often, and the page says so.
 */

const EVERY_MS = 1_000;
const LONGEST_MS = 10_000;
const PATIENCE_MS = 10_000;

type LiveOptions = {
  /** Makes the element what that HTML says. */
  morph(element: Element, html: string): void;
  /** Shows whether the server answers. */
  tell(words: string): void;
};

type Part = { readonly element: Element; readonly path: string; etag: string };

/** Keeps the page's live parts fresh; `null`: it has none. */
export function keepLive({ morph, tell }: LiveOptions): { hold(isHeld: boolean): void } | null {
  const parts: readonly Part[] = [...document.querySelectorAll<HTMLElement>('[data-live]')].map(
    (element) => ({ element, path: element.dataset.live ?? '', etag: '' }),
  );
  if (parts.length === 0) return null;
  let isHeld = false;
  let isAsking = false;
  let waitMs = EVERY_MS;
  let lostAt: Date | null = null;
  let timer = window.setTimeout(look, EVERY_MS);

  const mayAsk = () => document.visibilityState === 'visible' && !isHeld;

  async function look(): Promise<void> {
    clearTimeout(timer);
    if (isAsking || !mayAsk()) return;
    isAsking = true;
    const arrived = await Promise.all(parts.map(ask)).catch(() => [false]);
    isAsking = false;
    note(arrived.every(Boolean));
    timer = window.setTimeout(look, waitMs);
  }

  function note(isThere: boolean): void {
    waitMs = isThere ? EVERY_MS : Math.min(LONGEST_MS, waitMs * 2);
    if (isThere === (lostAt === null)) return;
    lostAt = isThere ? null : new Date();
    const since = lostAt?.toLocaleTimeString('en-GB');
    tell(since === undefined ? '' : `Not connected since ${since}; what is shown is from then.`);
  }

  async function ask(part: Part): Promise<boolean> {
    const response = await fetch(part.path, {
      headers: part.etag === '' ? {} : { 'if-none-match': part.etag },
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status === 401)
      location.assign(`/enter?to=${encodeURIComponent(location.pathname + location.search)}`);
    // The part's subject is over, and another page has the result.
    else if (response.type === 'opaqueredirect') location.reload();
    else if (response.ok) {
      const html = await response.text();
      // Held or hidden while the answer was on its way.
      if (!mayAsk()) return true;
      part.etag = response.headers.get('etag') ?? '';
      morph(part.element, html);
    } else return response.status === 304;
    return true;
  }

  document.addEventListener('visibilitychange', look);
  return {
    hold(wanted) {
      isHeld = wanted;
      void look();
    },
  };
}
