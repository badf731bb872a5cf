import { counterpartyBody } from './bodies.ts';
import type { CallSpec, OperationSpec } from './spec.ts';

const counterpartyDraftCall = {
  name: 'counterparty.draft',
  effect: 'creates',
  mayRepeat: false,
  outcome: 'drafted',
  method: 'POST',
  path: '/v3/counterparties/draft',
  body: counterpartyBody,
  permission: null,
  keyIn: ['/alias', '/name'],
} as const satisfies CallSpec;

export const counterpartyDraft = {
  name: 'counterparty.draft',
  purpose: 'saves a counterparty, a payee, as a draft',
  record: 'a counterparty draft',
  call: counterpartyDraftCall,
  update: null,
  isUpsert: false,
  space: 'counterparty',
  proposal: {
    kind: 'counterparty',
    keys: ['external', 'counterparty', 'any', 'subclient'],
    references: ['parent', 'subclient', 'owner'],
    keyField: null,
    group: 'accounts',
  },
} as const satisfies OperationSpec;
