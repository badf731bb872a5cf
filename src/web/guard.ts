/**
 * Who may ask at all: requests that came by a name that is not ours (a page of somebody else's whose name was bound to this address), and
 * requests that change something and were sent by another site's page, are refused before anything is looked up for them. Pure.
 */

import { isLoopback } from '../lib/loopback.ts';

/** What of a request the guard looks at. */
type GuardedRequest = {
  readonly method: string;
  readonly path: string;
  /** The header of that name, in lower case. */
  header(name: string): string | undefined;
};

type Refusal = { readonly status: 400 | 403 | 421; readonly words: string };

/** Why the request to the page at that origin is refused, with the status that says so; `null`: it may go on. */
export function refusalOf(request: GuardedRequest, origin: string): Refusal | null {
  const { method, path } = request;
  const host = request.header('host') ?? '';
  const isLook = method === 'GET' || method === 'HEAD';
  if (host !== new URL(origin).host) {
    if (!isLook || !isOfThisMachine(host))
      return { status: 421, words: 'This page is not known by that name.' };
    if (path !== '/healthz') return { status: 421, words: `The page is at ${origin}/` };
  }
  // Nobody would read it, or wait for its end.
  if (isLook) return hasBody(request) ? { status: 400, words: 'Expected no body.' } : null;
  return isFromUs(request, origin)
    ? null
    : { status: 403, words: 'Expected to be asked by a page of this one.' };
}

function isOfThisMachine(host: string): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
}

function hasBody({ header }: GuardedRequest): boolean {
  return header('transfer-encoding') !== undefined || (header('content-length') ?? '0') !== '0';
}

/** Browsers send `Origin: null` with a form of a page that gives no referrer: then what they say of the site counts. */
function isFromUs({ header }: GuardedRequest, own: string): boolean {
  const from = header('origin');
  if (from !== undefined && from !== 'null') return from === own;
  return header('sec-fetch-site') === 'same-origin';
}
