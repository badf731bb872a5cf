import { ENCODED_ANSWER, isTlsCode, TIMED_OUT, TIMED_OUT_BEFORE_SENDING } from './network-error.ts';

/** Each code with its plain sentence: why no readable answer came, in the words of results.csv. */
export const NETWORK_SENTENCES = {
  connection_refused: 'The service refused the connection.',
  name_not_found: "The service's name could not be resolved.",
  host_unreachable: 'The service could not be reached over the network.',
  connect_timeout: 'No connection to the service came about in time.',
  tls_failed: "The service's certificate or its TLS settings were not accepted.",
  request_invalid: 'The request could not be put into HTTP.',
  connection_lost: 'The connection was lost.',
  timeout: 'The service took too long to answer.',
  client_closed: 'The program broke the request off while it was shutting down.',
  answer_broken: 'The answer was cut off or was not HTTP.',
  answer_too_large: 'The answer was larger than it may be.',
  answer_encoded: 'The answer was compressed or encoded, which was not asked for.',
  network_error: 'The request failed on the network.',
} as const;

/** The stable codes of what goes wrong below HTTP. */
export type NetworkCode = keyof typeof NETWORK_SENTENCES;

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
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_DESTROYED', 'client_closed'],
  ['UND_ERR_CLOSED', 'client_closed'],
  ['HTTPParserError', 'answer_broken'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'answer_broken'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'answer_too_large'],
  ['UND_ERR_HEADERS_OVERFLOW', 'answer_too_large'],
  [ENCODED_ANSWER, 'answer_encoded'],
]);

/** The stable code of an error of undici or Node, as a reply carries it. */
export function codeOfNetworkError(raw: string): NetworkCode {
  const code = CODES.get(raw);
  if (code !== undefined) return code;
  if (isTlsCode(raw)) return 'tls_failed';
  // The prefix of the HTTP parser's errors, where they have a code.
  return raw.startsWith('HPE_') ? 'answer_broken' : 'network_error';
}
