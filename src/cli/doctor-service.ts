import type { TokenSource } from '../config/environment.ts';
import { type BaseUrl, parseBaseUrl } from '../service/base-url.ts';
import { createCredentials } from '../service/credentials.ts';
import { codeOf, codeOfNetworkError, NETWORK_SENTENCES } from '../service/network-error.ts';
import { type Finding, ok, problem, problemsOf, warning } from './doctor-finding.ts';
import { openConnection } from './open-connection.ts';

const REHEARSE = 'or rehearse with --sandbox.';

/** Whether the service can be connected to; nothing is asked of it, since no call is documented as harmless. */
export async function checkService(baseUrl: string | null): Promise<Finding[]> {
  if (baseUrl === null) {
    return [
      problem(
        'service',
        'MSB_BASE_URL is not set',
        `Set it to the address of the service, such as https://api.example.com, ${REHEARSE}`,
      ),
    ];
  }
  try {
    return [await tryConnection(parseBaseUrl(baseUrl))];
  } catch (error) {
    return problemsOf('service', error, `Correct MSB_BASE_URL, ${REHEARSE}`);
  }
}

async function tryConnection({ origin }: BaseUrl): Promise<Finding> {
  const { hostname, port, protocol } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    await openConnection({ host, port: Number(port) || (isEncrypted ? 443 : 80), isEncrypted });
    return ok(
      'service',
      `${origin} takes ${isEncrypted ? 'encrypted ' : ''}connections (no request was sent)`,
    );
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : String(error);
    const finding = `${origin}: ${NETWORK_SENTENCES[codeOfNetworkError(code)]} (${code})`;
    const advice = `Check MSB_BASE_URL, the network and, for a certificate of your own, NODE_EXTRA_CA_CERTS.`;
    return problem('service', finding, advice);
  }
}

const NAMES: Readonly<Record<TokenSource['kind'], string>> = {
  none: '',
  token: 'MSB_TOKEN',
  file: 'MSB_TOKEN_FILE',
  command: 'MSB_TOKEN_COMMAND',
};

/** Whether there is a token; whether the service takes it shows with the first row only. */
export async function checkCredentials(source: TokenSource): Promise<Finding[]> {
  if (source.kind === 'none') {
    const advice = `Set one of MSB_TOKEN, MSB_TOKEN_FILE and MSB_TOKEN_COMMAND, ${REHEARSE}`;
    return [problem('credentials', 'no token is set', advice)];
  }
  const credentials = createCredentials(source);
  try {
    await credentials.current();
  } catch (error) {
    return problemsOf('credentials', error, 'Mend it, or set another of the token variables.');
  }
  const known = ok('credentials', `${NAMES[source.kind]} gives a token`);
  const text = credentials.warning();
  return [text === null ? known : warning('credentials', text, 'chmod 600 the token file.')];
}
