/**
 * What one reply means for its row, decided by tables: the status says what the answer means, and
 * whether the call may be repeated says what an unclear one comes to. A create is sent again only
 * where it is proven that the service did not carry it out. Pure, but for the ids that a run's
 * judge remembers.
 */
import { ID_IN_LOCATION, type OwnRequest } from '../../config/own-request.ts';
import { valueAtPointer } from '../../lib/json-pointer.ts';
import { createLatestMap } from '../../lib/recent.ts';
import { shorten } from '../../lib/terminal.ts';
import type { Call } from '../../model/operation.ts';
import { type GivenId, readId } from '../../model/record-id.ts';
import type { Refusal, Reply, Verdict } from '../../model/request.ts';
import { isList, mayRepeat, outcomeOf } from '../../operations/operations.ts';
import { isOwn, type OwnOperation } from '../../operations/own.ts';
import { codeOfNetworkError, NETWORK_SENTENCES } from './network-error.ts';

/** `send.notExecuted`: statuses that prove nothing was carried out. */
type JudgePolicy = {
  readonly notExecuted: readonly number[];
  readonly own?: OwnRequest | undefined;
};

/** `body`: `null` where it could not be read, and `trouble` says why. */
type Answer = {
  readonly status: number;
  readonly body: string | null;
  readonly restBytes: number;
  readonly retryAfterMs: number | null;
  readonly trouble: string | null;
  readonly contentType?: string | undefined;
  readonly location?: string | undefined;
};

type Meaning =
  | 'success'
  | 'credentials'
  | 'permission'
  | 'validation'
  | 'busy'
  | 'away'
  | 'redirect'
  | 'elsewhere'
  | 'refusal'
  | 'fault';

const MEANING = new Map<number, Meaning>([
  [307, 'elsewhere'],
  [308, 'elsewhere'],
  [401, 'credentials'],
  [403, 'permission'],
  [418, 'validation'],
  [429, 'busy'],
  [503, 'away'],
]);
/** By hundreds. A status that HTTP doesn't know is a fault: it says nothing about the row. */
const MEANING_OF_HUNDRED = new Map<number, Meaning>([
  [2, 'success'],
  [3, 'redirect'],
  [4, 'refusal'],
]);

const JUDGES: Readonly<Record<Meaning, (call: Call, answer: Answer, policy: JudgePolicy) => Verdict>> = {
  success: judgeSuccess,
  credentials: (_, { status }) => ({
    kind: 'stop',
    reason: 'credentials',
    status,
    message: 'The service did not accept the token (401).',
  }),
  permission: judgePermission,
  validation: (_, answer) =>
    refused('rejected', `http_${answer.status}`, answer, 'The service found the record invalid (418).'),
  busy: (_, answer) => retry(answer, 'The service asked to wait (429).'),
  away: judgeAway,
  redirect: judgeRedirect,
  elsewhere: (_, answer) =>
    refused(
      'failed',
      'redirect',
      answer,
      `${notFollowed(answer)}: the request is to be sent to another address.`,
    ),
  refusal: (_, answer) => {
    const { status } = answer;
    if (isOfNginx(answer)) return stop('certificate_wanted', status);
    const message = `The service refused the request (${status}).`;
    return refused('failed', `http_${status}`, answer, message);
  },
  fault: judgeFault,
};

/** Of the pages that nginx answers instead of any service. */
const NGINX_TITLE = /^<html>\s*<head><title>400 ([^<]+)</;
const WANTS_CERTIFICATE = ['No required SSL certificate was sent', 'The SSL certificate error'];

function isOfNginx({ status, body }: Answer): boolean {
  const [, title = ''] = NGINX_TITLE.exec(body ?? '') ?? [];
  return status === 400 && WANTS_CERTIFICATE.includes(title);
}

/** Far more than can be on its way: an answer that comes twice comes within moments. */
const IDS_REMEMBERED = 20_000;

/**
 * The judge of a run's replies. Two records have two ids: an id that comes again is another
 * request's answer (a gateway answered twice on one connection) or no identifier.
 */
