import type { Call } from './operation.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
export type JsonObject = { readonly [name: string]: JsonValue };

/** What a row maps to: one call of the service. */
export type ServiceRequest = {
  readonly call: Call;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Relative to the base URL, percent-encoded, with the query. */
  readonly path: string;
  /** JSON text, or `null` for a GET. */
  readonly body: string | null;
};
