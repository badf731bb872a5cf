/** Our own codes beside undici's and Node's, for a reply's `code`. */
export const TIMED_OUT = 'ONBOARD_TIMEOUT';
export const TIMED_OUT_BEFORE_SENDING = 'ONBOARD_TIMEOUT_BEFORE_SENDING';
export const ENCODED_ANSWER = 'ONBOARD_CONTENT_ENCODING';

/** Only a socket that never was connected, or a name that was never resolved, fails in these. */
const CONNECTING = new Set(['connect', 'getaddrinfo']);

/** Errors before the connection was ready for a request, or before there was a request at all. */
const BEFORE_REQUEST = new Set([
  TIMED_OUT_BEFORE_SENDING,
  'ECONNREFUSED',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What the handshake says of a certificate that it doesn't trust (Node's documentation of tls, "X509 certificate error codes"). */
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

/**
 * Whether the error is one that can only come before a request leaves. One half of the proof that nothing was sent:
 * some of these codes occur later too, so the request must also never have been handed to a connection.
 */
export function isBeforeRequest(error: Error): boolean {
  // Several addresses were tried: each has to have failed that early.
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

/** Whether the code says that no trusted, encrypted connection came about. */
export function isTlsCode(code: string): boolean {
  return (
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code.startsWith('ERR_SSL_') || UNTRUSTED_CERTIFICATE.has(code)
  );
}

/** The error's code, or its name where it has none. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
