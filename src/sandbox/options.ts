/** How a sandbox behaves: its options and their defaults. */
import type { z } from 'zod';
import { type BuiltInCall, CALLS } from '../model/operation.ts';
import type { EntityKind } from './records.ts';

/** `custom`: whatever a job definition describes itself. */
export const SANDBOX_CALLS = [...CALLS, 'custom'] as const;
export type SandboxCall = (typeof SANDBOX_CALLS)[number];

/** The token that a sandbox takes unless told otherwise: it guards nothing. */
export const DEFAULT_TOKEN = 'sandbox-token';

/** How a sandbox behaves; every setting may be left out. */
export type SandboxOptions = {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** The bearer tokens that it accepts. */
  readonly tokens?: readonly string[] | undefined;
  /** Fault specs, as parseFault reads them. */
  readonly faults?: readonly string[] | undefined;
  /** The seed of the faults' random shares; default 1. */
  readonly seed?: number | undefined;
  /** An NDJSON file of what was made, read at the start and appended to; default: memory only. */
  readonly dataFile?: string | undefined;
  /** JSON pointers to an entity's key, the first that leads to text counts. */
  readonly keyPointers?: Partial<Readonly<Record<EntityKind, readonly string[]>>> | undefined;
  /** A body that doesn't fit its call's schema is answered 400. Default: any JSON object. */
  readonly bodySchemas?: Partial<Readonly<Record<BuiltInCall, z.ZodType>>> | undefined;
};

export const DEFAULT_KEY_POINTERS: Readonly<Record<EntityKind, readonly string[]>> = {
  subclient: ['/additionalInformation/crmId', '/details/name'],
  draft: ['/alias', '/name'],
};
