import type { Outcome } from './outcome.ts';

/** What one reply means for the row (DESIGN.md, section 5). `code` and `message` hold no personal data. */
export type Verdict =
  | {
      readonly kind: 'accepted';
      readonly outcome: Extract<Outcome, 'created' | 'updated' | 'drafted' | 'listed'>;
      readonly status: number;
      readonly id: string | null;
      /** `payment.documents` only: the JSON text of the list, as received. */
      readonly documents: string | null;
      /** Accepted, but something about the answer is worth a look. */
      readonly warning: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly outcome: Extract<Outcome, 'rejected' | 'denied' | 'failed'>;
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly body: string;
    }
  | {
      /** Another attempt is safe: nothing was received, or the call may be repeated. */
      readonly kind: 'retry';
      readonly status: number | null;
      readonly code: string;
      readonly message: string;
      /** The service's own wish, else `null`: back off. */
      readonly afterMs: number | null;
    }
  | {
      /** Not this row's fault: the run can't go on as it is. The row is not burned. */
      readonly kind: 'stop';
      readonly reason: 'credentials';
      readonly status: number;
      readonly message: string;
    }
  | {
      /** A create was sent and what became of it is not known: never sent again by itself. */
      readonly kind: 'unknown';
      readonly status: number | null;
      readonly code: string;
      readonly message: string;
    };
