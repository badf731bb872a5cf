import { describe, expect, test } from 'vitest';
import {
  codeOf,
  codeOfNetworkError,
  isBeforeRequest,
  NETWORK_SENTENCES,
} from '../../../src/delivery/service/network-error.ts';

function failure(code: string, syscall?: string): Error {
  return Object.assign(new Error('x'), syscall === undefined ? { code } : { code, syscall });
}

test.each([
  ['ECONNREFUSED', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['EAI_AGAIN', 'getaddrinfo'],
  ['ECONNRESET', 'connect'],
  ['ETIMEDOUT', 'connect'],
  ['EHOSTUNREACH', 'connect'],
  ['ENETUNREACH', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT', undefined],
  ['UND_ERR_INVALID_ARG', undefined],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined],
  ['CERT_HAS_EXPIRED', undefined],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined],
  ['ERR_TLS_CERT_ALTNAME_INVALID', undefined],
  ['ERR_SSL_WRONG_VERSION_NUMBER', undefined],
])('errors that can only come before a request: %s (%s)', (code, syscall) => {
  expect(isBeforeRequest(failure(code, syscall))).toBe(true);
});

describe('errors that prove nothing', () => {
  test.each([
    ['ECONNRESET', 'read'],
    ['ECONNRESET', undefined],
    ['EPIPE', 'write'],
    ['ETIMEDOUT', 'read'],
    ['UND_ERR_SOCKET', undefined],
    ['UND_ERR_DESTROYED', undefined],
    ['UND_ERR_CLOSED', undefined],
    ['UND_ERR_ABORTED', undefined],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', undefined],
    ['HPE_INVALID_CONSTANT', undefined],
    ['ONBOARD_TIMEOUT', undefined],
    ['SOMETHING_NEW', undefined],
  ])('%s (%s)', (code, syscall) => {
    expect(isBeforeRequest(failure(code, syscall))).toBe(false);
  });

  test('a TimeoutError and an error without a code', () => {
    expect(isBeforeRequest(new DOMException('x', 'TimeoutError'))).toBe(false);
    expect(isBeforeRequest(new TypeError('x'))).toBe(false);
  });
});

test('several addresses prove nothing was sent only where each of them does', () => {
  const early = failure('ECONNREFUSED', 'connect');
  const late = failure('ECONNRESET', 'read');
  expect(isBeforeRequest(Object.assign(new AggregateError([early, early]), { code: 'ECONNREFUSED' }))).toBe(
    true,
  );
  expect(isBeforeRequest(Object.assign(new AggregateError([early, late]), { code: 'ECONNREFUSED' }))).toBe(
    false,
  );
  expect(isBeforeRequest(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(false);
});

test('an error without a code goes by its name', () => {
  expect(codeOf(new TypeError('x'))).toBe('TypeError');
  expect(codeOf(failure('EPIPE'))).toBe('EPIPE');
});

test.each([
  ['ECONNREFUSED', 'connection_refused'],
  ['ENOTFOUND', 'name_not_found'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['ONBOARD_TIMEOUT_BEFORE_SENDING', 'connect_timeout'],
  ['CERT_HAS_EXPIRED', 'tls_failed'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'certificate_wanted'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'certificate_wanted'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'certificate_wanted'],
  // OpenSSL 3.2 and newer.
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'certificate_wanted'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'handshake_refused'],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'tls_failed'],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'http2_only'],
  ['PROXY_407', 'proxy_login'],
  ['PROXY_ECONNREFUSED', 'proxy_failed'],
  ['UND_ERR_INVALID_ARG', 'request_invalid'],
  ['ECONNRESET', 'connection_lost'],
  ['UND_ERR_SOCKET', 'connection_lost'],
  ['ONBOARD_TIMEOUT', 'timeout'],
  ['UND_ERR_DESTROYED', 'client_closed'],
  ['HPE_INVALID_CONSTANT', 'answer_broken'],
  ['HTTPParserError', 'answer_broken'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'answer_too_large'],
  ['ONBOARD_CONTENT_ENCODING', 'answer_encoded'],
  ['ONBOARD_UNASKED_CONTINUE', 'answer_continued'],
  ['SOMETHING_NEW', 'network_error'],
  ['constructor', 'network_error'],
] as const)('%s is called %s, and has a sentence', (raw, code) => {
  expect(codeOfNetworkError(raw)).toBe(code);
  expect(NETWORK_SENTENCES[code]).toMatch(/^[A-Z].*\.$/);
});
