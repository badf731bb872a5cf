/**
 * What each operation does and answers. Where the service's document is silent, the sandbox has
 * ways of its own, said where they are.
 */
import type { z } from 'zod';
import { type BuiltInCall, callSpecOf } from '../operations/operations.ts';
import {
  type Answer,
  type AnswerCounts,
  errorAnswer,
  isObject,
  jsonAnswer,
  type Members,
  merge,
  objectOf,
  withoutNulls,
} from './answer.ts';
import type { FaultPlan, FaultTarget } from './faults.ts';
import { type MatchedCall, PLAYED, type ReceivedBody } from './received.ts';
import { type Records, seededId, seededNumber } from './records.ts';

type ReceivedCall = MatchedCall & {
  readonly authorization: string | undefined;
  readonly body: ReceivedBody;
  readonly key: string | null;
};

/** What a running sandbox consists of. */
export type SandboxParts = {
  readonly records: Records;
  readonly tokens: TokenBook;
  readonly bodySchemas: Partial<Readonly<Record<BuiltInCall, z.ZodType>>>;
  /** What was made by calls that are played without being known. */
  played: number;
  faults: FaultPlan;
  readonly counts: AnswerCounts;
};

export function answerCall(request: ReceivedCall, parts: SandboxParts): Answer {
  const target = faultTarget(request);
  const before = parts.faults.before(target);
  if (before !== null) return before.answer;
  const answer = parts.tokens.admits(request.authorization) ? answerAdmitted(request, parts) : UNADMITTED;
  if (answer.kind !== 'response' || answer.status !== 200) return answer;
  return parts.faults.after(target)?.answer(answer) ?? answer;
}

export function faultTarget({ call, key }: ReceivedCall): FaultTarget {
  return { call, key: key ?? '' };
}

const UNADMITTED = errorAnswer(401, 'expected a valid token in Authorization: Bearer <token>');

type TokenBook = {
  /** Counts the use of a valid token. */
  admits(authorization: string | undefined): boolean;
  revoke(token: string): void;
  uses(): { readonly valid: boolean; readonly requests: number }[];
};

export function createTokenBook(tokens: readonly string[]): TokenBook {
  const entries = new Map(tokens.map((token) => [token, { valid: true, requests: 0 }]));
  return {
    admits(authorization) {
      const entry = entries.get(/^bearer (.*)$/i.exec(authorization ?? '')?.[1]?.trim() ?? '');
      if (entry?.valid !== true) return false;
      entry.requests += 1;
      return true;
    },
    revoke(token) {
      const entry = entries.get(token);
      if (entry !== undefined) entry.valid = false;
    },
    uses: () => [...entries.values()].map((entry) => ({ ...entry })),
  };
}

function answerAdmitted({ call, id, key, body }: ReceivedCall, parts: SandboxParts): Answer {
  if (call === PLAYED) return play(body, parts);
  if (callSpecOf(call).body === null) return carryOut({ call, id, key, body: {}, text: '' }, parts.records);
  if (body.kind !== 'json') return UNREADABLE[body.kind];
  const { value, text } = body;
  if (!isObject(value)) return errorAnswer(400, 'expected a JSON object');
  const errors = typeProblems(parts.bodySchemas[call], value);
  if (errors.length > 0) return jsonAnswer(400, { error: 'wrong types in the body', errors });
  return carryOut({ call, id, key, body: value, text }, parts.records);
}

