import type { OperationSpec } from './spec.ts';
import { subclientCreate, subclientCreateCall } from './subclient-create.ts';
import { subclientUpdateCall } from './subclient-update.ts';

export const subclientUpsert = {
  name: 'subclient.upsert',
  purpose: 'creates a subclient where its key is new, changes it where the key is known',
  record: 'a subclient',
  call: subclientCreateCall,
  update: subclientUpdateCall,
  isUpsert: true,
  space: subclientCreate.space,
  proposal: subclientCreate.proposal,
} as const satisfies OperationSpec;
