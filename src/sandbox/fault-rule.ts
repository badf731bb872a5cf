import type { Call } from '../model/operation.ts';

/** Faults that answer, or don't, before anything is done: nothing is made. */
export const BEFORE_FAULTS = [
  '503',
  '503-retry-after',
  '429',
  '500',
  '401',
  '403',
  '404',
  'reset-before',
  'hang-before',
] as const;
export type BeforeFault = (typeof BEFORE_FAULTS)[number];

/** Faults of the answer alone: the entity has been made, the update carried out, the documents listed. */
export const AFTER_FAULTS = [
  '503-after-create',
  '500-after-create',
  'reset-after-create',
  'hang',
  'cut-answer',
  'not-json',
  'no-id',
] as const;
export type AfterFault = (typeof AFTER_FAULTS)[number];

export const FAULT_NAMES = ['latency', ...BEFORE_FAULTS, ...AFTER_FAULTS] as const;

/** Which of the requests asked about a rule hits: a share of them at random, every nth, the first n, or all. */
export type When =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'every'; readonly n: number }
  | { readonly kind: 'first'; readonly n: number }
  | { readonly kind: 'always' };

/** Where a rule looks: only keys that start so (`''`: any), only this call (`null`: any). */
export type Aim = { readonly when: When; readonly keyPrefix: string; readonly call: Call | null };

export type LatencyRule = Aim & {
  readonly kind: 'latency';
  readonly name: 'latency';
  readonly ms: number;
  /** The wait is even over `ms - spreadMs` to `ms + spreadMs`. */
  readonly spreadMs: number;
};
export type BeforeRule = Aim & {
  readonly kind: 'before';
  readonly name: BeforeFault;
  /** `null`: the answer carries no Retry-After. */
  readonly retryAfterSeconds: number | null;
};
export type AfterRule = Aim & { readonly kind: 'after'; readonly name: AfterFault };
export type FaultRule = LatencyRule | BeforeRule | AfterRule;