/** Of a call that nothing is known of. */
function play(body: ReceivedBody, parts: SandboxParts): Answer {
  if (body.kind !== 'json' && body.kind !== 'none') return UNREADABLE[body.kind];
  parts.played += 1;
  return jsonAnswer(200, { id: `made-${String(parts.played).padStart(6, '0')}` });
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

type AdmittedCall = {
  readonly call: BuiltInCall;
  /** Empty for creates. */
  readonly id: string;
  /** The parsed body; empty for a GET. */
  readonly body: Members;
  /** The body as received. */
  readonly text: string;
  readonly key: string | null;
};

function carryOut(request: AdmittedCall, records: Records): Answer {
  const { outcome } = callSpecOf(request.call);
  switch (outcome) {
    case 'created':
      return createSubclient(request, records);
    case 'updated':
      return updateSubclient(request, records);
    case 'drafted':
      return submitDraft(request, records);
    case 'listed':
      return listDocuments(request, records);
    default:
      return outcome satisfies never;
  }
}

function createSubclient({ body, text, key }: AdmittedCall, records: Records): Answer {
  const { id, number } = records.entities.subclient.add(key);
  records.bodies.set(id, text);
  records.dataFile.append({ kind: 'subclient', id, key, body });
  return jsonAnswer(200, subclientRecord({ id, vanityId: vanityIdOf('S', number + 1) }, body));
}

/** 404 for an unknown id is the sandbox's own choice. */
function updateSubclient({ id, body }: AdmittedCall, records: Records): Answer {
  const name = findSubclient(id, records);
  if (name === null) return errorAnswer(404, 'no such subclient');
  const merged = merge(knownBody(id, records), body);
  records.bodies.set(id, JSON.stringify(merged));
  records.dataFile.append({ kind: 'update', id, body: merged });
  records.updated += 1;
  return jsonAnswer(200, subclientRecord(name, merged));
}

/** Answers 418 with field and problem pairs: the body's shape is the sandbox's own. */
function submitDraft({ body, key }: AdmittedCall, records: Records): Answer {
  const errors = draftProblems(body);
  if (errors.length > 0) return jsonAnswer(418, { error: 'validation failed', errors });
  const { id, number } = records.entities.draft.add(key);
  records.dataFile.append({ kind: 'draft', id, key });
  const vanityId = vanityIdOf('C', number + 1);
  return jsonAnswer(200, { ...body, id, vanityId, state: 'draft', status: 'draft' });
}

/** 404 for an unknown payment is the sandbox's own choice. */
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

/** Empty of a seeded subclient, and where many more were made since. */
function knownBody(id: string, records: Records): Members {
  return objectOf(JSON.parse(records.bodies.get(id) ?? '{}'));
}

/** Never with a value. */
type DraftProblem = { readonly field: string; readonly problem: string };

/** The sandbox's own rules: which drafts the service refuses is not shown. */
function draftProblems(body: Members): DraftProblem[] {
  return [
    ...nameProblems(body),
    ...emailProblems(body),
    ...currencyProblems('currencies', body.currencies),
    ...accountProblems(body.accounts),
  ];
}

function nameProblems(body: Members): DraftProblem[] {
  if (isFilled(body.name) || (isFilled(body.firstName) && isFilled(body.lastName))) return [];
  return [{ field: 'name', problem: 'expected a name, or both firstName and lastName' }];
}

function emailProblems(body: Members): DraftProblem[] {
  const { email } = body;
  if (typeof email !== 'string' || email.includes('@')) return [];
  return [{ field: 'email', problem: 'expected an e-mail address, with an @' }];
}

function accountProblems(accounts: unknown): DraftProblem[] {
  if (!Array.isArray(accounts)) return [];
  return accounts.flatMap((entry: unknown, i) => {
    const account = objectOf(entry);
    return [
      ...ibanProblems(`accounts.${i}.iban`, account.iban),
      ...currencyProblems(`accounts.${i}.currencies`, account.currencies),
    ];
  });
}

function ibanProblems(field: string, iban: unknown): DraftProblem[] {
  if (typeof iban !== 'string' || isIban(iban)) return [];
  return [{ field, problem: 'expected an IBAN whose check digits fit' }];
}

function currencyProblems(field: string, currencies: unknown): DraftProblem[] {
  if (!Array.isArray(currencies)) return [];
  return currencies.flatMap((currency: unknown, i) =>
    typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency)
      ? []
      : [{ field: `${field}.${i}`, problem: 'expected a currency code of three letters' }],
  );
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

const FORM = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/;

/** Whether the check digits fit (ISO 13616, ISO 7064 mod 97-10), of whatever country. */
function isIban(text: string): boolean {
  const iban = text.replaceAll(' ', '').toUpperCase();
  if (!FORM.test(iban)) return false;
  const digits = [...iban.slice(4), ...iban.slice(0, 4)].map((sign) => Number.parseInt(sign, 36));
  return BigInt(digits.join('')) % 97n === 1n;
}

const STATUSES = ['accepted', 'pending', 'rejected'] as const;
const CATEGORIES = ['invoice', 'contract', 'identification'] as const;

/** None to three, with every documented field; the values are the sandbox's own. */
function documentsOf(payment: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: payment % 4 }, (_, i) => documentOf(payment, i + 1));
}

function documentOf(payment: number, number: number): Readonly<Record<string, unknown>> {
  const id = `doc-${String(payment).padStart(4, '0')}-${number}`;
  return {
    acceptedBy: 'operator-1',
    acceptedDate: dateOf(payment, 2),
    actions: ['view'],
    addedBy: 'client-1',
    addedDate: dateOf(payment, 1),
    category: CATEGORIES[payment % CATEGORIES.length],
    clientCorpId: 'corp-sandbox',
    description: `Document ${number} of payment ${payment}`,
    documentSubType: 'unknown',
    documentType: 'unknown',
    documentUri: `/v1/documents/${id}`,
    expiryDate: dateOf(payment, 365),
    fileSize: 1000 + payment * 10 + number,
    id,
    isLatestVersion: number === payment % 4,
    linkedRecords: [paymentRecord(payment)],
    mediaType: 'application/pdf',
    name: `document-${number}.pdf`,
    originalFileName: `scan ${number}.pdf`,
    requiresAcceptance: number % 2 === 0,
    status: STATUSES[number % STATUSES.length],
    tags: ['sandbox', `tag-${number}`],
    validFrom: dateOf(payment, 0),
    version: String(number),
    visibility: { editable: { client: true }, values: { client: true, operators: number % 2 === 1 } },
  };
}

function paymentRecord(payment: number): Readonly<Record<string, unknown>> {
  const vanityId = `P-${String(payment).padStart(6, '0')}`;
  return { id: seededId('pay', payment), name: `Payment ${payment}`, vanityId, type: 'payment' };
}

function dateOf(payment: number, daysLater: number): string {
  return new Date(Date.UTC(2025, 0, 1 + (payment % 28) + daysLater, 9, 30)).toISOString();
}

type SubclientName = { readonly id: string; readonly vanityId: string };

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

/** `regulators`, flat in the request, is nested under `payment`. */
function subclientRecord({ id, vanityId }: SubclientName, body: Members): Members {
  const record: Record<string, unknown> = { id, vanityId, state: 'incomplete', actions: ACTIONS, corp: CORP };
  for (const part of ECHOED) {
    if (body[part] !== undefined) record[part] = body[part];
  }
  if (body.regulators !== undefined) record.regulators = { payment: body.regulators };
  return record;
}

/** Such as `S-000123`. */
function vanityIdOf(letter: string, number: number): string {
  return `${letter}-${String(number).padStart(6, '0')}`;
}
