import type { Reply } from '../model/request.ts';
import { TIMED_OUT } from '../service/network-error.ts';

/** What a reply says of the number of requests in flight. */
export type LoadSignal =
  /** The service did what it was asked to: how long that took tells something too. */
  | 'carried-out'
  /** It was refused for what it asks, which says nothing of how long others take. */
  | 'borne'
  /** It was one too many. */
  | 'overloaded'
  /** Nothing: the fault is somewhere else. */
  | 'none';

/** Too many requests; unavailable; a gateway's time-out. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 504]);
const TIME_OUTS: ReadonlySet<string> = new Set([
  TIMED_OUT,
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Reads a reply as a sign of the service's load. A connection that doesn't come about is none: then the service is away. */
export function loadSignal(reply: Reply): LoadSignal {
  if (reply.kind !== 'response') return TIME_OUTS.has(reply.code) ? 'overloaded' : 'none';
  const { status } = reply;
  if (OVERLOADED.has(status)) return 'overloaded';
  if (status >= 500) return 'none';
  return status < 300 ? 'carried-out' : 'borne';
}
