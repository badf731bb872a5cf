/** How a sandbox behaves: its options and their defaults. */
import type { z } from 'zod';
import { type BuiltInCall, CALLS } from '../model/operation.ts';
import type { EntityKind } from './records.ts';

/** The calls that a sandbox answers: those of the document, and as `custom` whatever a job definition describes itself. */
export const SANDBOX_CALLS = [...CALLS, 'custom'] as const;
export type SandboxCall = (typeof SANDBOX_CALLS)[number];

/** The token that a sandbox takes unless told otherwise: it guards nothing. */
export const DEFAULT_TOKEN = 'sandbox-token';

/** The sandbox's names for what a token may do; the document names only two of the service's (section 5). */
export const PERMISSIONS = [
  'subclient.create',
  'subclient.modify',
  'counterparty.draft',
  'payment.documents',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** How a sandbox behaves; every setting may be left out. */
export type SandboxOptions = {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** The bearer tokens that it accepts. */
  readonly tokens?: readonly string[] | undefined;
  /** Default: all. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Fault specs, as parseFault reads them. */
  readonly faults?: readonly string[] | undefined;
  /** The seed of the faults' random shares; default 1. */
  readonly seed?: number | undefined;
  /** An NDJSON file of what was made, read at the start and appended to; default: memory only. */
  readonly dataFile?: string | undefined;
  /** How many subclients' bodies are remembered for updates; older ones keep id and key. Default 50,000. */
  readonly bodyLimit?: number | undefined;
  /** How many of the last requests are remembered with their bodies; default 0. */
  readonly recordRequests?: number | undefined;
  /** JSON pointers to an entity's key, the first that leads to text counts. */
  readonly keyPointers?: Partial<Readonly<Record<EntityKind, readonly string[]>>> | undefined;
  /** The schema of each call's body; a body that doesn't fit is answered 400. Default: any JSON object. */
  readonly bodySchemas?: Partial<Readonly<Record<BuiltInCall, z.ZodType>>> | undefined;
};

/** The default of `keyPointers`. */
export const DEFAULT_KEY_POINTERS: Readonly<Record<EntityKind, readonly string[]>> = {
  subclient: ['/additionalInformation/crmId', '/details/name'],
  draft: ['/alias', '/name'],
};
