/**
 * Refuses, before anything is looked up: requests under a host name that is not ours (another
 * site's name bound to this address), and changes sent by another site's page; and bounds bodies.
 */

import { isLoopback } from '../../lib/machine.ts';

type GuardedRequest = {
  readonly method: string;
  readonly path: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
};

type Refusal = { readonly status: 400 | 403 | 421; readonly words: string };

/** Why the page at that origin refuses the request, with the status; `null`: it may go on. */
export function refusalOf(request: GuardedRequest, origin: string): Refusal | null {
  const { method, path } = request;
  const host = request.header('host') ?? '';
  const isLook = method === 'GET' || method === 'HEAD';
  if (host !== new URL(origin).host) {
    if (!isLook || !isOfThisMachine(host))
      return { status: 421, words: 'This page is not known by that name.' };
    if (path !== '/healthz') return { status: 421, words: `The page is at ${origin}/` };
  }
  // Nobody would read the body, or wait for its end.
  if (isLook) return hasBody(request) ? { status: 400, words: 'Expected no body.' } : null;
  // No browser comes with a machine's token by itself.
  if (isForMachines(path)) return null;
  return isFromUs(request, origin)
    ? null
    : { status: 403, words: 'Expected to be asked by a page of this one.' };
}

/** Where a token in the request's head counts, and no cookie. */
export function isForMachines(path: string): boolean {
  return path.startsWith('/api/');
}

function isOfThisMachine(host: string): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
}

function hasBody({ header }: GuardedRequest): boolean {
  return header('transfer-encoding') !== undefined || (header('content-length') ?? '0') !== '0';
}

/** `Origin: null` comes with forms of pages without a referrer: then Sec-Fetch-Site counts. */
function isFromUs({ header }: GuardedRequest, own: string): boolean {
  const from = header('origin');
  if (from !== undefined && from !== 'null') return from === own;
  return header('sec-fetch-site') === 'same-origin';
}

/** Counted as bytes pass, whatever their headers say; `null`: it has more than so many. */
export async function textWithin({ body }: Pick<Request, 'body'>, most: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.byteLength;
    if (size > most) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