export function createJudge(policy: JudgePolicy): (call: Call, reply: Reply) => Verdict {
  const given = createLatestMap<string, true>(IDS_REMEMBERED);
  return (call, reply) => {
    const verdict = judge(call, reply, policy);
    if (verdict.kind !== 'accepted' || verdict.id === null || mayRepeat(call)) return verdict;
    const { id, status } = verdict;
    if (given.get(id) === true) return repeatedId(id, status);
    given.set(id, true);
    return verdict;
  };
}

function repeatedId(id: string, status: number): Verdict {
  const message = `The service answered ${status}, but gave an id that it had given for another row before.`;
  const givenId = shorten(id, GIVEN_ID_SHOWN);
  return { kind: 'unknown', status, code: 'accepted_id_repeated', message, givenId };
}

export function judge(call: Call, reply: Reply, policy: JudgePolicy): Verdict {
  switch (reply.kind) {
    case 'response':
      return judgeAnswer(call, whole(reply), policy);
    case 'unreadable':
      return judgeAnswer(call, withoutBody(reply), policy);
    case 'no-response':
      return judgeSilence(call, reply);
    default:
      return reply satisfies never;
  }
}

function judgeAnswer(call: Call, answer: Answer, policy: JudgePolicy): Verdict {
  const meaning =
    MEANING.get(answer.status) ?? MEANING_OF_HUNDRED.get(Math.floor(answer.status / 100)) ?? 'fault';
  return JUDGES[meaning](call, answer, policy);
}

/** By name: a copy of the reply costs a row more than judging it. */
function whole(reply: Extract<Reply, { kind: 'response' }>): Answer {
  const { status, body, restBytes = 0, retryAfterMs, contentType, location } = reply;
  return { status, body, restBytes, retryAfterMs, trouble: null, contentType, location };
}

/**
 * The status holds, since the head arrived. The `Retry-After` of a broken answer proves nothing:
 * it is kept only where the status is enough.
 */
function withoutBody({ status, retryAfterMs: kept, code }: Extract<Reply, { kind: 'unreadable' }>): Answer {
  const retryAfterMs = status < 500 ? (kept ?? null) : null;
  const trouble = NETWORK_SENTENCES[codeOfNetworkError(code)];
  return { status, body: null, restBytes: 0, retryAfterMs, trouble };
}

/** A 403 that names a time is a limit, as 429 is; if it comes again, the permission is missing. */
function judgePermission(_: Call, answer: Answer): Verdict {
  const denied = refused(
    'denied',
    `http_${answer.status}`,
    answer,
    'The service did not permit this call (403).',
  );
  if (answer.retryAfterMs === null) return denied;
  return { ...retry(answer, 'The service asked to wait (403).'), otherwise: denied };
}

/**
 * A gateway says 503 also for requests that were delivered: only its word or the user's is proof.
 */
function judgeAway(call: Call, answer: Answer, policy: JudgePolicy): Verdict {
  if (answer.retryAfterMs !== null || policy.notExecuted.includes(answer.status)) {
    return retry(
      answer,
      `The service was not available (${answer.status}) and did not carry the request out.`,
    );
  }
  return judgeFault(call, answer);
}

function judgeFault(call: Call, answer: Answer): Verdict {
  const message = `The service answered ${answer.status}.`;
  return mayRepeat(call) ? retry(answer, message) : unknown(`http_${answer.status}`, answer, message);
}

/**
 * A POST that was carried out may answer so (303: RFC 9110, 15.4.4); only 307 and 308 ask for the
 * same request again.
 */
function judgeRedirect(call: Call, answer: Answer): Verdict {
  const message = `${notFollowed(answer)}.`;
  if (mayRepeat(call)) return refused('failed', 'redirect', answer, message);
  return unknown('redirect', answer, message);
}

function notFollowed({ status }: Answer): string {
  return `The service answered with a redirect (${status}), which was not followed`;
}

