import { type Call, REPEATABLE } from '../model/operation.ts';
import type { Reply, Verdict } from '../model/request.ts';
import { judgeSuccess } from './judge-success.ts';
import { codeOfNetworkError, NETWORK_SENTENCES } from './network-code.ts';

/** What the job definition says about sending (`send.notExecuted`): statuses that prove nothing was carried out. */
export type JudgePolicy = { readonly notExecuted: readonly number[] };

/** A status with what is known of its answer; `body` is `null` where it could not be read, and `trouble` says why. */
export type Answer = {
  readonly status: number;
  readonly body: string | null;
  readonly retryAfterMs: number | null;
  readonly trouble: string | null;
};

type Meaning =
  | 'success'
  | 'credentials'
  | 'permission'
  | 'validation'
  | 'busy'
  | 'away'
  | 'redirect'
  | 'refusal'
  | 'fault';

/** The statuses that have a row of their own in DESIGN.md, section 5. */
const MEANING = new Map<number, Meaning>([
  [401, 'credentials'],
  [403, 'permission'],
  [418, 'validation'],
  [429, 'busy'],
  [503, 'away'],
]);
/** All others by their hundred; what HTTP doesn't know is a fault: nothing can be said about the row. */
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
  permission: (_, answer) =>
    refused('denied', `http_${answer.status}`, answer, 'The service did not permit this call (403).'),
  validation: (_, answer) =>
    refused('rejected', `http_${answer.status}`, answer, 'The service found the record invalid (418).'),
  busy: (_, answer) => retry(answer, 'The service asked to wait (429).'),
  away: judgeAway,
  redirect: (_, answer) =>
    refused(
      'failed',
      'redirect',
      answer,
      `The service answered with a redirect (${answer.status}), which was not followed.`,
    ),
  refusal: (_, answer) =>
    refused('failed', `http_${answer.status}`, answer, `The service refused the request (${answer.status}).`),
  fault: judgeFault,
};

/** What one reply means for the row: the table of DESIGN.md, section 5. Pure. */
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

function whole({ status, body, retryAfterMs }: Extract<Reply, { kind: 'response' }>): Answer {
  return { status, body, retryAfterMs, trouble: null };
}

/** The head of the answer arrived, so its status stands; a `Retry-After` is not kept with a broken answer. */
function withoutBody(reply: Extract<Reply, { kind: 'unreadable' }>): Answer {
  const trouble = NETWORK_SENTENCES[codeOfNetworkError(reply.code)];
  return { status: reply.status, body: null, retryAfterMs: null, trouble };
}

/** A gateway says 503 also after the request had reached the service: only its own word, or the user's, is proof. */
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
  if (REPEATABLE[call]) return retry(answer, message);
  return {
    kind: 'unknown',
    status: answer.status,
    code: `http_${answer.status}`,
    message: `${withTrouble(message, answer)} Whether it carried the request out is not known.`,
  };
}

function judgeSilence(call: Call, reply: Extract<Reply, { kind: 'no-response' }>): Verdict {
  const code = codeOfNetworkError(reply.code);
  const sentence = NETWORK_SENTENCES[code];
  if (!reply.sent) {
    return { kind: 'retry', status: null, code, message: `${sentence} Nothing was sent.`, afterMs: null };
  }
  if (REPEATABLE[call]) return { kind: 'retry', status: null, code, message: sentence, afterMs: null };
  const message = `${sentence} Whether the service carried the request out is not known.`;
  return { kind: 'unknown', status: null, code, message };
}

function retry(answer: Answer, message: string): Verdict {
  return {
    kind: 'retry',
    status: answer.status,
    code: `http_${answer.status}`,
    message: withTrouble(message, answer),
    afterMs: answer.retryAfterMs,
  };
}

function refused(
  outcome: Extract<Verdict, { kind: 'refused' }>['outcome'],
  code: string,
  answer: Answer,
  message: string,
): Verdict {
  const { status, body } = answer;
  return { kind: 'refused', outcome, status, code, message: withTrouble(message, answer), body: body ?? '' };
}

function withTrouble(message: string, answer: Answer): string {
  return answer.trouble === null ? message : `${message} Its answer could not be read: ${answer.trouble}`;
}
