import type { Reply, Verdict } from '../../../src/model/request.ts';

/** Kind, code and wait: what the delivery acts on. */
export function summary(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'accepted':
      return `accepted ${verdict.outcome} ${verdict.id ?? 'no id'}${verdict.warning === null ? '' : ' (warning)'}`;
    case 'refused':
      return `refused ${verdict.outcome} ${verdict.code}`;
    case 'retry':
      return `retry ${verdict.code}${verdict.afterMs === null ? '' : ` after ${verdict.afterMs}`}`;
    case 'stop':
      return `stop ${verdict.reason}`;
    case 'unknown':
      return `unknown ${verdict.code}`;
    default:
      return verdict satisfies never;
  }
}

export function response(status: number, body = '', retryAfterMs: number | null = null, ms = 1) {
  return { kind: 'response', status, body, retryAfterMs, ms } satisfies Reply;
}

export function unreadable(status: number, retryAfterMs?: number) {
  const limit = retryAfterMs !== undefined && { retryAfterMs };
  return { kind: 'unreadable', status, code: 'UND_ERR_SOCKET', ms: 1, ...limit } satisfies Reply;
}

export function noResponse(sent: boolean, code: string) {
  return { kind: 'no-response', sent, code, ms: 1 } satisfies Reply;
}
