import { subclientBody } from './bodies.ts';
import type { CallSpec, OperationSpec } from './spec.ts';

export const subclientUpdateCall = {
  name: 'subclient.update',
  effect: 'changes',
  mayRepeat: true,
  outcome: 'updated',
  method: 'PATCH',
  path: '/v1/subclients/{id}',
  body: subclientBody,
  permission: 'Subclient / Modify',
  keyIn: [],
} as const satisfies CallSpec;

export const subclientUpdate = {
  name: 'subclient.update',
  purpose: 'changes a subclient, by the id that the service gave it',
  record: 'a subclient',
  call: subclientUpdateCall,
  update: null,
  isUpsert: false,
  space: null,
  proposal: {
    kind: 'subclient',
    keys: ['service', 'external', 'subclient', 'any', 'ref'],
    references: ['parent'],
    keyField: 'id',
    group: null,
  },
} as const satisfies OperationSpec;
