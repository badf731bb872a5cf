/**
 * What the program knows of an operation and of the calls that carry it out. All that safety rests
 * on is a call's effect: what creates is never repeated where its outcome isn't known.
 */
import type { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import type { AcceptedOutcome } from '../model/outcome.ts';
import type { ServiceRequest } from '../model/request.ts';

export type CallSpec = {
  readonly name: Operation;
  readonly effect: 'creates' | 'changes' | 'reads' | 'adopts';
  /** Whether it can be sent again without harm: without an idempotency key. */
  readonly mayRepeat: boolean;
  /** Of a row that the service accepted. */
  readonly outcome: AcceptedOutcome;
  readonly method: ServiceRequest['method'];
  /** In braces the document's name for the part that a row fills: `/v1/subclients/{id}`. */
  readonly path: string;
  readonly body: (() => z.ZodObject) | null;
  /** As the document names it; `null`: it names none. */
  readonly permission: string | null;
  /** JSON pointers to where a created record has its key, the first that is filled; else none. */
  readonly keyIn: readonly string[];
};

/** Kinds of names for keys in the tables that `map` goes by. */
export type KeyKind =
  | 'external'
  | 'service'
  | 'subclient'
  | 'counterparty'
  | 'parent'
  | 'owner'
  | 'ledger'
  | 'ref'
  | 'any';

export type OperationSpec = {
  readonly name: Operation;
  readonly purpose: string;
  /** What a row is about, as in a sentence. */
  readonly record: string;
  /** What a row becomes whose key is not known. */
  readonly call: CallSpec;
  /** What a row with a known key may become; `null`: the document shows no such call. */
  readonly update: CallSpec | null;
  /** Known keys are updated whatever the job says of them. */
  readonly isUpsert: boolean;
  /** Where keys are unique over all runs; `null`: only within the file. */
  readonly space: string | null;
  readonly proposal: Proposal;
};

/** What `map` goes by. */
type Proposal = {
  /** Whose fields: the first cell in the tables of names. */
  readonly kind: 'subclient' | 'counterparty' | 'payment';
  /** Names of the rows' own key, the most telling first: a payee's reference is a payment's. */
  readonly keys: readonly KeyKind[];
  /** Names of the key of a record that this one belongs to. */
  readonly references: readonly KeyKind[];
  /** The field that takes the key. */
  readonly keyField: string | null;
  /** The list whose items may be rows of one key. */
  readonly group: string | null;
};
