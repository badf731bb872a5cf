/**
 * What goes wrong below HTTP: which errors come only before a request leaves, and the code and
 * sentence that reports have for each.
 */

/** Codes of our own beside undici's and Node's, for a reply's `code`. */
export const TIMED_OUT = 'ONBOARD_TIMEOUT';
export const TIMED_OUT_BEFORE_SENDING = 'ONBOARD_TIMEOUT_BEFORE_SENDING';
export const ENCODED_ANSWER = 'ONBOARD_CONTENT_ENCODING';
const UNASKED_CONTINUE = 'ONBOARD_UNASKED_CONTINUE';
const ANSWERED_IN_HTTP2 = 'ONBOARD_HTTP2';
/** Before a proxy's status, or the code of an error on the way to it. */
export const PROXY_CODE = 'PROXY_';

/** They fail only for a socket that never was connected, or a name that never was resolved. */
const CONNECTING = new Set(['connect', 'getaddrinfo']);

/** Errors before the connection was ready for a request, or before there was a request at all. */
const BEFORE_REQUEST = new Set([
  TIMED_OUT_BEFORE_SENDING,
  'ECONNREFUSED',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
]);

/** Node's documentation of tls, "X509 certificate error codes". */
const UNTRUSTED_CERTIFICATE = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
]);

/** By an alert's name; before it OpenSSL's versions have different words. */
const ALERTS = new Map<string, NetworkCode>([
  ['CERTIFICATE_REQUIRED', 'certificate_wanted'],
  ['CERTIFICATE_REVOKED', 'certificate_wanted'],
  ['CERTIFICATE_EXPIRED', 'certificate_wanted'],
  ['CERTIFICATE_UNKNOWN', 'certificate_wanted'],
  ['UNSUPPORTED_CERTIFICATE', 'certificate_wanted'],
  ['BAD_CERTIFICATE', 'certificate_wanted'],
  ['UNKNOWN_CA', 'certificate_wanted'],
  ['HANDSHAKE_FAILURE', 'handshake_refused'],
  ['NO_APPLICATION_PROTOCOL', 'http2_only'],
]);

function codeOfAlert(code: string): NetworkCode | undefined {
  return ALERTS.get(/^ERR_SSL_.*ALERT_(\w+)$/.exec(code)?.[1] ?? '');
}

/** About the certificate that this program showed, or about none. */
export function isCertificateAlert(code: string): boolean {
  return codeOfAlert(code) === 'certificate_wanted';
}

/** Failed while connecting, whatever the code: a reset in the handshake looks like a later one. */
const whileConnecting = new WeakSet<Error>();

/** Notes that no connection came about for this error's sake; for the connector alone. */
export function noteConnectError(error: Error): void {
  whileConnecting.add(error);
}

/** Of connections that seemed to stand. */
const inHandshake = new WeakSet<Error>();

/** Notes that a connection ended before its server read anything; for the connector alone. */
export function noteHandshakeError(error: Error): void {
  inHandshake.add(error);
}

/** The whole proof: nothing was sent, though a request was handed to that connection. */
export function isHandshakeError(error: Error): boolean {
  return inHandshake.has(error);
}

/**
 * One half of the proof that nothing was sent: some of these codes occur later too, so the request
 * must also never have been handed to a connection.
 */
export function isBeforeRequest(error: Error): boolean {
  if (whileConnecting.has(error)) return true;
  // Several addresses were tried: each attempt must have failed before a request.
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every((e) => e instanceof Error && isBeforeRequest(e));
  }
  const code = codeOf(error);
  return (
    BEFORE_REQUEST.has(code) ||
    isTlsCode(code) ||
    ('syscall' in error && CONNECTING.has(String(error.syscall)))
  );
}

function isTlsCode(code: string): boolean {
  return (
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code.startsWith('ERR_SSL_') || UNTRUSTED_CERTIFICATE.has(code)
  );
}

