/** The base URL of the service, refused where it would send the token in the clear. */
import { isLoopback } from '../../lib/machine.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** Where the service is: the origin, and what stands before every path (no slash at its end). */
type BaseUrl = { readonly origin: string; readonly basePath: string };

/** A UsageError unless it is a plain https address, or an http one on this machine. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError('The base URL is no http(s) address: expected one such as https://api.example.com');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'The base URL carries credentials: leave them out, and set ' +
        'MSB_TOKEN, MSB_TOKEN_FILE or MSB_TOKEN_COMMAND.',
    );
  }
  // An empty query or fragment leaves no trace in the parsed URL.
  if (text.includes('?') || text.includes('#')) {
    throw new UsageError(
      'The base URL has a query or a fragment: expected an address and ' +
        "at most a path; a job definition's `query` adds parameters.",
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(
      `The base URL http://${url.host} is not encrypted, and the token would travel in the ` +
        'clear: use https:// (http is for this machine only: localhost, 127.0.0.1, [::1]).',
    );
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
