/** One HTTP attempt's result. An attempt never throws. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Milliseconds to wait, from `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3); `null`: absent or unreadable. */
      readonly retryAfterMs: number | null;
      /** The body as received, decoded as UTF-8. */
      readonly body: string;
      readonly ms: number;
    }
  | {
      /** A status came, but the body was cut off, too large or too slow. */
      readonly kind: 'unreadable';
      readonly status: number;
      readonly code: string;
      readonly ms: number;
    }
  | {
      /** No response. `sent: false` only where it is proven that not a byte of the request left. */
      readonly kind: 'no-response';
      readonly sent: boolean;
      readonly code: string;
      readonly ms: number;
    };
