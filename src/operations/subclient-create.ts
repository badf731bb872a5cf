import { subclientBody } from './bodies.ts';
import type { CallSpec, OperationSpec } from './spec.ts';
import { subclientUpdateCall } from './subclient-update.ts';

export const subclientCreateCall = {
  name: 'subclient.create',
  effect: 'creates',
  mayRepeat: false,
  outcome: 'created',
  method: 'POST',
  path: '/v1/subclients',
  body: subclientBody,
  permission: 'Subclient / Create',
  keyIn: ['/additionalInformation/crmId', '/details/name'],
} as const satisfies CallSpec;

export const subclientCreate = {
  name: 'subclient.create',
  purpose: 'creates a subclient, a legal entity to onboard',
  record: 'a subclient',
  call: subclientCreateCall,
  update: subclientUpdateCall,
  isUpsert: false,
  space: 'subclient',
  proposal: {
    kind: 'subclient',
    keys: ['external', 'subclient', 'any', 'ref', 'ledger'],
    references: ['parent'],
    keyField: 'additionalInformation.crmId',
    group: null,
  },
} as const satisfies OperationSpec;
