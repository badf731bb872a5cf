/**
 * Who may ask at all: requests that came by a name that is not ours (a page of somebody else's whose name was bound to this address), and
 * requests that change something and were sent by another site's page, are refused before anything is looked up for them. Pure.
 */

/** What of a request the guard looks at. */
export type GuardedRequest = {
  readonly method: string;
  /** The header of that name, in lower case. */
  header(name: string): string | undefined;
};

export type GuardSettings = {
  /** Names by which the page is reached, each as a Host header has it. */
  readonly hosts: readonly string[];
  /** Where browsers see it, such as https://onboard.example.com; `null`: at one of its hosts. */
  readonly origin: string | null;
};

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Why the request is refused, with the status that says so; `null`: it may go on. */
export function refusalOf(
  request: GuardedRequest,
  { hosts, origin }: GuardSettings,
): { readonly status: 403 | 421; readonly words: string } | null {
  const host = request.header('host');
  const own = origin === null ? [] : [new URL(origin).host];
  if (host === undefined || ![...hosts, ...own].includes(host))
    return { status: 421, words: `Expected one of the hosts ${[...hosts, ...own].join(', ')}.` };
  if (READS.has(request.method)) return null;
  const from = request.header('origin');
  const isOurs =
    from === undefined
      ? request.header('sec-fetch-site') === 'same-origin'
      : from === (host === own[0] ? origin : `http://${host}`);
  return isOurs ? null : { status: 403, words: 'Expected to be asked by a page of its own.' };
}
