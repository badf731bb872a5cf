/**
 * What adopts records that the service has already: a row says a key and the id, and nothing is
 * sent. Only `onboard adopt` makes jobs of it.
 */
import { counterpartyDraft } from './counterparty-draft.ts';
import type { OperationSpec } from './spec.ts';
import { subclientCreate } from './subclient-create.ts';

type Adopted = Pick<OperationSpec, 'record' | 'space' | 'proposal'>;

function adoption<Name extends `${string}.adopt`>(name: Name, { record, space, proposal }: Adopted) {
  const call = {
    name,
    effect: 'adopts',
    mayRepeat: true,
    // Never called: what stands in braces is the field that a row can't do without.
    outcome: 'created',
    method: 'GET',
    path: '/{id}',
    body: null,
    permission: null,
    keyIn: [],
  } as const;
  return {
    name,
    purpose: `makes known a key and an id of ${record}`,
    record,
    call,
    update: null,
    isUpsert: false,
    space,
    proposal,
  } as const;
}

export const subclientAdopt = adoption('subclient.adopt', subclientCreate);
export const counterpartyAdopt = adoption('counterparty.adopt', counterpartyDraft);
