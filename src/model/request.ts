/**
 * One call of the service: the request that a row maps to, the reply of one attempt (what happened
 * on the wire), and the verdict on it (what that means for the row).
 */
import type { Call } from './operation.ts';
import type { AcceptedOutcome, Outcome } from './outcome.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
export type JsonObject = { readonly [name: string]: JsonValue };

export type ServiceRequest = {
  readonly call: Call;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, percent-encoded, with the query. */
  readonly path: string;
  /** JSON text; `null` for a GET. */
  readonly body: string | null;
  /** The header by which the service carries it out once. */
  readonly idempotency?: { readonly header: string; readonly value: string };
};

export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** When the request may come again; `null`: not said. A 403 that says it is a limit. */
      readonly retryAfterMs: number | null;
      /** As received, decoded as UTF-8; without a 2xx at most its first 64 KiB. */
      readonly body: string;
      /** Bytes of the body that followed; absent: none. */
      readonly restBytes?: number;
      /** From the header that `send.requestId` names; absent: none, or none is named. */
      readonly requestId?: string;
      /** Of a 2xx that does not look as usual. */
      readonly contentType?: string;
      readonly location?: string;
      readonly ms: number;
    }
  | {
      /** A status came, but the body was cut off, too large or too slow. */
      readonly kind: 'unreadable';
      readonly status: number;
      /** Absent: not said. */
      readonly retryAfterMs?: number;
      readonly requestId?: string;
      readonly code: string;
      readonly ms: number;
    }
  | {
      /** `sent: false` only where provably no byte of the request left. */
      readonly kind: 'no-response';
      readonly sent: boolean;
      readonly requestId?: string;
      readonly code: string;
      readonly ms: number;
    };

export type Refusal = {
  readonly kind: 'refused';
  readonly outcome: Extract<Outcome, 'rejected' | 'denied' | 'failed'>;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly body: string;
  /** Bytes of the body that followed; absent: none. */
  readonly restBytes?: number;
};

/** `code` and `message` hold no personal data. */
export type Verdict =
  | {
      readonly kind: 'accepted';
      readonly outcome: AcceptedOutcome;
      readonly status: number;
      readonly id: string | null;
      /** Of a call that reads: the JSON text of the list, as received. */
      readonly documents: string | null;
      /** Accepted, but something about the answer is worth a look. */
      readonly warning: string | null;
    }
  | Refusal
  | {
      /** Another attempt is safe: nothing was received, or the call may be repeated. */
      readonly kind: 'retry';
      readonly status: number | null;
      readonly code: string;
      readonly message: string;
      readonly afterMs: number | null;
      /** What the answer means if waiting for that time does not help. */
      readonly otherwise?: Refusal;
    }
  | {
      /** The run can't go on, through no fault of the row, which keeps its attempts. */
      readonly kind: 'stop';
      readonly reason: 'credentials';
      /** `null`: nothing was sent. */
      readonly status: number | null;
      readonly message: string;
    }
  | {
      /** A create was sent and its outcome is unknown: it is never sent again by itself. */
      readonly kind: 'unknown';
      readonly status: number | null;
      readonly code: string;
      readonly message: string;
      /** Only the id is unknown: what the service gave as one, on one line and cut; or `''`. */
      readonly givenId?: string;
    };