function judgeSilence(call: Call, reply: Extract<Reply, { kind: 'no-response' }>): Verdict {
  const code = codeOfNetworkError(reply.code);
  const sentence = NETWORK_SENTENCES[code];
  if (!reply.sent) {
    if (code === 'certificate_wanted' || code === 'proxy_login') return stop(code, null);
    return { kind: 'retry', status: null, code, message: `${sentence} Nothing was sent.`, afterMs: null };
  }
  if (mayRepeat(call)) return { kind: 'retry', status: null, code, message: sentence, afterMs: null };
  const message = `${sentence} Whether the service carried the request out is not known.`;
  return { kind: 'unknown', status: null, code, message };
}

type Wanted = 'certificate_wanted' | 'proxy_login';

function stop(wanted: Wanted, status: number | null): Verdict {
  const message = NETWORK_SENTENCES[wanted];
  return { kind: 'stop', reason: 'credentials', status, message };
}

function retry(answer: Answer, message: string): Extract<Verdict, { kind: 'retry' }> {
  return {
    kind: 'retry',
    status: answer.status,
    code: `http_${answer.status}`,
    message: withTrouble(message, answer),
    afterMs: answer.retryAfterMs,
  };
}

function unknown(code: string, answer: Answer, message: string): Verdict {
  const { status } = answer;
  const words = `${withTrouble(message, answer)} Whether it carried the request out is not known.`;
  return { kind: 'unknown', status, code, message: words };
}

function refused(outcome: Refusal['outcome'], code: string, answer: Answer, message: string): Refusal {
  const { status, body, restBytes } = answer;
  const verdict = { kind: 'refused', outcome, status, code, message: withTrouble(message, answer) } as const;
  return { ...verdict, body: body ?? '', ...(restBytes > 0 && { restBytes }) };
}

function withTrouble(message: string, answer: Answer): string {
  return answer.trouble === null ? message : `${message} Its answer could not be read: ${answer.trouble}`;
}

function judgeSuccess(call: Call, answer: Answer, { own }: JudgePolicy): Verdict {
  const json = parseAnswer(answer.body);
  if (isOwn(call)) return judgeOwn(call, { answer, json }, own);
  if (isList(call)) return judgeList(call, answer, json);
  return judgeRecord(call, { answer, json });
}

function judgeList(call: Call, answer: Answer, json: unknown): Verdict {
  if (Array.isArray(json)) {
    return {
      kind: 'accepted',
      outcome: outcomeOf(call),
      status: answer.status,
      id: null,
      // The text itself: parsing would round the numbers that a double can't hold.
      documents: withoutByteOrderMark(answer.body ?? ''),
      warning: undocumented(answer.status),
    };
  }
  const message = `The service answered ${answer.status}, but ${whatWasWrong(answer, json, 'was not a list of documents')}`;
  return { kind: 'retry', status: answer.status, code: 'answer_unreadable', message, afterMs: null };
}

/** `json`: `undefined` where the answer is none. */
type Success = { readonly answer: Answer; readonly json: unknown };

/** A request without `id` was carried out, whatever came. */
function judgeOwn(call: OwnOperation, { answer, json }: Success, own: OwnRequest | undefined): Verdict {
  if (own === undefined) throw new Error(`an answer to ${call} came to a run that does not describe it`);
  const outcome = outcomeOf(call);
  if (own.id === undefined) return accepted(outcome, answer, { id: null, warning: answer.trouble });
  const isInLocation = own.id === ID_IN_LOCATION;
  const value = isInLocation ? lastPartOf(answer.location) : valueAtPointer(json, own.id);
  const given = readId(value);
  const place = isInLocation ? 'in its Location header' : `at ${own.id}`;
  const missing = `there was no id ${place}.`;
  return judgeId(call, { answer, json }, { outcome, given, missing, warning: answer.trouble });
}

