import type { Call } from '../model/operation.ts';
import type { Answer } from './answer.ts';
import { errorAnswer, jsonAnswer } from './answer.ts';
import { draftProblems } from './draft-rules.ts';
import type { Members } from './json-object.ts';
import { merge, objectOf } from './json-object.ts';
import { documentsOf } from './payment-documents.ts';
import type { Records } from './records.ts';
import { seededNumber } from './seeded-ids.ts';
import type { SubclientName } from './subclient-record.ts';
import { seededSubclient, subclientRecord, vanityIdOf } from './subclient-record.ts';

/** A request that may be carried out: admitted, and its body a JSON object where the call has one. */
export type AdmittedCall = {
  readonly call: Call;
  /** From the path; empty for the creates. */
  readonly id: string;
  /** Empty for a GET. */
  readonly body: Members;
  /** The body as received. */
  readonly text: string;
  /** The entity's key; `null`: it has none. */
  readonly key: string | null;
};

/** Does what the call asks (service-api.md, section 4) and gives the answer to it. */
export function carryOut(request: AdmittedCall, records: Records): Answer {
  switch (request.call) {
    case 'subclient.create':
      return createSubclient(request, records);
    case 'subclient.update':
      return updateSubclient(request, records);
    case 'counterparty.draft':
      return submitDraft(request, records);
    case 'payment.documents':
      return listDocuments(request, records);
    default:
      return request.call satisfies never;
  }
}

function createSubclient({ body, text, key }: AdmittedCall, records: Records): Answer {
  const { id, number } = records.entities.subclient.add(key);
  records.bodies.set(id, text);
  records.dataFile.append({ kind: 'subclient', id, key, body });
  return jsonAnswer(200, subclientRecord({ id, vanityId: vanityIdOf('S', number + 1) }, body));
}

/** Answers 404 for an unknown id: the sandbox's own choice, the document doesn't show what the service says. */
function updateSubclient({ id, body }: AdmittedCall, records: Records): Answer {
  const name = findSubclient(id, records);
  if (name === null) return errorAnswer(404, 'no such subclient');
  const merged = merge(knownBody(id, records), body);
  records.bodies.set(id, JSON.stringify(merged));
  records.dataFile.append({ kind: 'update', id, body: merged });
  records.updated += 1;
  return jsonAnswer(200, subclientRecord(name, merged));
}

/** Answers 418 with field and problem pairs: the body's shape is the sandbox's own (service-api.md, section 7). */
function submitDraft({ body, key }: AdmittedCall, records: Records): Answer {
  const errors = draftProblems(body);
  if (errors.length > 0) return jsonAnswer(418, { error: 'validation failed', errors });
  const { id, number } = records.entities.draft.add(key);
  records.dataFile.append({ kind: 'draft', id, key });
  const vanityId = vanityIdOf('C', number + 1);
  return jsonAnswer(200, { ...body, id, vanityId, state: 'draft', status: 'draft' });
}

/** Answers 404 for an unknown payment: the sandbox's own choice, the document doesn't show what the service says. */
function listDocuments({ id }: AdmittedCall, records: Records): Answer {
  const payment = seededNumber('pay', id);
  if (payment === null) return errorAnswer(404, 'no such payment');
  records.listed += 1;
  return jsonAnswer(200, documentsOf(payment));
}

function findSubclient(id: string, records: Records): SubclientName | null {
  const seeded = seededNumber('sub', id);
  if (seeded !== null) return { id, vanityId: vanityIdOf('SEED', seeded) };
  const made = records.entities.subclient.find(id);
  return made === null ? null : { id, vanityId: vanityIdOf('S', made.number + 1) };
}

/** What is known of the subclient; nothing, where its body was forgotten because many more were made since. */
function knownBody(id: string, records: Records): Members {
  const text = records.bodies.get(id);
  if (text !== null) return objectOf(JSON.parse(text));
  const seeded = seededNumber('sub', id);
  return seeded === null ? {} : seededSubclient(seeded);
}
