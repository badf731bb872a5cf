/**
 * Who may ask at all: requests that came by a name that is not ours (a page of somebody else's whose name was bound to this address), and
 * requests that change something and were sent by another site's page, are refused before anything is looked up for them. Pure.
 */

/** What of a request the guard looks at. */
type GuardedRequest = {
  readonly method: string;
  /** The header of that name, in lower case. */
  header(name: string): string | undefined;
};

type GuardSettings = {
  /** Names by which the page is reached, each as a Host header has it. */
  readonly hosts: readonly string[];
  /** Where browsers see it, such as https://onboard.example.com; `null`: at one of its hosts. */
  readonly origin: string | null;
};

type Refusal = { readonly status: 400 | 403 | 421; readonly words: string };

/** Why the request is refused, with the status that says so; `null`: it may go on. */
export function refusalOf(request: GuardedRequest, { hosts, origin }: GuardSettings): Refusal | null {
  const host = request.header('host') ?? '';
  const proxied = origin === null ? null : { host: new URL(origin).host, origin };
  if (host !== proxied?.host && !hosts.includes(host))
    return { status: 421, words: 'This page is not known by that name.' };
  if (request.method === 'GET' || request.method === 'HEAD')
    // Nobody would read it, or wait for its end.
    return hasBody(request) ? { status: 400, words: 'Expected no body.' } : null;
  const own = host === proxied?.host ? proxied.origin : `http://${host}`;
  return isFromUs(request, own)
    ? null
    : { status: 403, words: 'Expected to be asked by a page of this one.' };
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
