import { type Call, REPEATABLE } from '../model/operation.ts';
import type { Verdict } from '../model/request.ts';
import { documentsResponseSchema, recordResponseSchema } from './response-schemas.ts';

/** A 2xx as `judge` hands it over; `body` is `null` where it could not be read, and `trouble` says why. */
export type SuccessAnswer = {
  readonly status: number;
  readonly body: string | null;
  readonly trouble: string | null;
};

const OUTCOME = {
  'subclient.create': 'created',
  'subclient.update': 'updated',
  'counterparty.draft': 'drafted',
  'payment.documents': 'listed',
} as const satisfies Record<Call, string>;

/** What a 2xx means. A create without an id is unknown: it was accepted, and nobody can say as what. */
export function judgeSuccess(call: Call, answer: SuccessAnswer): Verdict {
  const json = parseJson(answer.body);
  if (call === 'payment.documents') return judgeDocuments(call, answer, json);
  return judgeRecord(call, answer, json);
}

function judgeDocuments(call: Call, answer: SuccessAnswer, json: unknown): Verdict {
  const documents = documentsResponseSchema.safeParse(json);
  if (documents.success) {
    const warning = undocumented(answer.status);
    return {
      kind: 'accepted',
      outcome: OUTCOME[call],
      status: answer.status,
      id: null,
      // The text itself: parsing would round the numbers that a double can't hold.
      documents: withoutByteOrderMark(answer.body ?? ''),
      warning,
    };
  }
  const message = `The service answered ${answer.status}, but ${whatWasWrong(answer, json, 'was not a list of documents')}`;
  return { kind: 'retry', status: answer.status, code: 'answer_unreadable', message, afterMs: null };
}

function judgeRecord(call: Call, answer: SuccessAnswer, json: unknown): Verdict {
  const { status } = answer;
  const id = idOf(json);
  if (id !== null) {
    return {
      kind: 'accepted',
      outcome: OUTCOME[call],
      status,
      id,
      documents: null,
      warning: undocumented(status),
    };
  }
  const message = `The service answered ${status}, but ${whatWasWrong(answer, json, 'carried no id')}`;
  const code = json === undefined ? 'answer_unreadable' : 'accepted_without_id';
  if (REPEATABLE[call]) {
    // Only a 200 promises a record; a 204, say, has none to read.
    if (json === undefined && status === 200) return { kind: 'retry', status, code, message, afterMs: null };
    return { kind: 'accepted', outcome: OUTCOME[call], status, id: null, documents: null, warning: message };
  }
  return { kind: 'unknown', status, code, message };
}

/** `undefined` where the body is missing or is no JSON. */
function parseJson(body: string | null): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(withoutByteOrderMark(body));
  } catch {
    return undefined;
  }
}

/** JSON.parse refuses the mark that some gateways put first. */
function withoutByteOrderMark(body: string): string {
  return body.startsWith('\uFEFF') ? body.slice(1) : body;
}

function idOf(json: unknown): string | null {
  const record = recordResponseSchema.safeParse(json);
  return record.success ? (record.data.id ?? null) : null;
}

/** Only 200 is shown in the document (service-api.md, section 7). */
function undocumented(status: number): string | null {
  return status === 200 ? null : `The service answered ${status}, which its document does not show.`;
}

function whatWasWrong(answer: SuccessAnswer, json: unknown, unexpected: string): string {
  if (answer.trouble !== null) return `its answer could not be read: ${answer.trouble}`;
  return json === undefined ? 'its answer was not JSON.' : `its answer ${unexpected}.`;
}