/** Of its path, decoded; RFC 9110, 10.2.2. */
function lastPartOf(location = ''): string {
  const fromPath = location.replace(/^(?:[a-z][\w+.-]*:)?\/\/[^/?#]*/i, '');
  const path = fromPath.replace(/[?#].*$/, '');
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function judgeRecord(call: Call, { answer, json }: Success): Verdict {
  const missing = whatWasWrong(answer, json, 'carried no id');
  // Only a 200 promises a record; a 204, for example, has no body.
  if (mayRepeat(call) && json === undefined && answer.status === 200) {
    const { status } = answer;
    const message = `The service answered ${status}, but ${missing}`;
    return { kind: 'retry', status, code: 'answer_unreadable', message, afterMs: null };
  }
  const [outcome, given, warning] = [outcomeOf(call), idOf(json), undocumented(answer.status)];
  return judgeId(call, { answer, json }, { outcome, given, missing, warning });
}

type Accepted = Extract<Verdict, { kind: 'accepted' }>;

function accepted(
  outcome: Accepted['outcome'],
  { status }: Answer,
  { id, warning }: Pick<Accepted, 'id' | 'warning'>,
): Verdict {
  return { kind: 'accepted', outcome, status, id, documents: null, warning };
}

/** `missing`: what to say where no id came. */
type Sought = Pick<Accepted, 'outcome' | 'warning'> & { readonly given: GivenId; readonly missing: string };

/** A create without an id is unknown: accepted, and nobody can say under which id. */
function judgeId(
  call: Call,
  { answer, json }: Success,
  { outcome, given, missing, warning }: Sought,
): Verdict {
  if (given.kind === 'id') return accepted(outcome, answer, { id: given.id, warning });
  const { status } = answer;
  const message = `The service answered ${status}, but ${given.kind === 'unusable' ? UNUSABLE_ID : missing}`;
  if (mayRepeat(call)) return accepted(outcome, answer, { id: null, warning: message });
  if (json === undefined) return { kind: 'unknown', status, code: 'answer_unreadable', message };
  if (given.kind !== 'unusable')
    return { kind: 'unknown', status, code: 'accepted_without_id', message, givenId: '' };
  const givenId = shorten(given.text, GIVEN_ID_SHOWN);
  return { kind: 'unknown', status, code: 'accepted_id_unusable', message, givenId };
}

const UNUSABLE_ID = 'the id that it gave can not be used.';
const GIVEN_ID_SHOWN = 100;

/** The answer's body as JSON; `undefined` where there is no body or it is no JSON. */
export function parseAnswer(body: string | null): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(withoutByteOrderMark(body));
  } catch {
    return undefined;
  }
}

/** JSON.parse refuses the byte order mark that some gateways put first. */
function withoutByteOrderMark(body: string): string {
  return body.startsWith('\uFEFF') ? body.slice(1) : body;
}

function idOf(json: unknown): GivenId {
  return readId(typeof json === 'object' && json !== null && 'id' in json ? json.id : undefined);
}

/** Only 200 is shown in the document. */
function undocumented(status: number): string | null {
  return status === 200 ? null : `The service answered ${status}, which its document does not show.`;
}

function whatWasWrong(answer: Answer, json: unknown, unexpected: string): string {
  if (answer.trouble !== null) return `its answer could not be read: ${answer.trouble}`;
  return json === undefined ? `its answer was not JSON${kindOf(answer)}.` : `its answer ${unexpected}.`;
}

const TITLE = /<title[^<>]*>([^<]+)/i;
const TITLE_WITHIN = 8_000;
const TITLE_SHOWN = 100;

/** What came instead: a firewall's page has its own title. */
function kindOf({ body, contentType = '' }: Answer): string {
  if (body === '') return ', but empty';
  const [type = ''] = contentType.split(';');
  const title =
    TITLE.exec((body ?? '').slice(0, TITLE_WITHIN))?.[1]
      ?.replaceAll(/\s+/g, ' ')
      .trim() ?? '';
  const shown = title === '' ? '' : `“${shorten(title, TITLE_SHOWN)}”`;
  const kinds = [type.trim(), shown];
  const told = kinds.filter((kind) => kind !== '').join(', ');
  return told === '' ? '' : ` (${told})`;
}