export function codeOf(error: Error): string {
  // undici's only words for a 100 that came before the answer, of which nothing is read then.
  if (error.message === 'bad response') return UNASKED_CONTINUE;
  if ('data' in error && isHttp2(String(error.data))) return ANSWERED_IN_HTTP2;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** SETTINGS and GOAWAY. */
const HTTP2_FRAMES = [4, 7];

/** With such a frame an HTTP/2 server begins and ends (RFC 9113, 4.1). */
function isHttp2(text: string): boolean {
  const isOfConnection = text.slice(5, 9) === '\0\0\0\0';
  return isOfConnection && HTTP2_FRAMES.includes(text.charCodeAt(3));
}

/** Each code with its plain sentence: why no readable answer came, in the words of results.csv. */
export const NETWORK_SENTENCES = {
  connection_refused: 'The service refused the connection.',
  name_not_found: "The service's name could not be resolved.",
  host_unreachable: 'The service could not be reached over the network.',
  connect_timeout: 'No connection to the service came about in time.',
  tls_failed:
    "The service's certificate or its TLS settings were not accepted " +
    '(MSB_TLS_CA_FILE names an authority of your own).',
  handshake_refused: 'The service broke the handshake off: it may ask for a client certificate.',
  certificate_wanted:
    'The service asks for a client certificate that it ' +
    'trusts: set MSB_TLS_CERT_FILE and MSB_TLS_KEY_FILE.',
  http2_only: 'The service speaks HTTP/2 alone, and this program HTTP/1.1.',
  proxy_login: 'The proxy asks for a login (407): set a user and ' + 'password that it knows in HTTPS_PROXY.',
  proxy_failed: 'The proxy (HTTPS_PROXY) opened no connection to the service.',
  request_invalid: 'The request could not be put into HTTP.',
  connection_lost: 'The connection was lost.',
  timeout: 'The service took too long to answer.',
  client_closed: 'The program broke the request off while it was shutting down.',
  answer_broken: 'The answer was cut off or was not HTTP.',
  answer_too_large: 'The answer was larger than it may be.',
  answer_continued:
    'The service sent "100 Continue" before its answer, which was ' +
    'not asked for, and the answer could not be read.',
  answer_encoded: 'The answer was compressed or encoded, which was not asked for.',
  network_error: 'The request failed on the network.',
} as const;

type NetworkCode = keyof typeof NETWORK_SENTENCES;

const CODES = new Map<string, NetworkCode>([
  ['ECONNREFUSED', 'connection_refused'],
  ['ENOTFOUND', 'name_not_found'],
  ['EAI_AGAIN', 'name_not_found'],
  ['EHOSTUNREACH', 'host_unreachable'],
  ['ENETUNREACH', 'host_unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  [TIMED_OUT_BEFORE_SENDING, 'connect_timeout'],
  ['UND_ERR_INVALID_ARG', 'request_invalid'],
  ['ECONNRESET', 'connection_lost'],
  ['EPIPE', 'connection_lost'],
  ['ETIMEDOUT', 'connection_lost'],
  ['UND_ERR_SOCKET', 'connection_lost'],
  [TIMED_OUT, 'timeout'],
  ['UND_ERR_DESTROYED', 'client_closed'],
  ['UND_ERR_CLOSED', 'client_closed'],
  ['HTTPParserError', 'answer_broken'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'answer_broken'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'answer_too_large'],
  ['UND_ERR_HEADERS_OVERFLOW', 'answer_too_large'],
  [ENCODED_ANSWER, 'answer_encoded'],
  [UNASKED_CONTINUE, 'answer_continued'],
  [ANSWERED_IN_HTTP2, 'http2_only'],
  [`${PROXY_CODE}407`, 'proxy_login'],
]);

export function codeOfNetworkError(raw: string): NetworkCode {
  const code = CODES.get(raw);
  if (code !== undefined) return code;
  if (raw.startsWith(PROXY_CODE)) return 'proxy_failed';
  if (isTlsCode(raw)) return codeOfAlert(raw) ?? 'tls_failed';
  // The prefix of the HTTP parser's errors, where they have a code.
  return raw.startsWith('HPE_') ? 'answer_broken' : 'network_error';
}
