import type { Members } from './json-object.ts';
import { seededId } from './seeded-ids.ts';

/** Which subclient a record speaks of. */
export type SubclientName = { readonly id: string; readonly vanityId: string };

const ECHOED = [
  'parent',
  'additionalInformation',
  'addresses',
  'details',
  'internalInformation',
  'kyc',
] as const;
const CORP = {
  id: 'corp-sandbox',
  alias: 'sandbox',
  name: 'Sandbox Corp',
  displayName: 'Sandbox Corp',
  vanityId: 'C-000001',
} as const;
const ACTIONS = ['update'] as const;

/**
 * The response body for a subclient (service-api.md, section 2.3): the request's parts as they were sent, and
 * `regulators`, flat in the request, nested under `payment`. Parts that were never sent are left out.
 */
export function subclientRecord({ id, vanityId }: SubclientName, body: Members): Members {
  const record: Record<string, unknown> = { id, vanityId, state: 'incomplete', actions: ACTIONS, corp: CORP };
  for (const part of ECHOED) {
    if (body[part] !== undefined) record[part] = body[part];
  }
  if (body.regulators !== undefined) record.regulators = { payment: body.regulators };
  return record;
}

/** The request body that a seeded subclient stands for, the same every time. */
export function seededSubclient(number: number): Members {
  const name = `Seeded Company ${number}`;
  return {
    additionalInformation: { crmId: `seed-${number}` },
    addresses: { primary: { country: 'GBR', town: 'London', streetName: `${number} Sandbox Street` } },
    details: { name, alias: seededId('sub', number), displayName: name },
    kyc: { details: { industry: 'Testing', monthlyPaymentsCount: number } },
    regulators: { name: 'FCA', country: 'GBR', isRegulated: number % 2 === 1, licenseNumber: `L-${number}` },
  };
}

/** `S-000123`: the letter and the number in at least six digits. */
export function vanityIdOf(letter: string, number: number): string {
  return `${letter}-${String(number).padStart(6, '0')}`;
}
