import type { z } from 'zod';
import type { Call } from '../model/operation.ts';
import type { Answer } from './answer.ts';
import { errorAnswer, jsonAnswer } from './answer.ts';
import { carryOut } from './carry-out.ts';
import { answerAfter, answerBefore } from './fault-answer.ts';
import type { FaultPlan, FaultTarget } from './fault-plan.ts';
import { isObject, withoutNulls } from './json-object.ts';
import type { MatchedCall } from './match-call.ts';
import type { ReceivedBody } from './read-body.ts';
import type { Records } from './records.ts';
import type { Permission } from './sandbox-options.ts';
import type { TokenBook } from './token-book.ts';

/** A request to one of the operations, read to its end. */
export type ReceivedCall = MatchedCall & {
  readonly authorization: string | undefined;
  readonly body: ReceivedBody;
  /** The key in the body of what is to be made, the id in the path of all else; `null`: none. */
  readonly key: string | null;
};

/** What answers are made from. */
export type CallParts = {
  readonly records: Records;
  readonly tokens: TokenBook;
  readonly permissions: ReadonlySet<Permission>;
  readonly bodySchemas: Partial<Readonly<Record<Call, z.ZodType>>>;
};

const PERMISSION: Readonly<Record<Call, Permission>> = {
  'subclient.create': 'subclient.create',
  'subclient.update': 'subclient.modify',
  'counterparty.draft': 'counterparty.draft',
  'payment.documents': 'payment.documents',
};

/** Does at once all that the request asks, unless a fault or a check stands before it, and gives the answer due. */
export function answerCall(request: ReceivedCall, parts: CallParts, faults: FaultPlan): Answer {
  const target = faultTarget(request);
  const before = faults.before(target);
  if (before !== null) return answerBefore(before);
  const answer = refusal(request, parts) ?? answerAdmitted(request, parts);
  if (answer.kind !== 'response' || answer.status !== 200) return answer;
  const after = faults.after(target);
  return after === null ? answer : answerAfter(after, answer);
}

/** What the faults are told of a request. */
export function faultTarget({ call, key }: ReceivedCall): FaultTarget {
  return { call, key: key ?? '' };
}

function refusal(request: ReceivedCall, parts: CallParts): Answer | null {
  if (!parts.tokens.admits(request.authorization)) {
    return errorAnswer(401, 'expected a valid token in Authorization: Bearer <token>');
  }
  const permission = PERMISSION[request.call];
  return parts.permissions.has(permission) ? null : errorAnswer(403, `the token lacks ${permission}`);
}

function answerAdmitted({ call, id, key, body }: ReceivedCall, parts: CallParts): Answer {
  if (call === 'payment.documents') return carryOut({ call, id, key, body: {}, text: '' }, parts.records);
  if (body.kind !== 'json') return UNREADABLE[body.kind];
  const { value, text } = body;
  if (!isObject(value)) return errorAnswer(400, 'expected a JSON object');
  const errors = typeProblems(parts.bodySchemas[call], value);
  if (errors.length > 0) return jsonAnswer(400, { error: 'wrong types in the body', errors });
  return carryOut({ call, id, key, body: value, text }, parts.records);
}

const UNREADABLE: Readonly<Record<Exclude<ReceivedBody['kind'], 'json'>, Answer>> = {
  none: errorAnswer(400, 'expected a JSON body'),
  malformed: errorAnswer(400, 'the body is not JSON in UTF-8'),
  'wrong-type': errorAnswer(415, 'expected Content-Type: application/json'),
  'too-large': errorAnswer(413, 'the body is larger than 1 MiB'),
};

function typeProblems(schema: z.ZodType | undefined, value: unknown) {
  const parsed = schema?.safeParse(withoutNulls(value));
  if (parsed === undefined || parsed.success) return [];
  return parsed.error.issues.map((issue) => ({ field: issue.path.join('.'), problem: issue.message }));
}
