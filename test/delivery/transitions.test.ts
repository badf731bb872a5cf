import { describe, expect, test } from 'vitest';
import type { Sending } from '../../src/delivery/sending.ts';
import {
  afterGrant,
  afterReply,
  afterToken,
  givenUp,
  inARow,
  NONE_IN_A_ROW,
  streakOf,
} from '../../src/delivery/transitions.ts';
import type { Granted } from '../../src/engine/ledger/intent.ts';
import type { Call } from '../../src/model/operation.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Reply, Verdict } from '../../src/model/request.ts';

const facts = { state: 'waiting', isInOrder: false, before: '', made: 0, first: null, doubt: null } as const;
type Facts = {
  readonly state?: Sending['state'];
  readonly isInOrder?: boolean;
  readonly before?: string;
  readonly made?: number;
};
/** The effects as words: what is done, and what it says of the row. */
const words = (effects: ReturnType<typeof afterGrant>) =>
  effects.map((effect) => {
    if (effect.kind === 'settle') return `settle ${effect.end.outcome} ${effect.end.code}`.trim();
    if (effect.kind === 'pause') return `pause ${effect.reason}`;
    if (effect.kind === 'again') return `again ${effect.because}`;
    return effect.kind === 'ready' && effect.isFirst ? 'ready first' : effect.kind;
  });

describe('what the ledger’s answer makes of a request', () => {
  const WAIT: Granted = { kind: 'wait', ms: 5, isHold: false };
  const HELD: Granted = { kind: 'held', by: { run: 'run-other', row: 7 } };
  const UNWRITTEN: Granted = { kind: 'unwritten', problem: 'no space left' };

  test.each<[answer: Granted | undefined, over: Facts, effects: string[]]>([
    [{ kind: 'granted' }, {}, ['ready']],
    [{ kind: 'granted' }, { made: 1 }, ['ready first']],
    [WAIT, {}, ['wait']],
    [{ kind: 'halted' }, {}, ['unsent', 'halt']],
    [{ kind: 'halted', pauseFor: 'same-refusal' }, {}, ['pause same-refusal', 'unsent', 'halt']],
    [{ kind: 'taken' }, {}, ['unsent']],
    [{ kind: 'taken' }, { isInOrder: true }, ['alone']],
    [{ kind: 'unclaimed' }, { isInOrder: true }, ['alone']],
    [{ kind: 'unclaimed' }, {}, ['unsent']],
    [undefined, {}, ['unsent']],
    [HELD, {}, ['settle invalid key_held']],
    [UNWRITTEN, {}, ['pause journal', 'unsent', 'halt']],
  ])('%j of one that is %j', (answer, over, effects) => {
    expect(words(afterGrant(answer, { ...facts, ...over }))).toEqual(effects);
  });

  test('names who has its key', () => {
    expect(afterGrant(HELD, facts)).toMatchObject([
      {
        end: {
          message: 'row {row} of run {run} has this key and is not done yet',
          values: { row: '7', run: 'run-other' },
          attempts: 0,
        },
      },
    ]);
  });
});

test.each<[over: Facts, effects: string[]]>([
  [{}, ['unsent']],
  [{ state: 'intended' }, ['withdraw', 'unsent']],
  // What stands on the row says of an earlier attempt that it may have arrived.
  [{ state: 'intended', before: 'i dead.1 1.1' }, ['unsent']],
])('a request that is not to go any more, %j', (over, effects) => {
  expect(words(givenUp({ ...facts, ...over }))).toEqual(effects);
});

describe('what a verdict makes of a request', () => {
  const OK: Reply = { kind: 'response', status: 200, retryAfterMs: null, body: '', ms: 3 };
  const ACCEPTED: Verdict = {
    kind: 'accepted',
    outcome: 'created',
    status: 200,
    id: 'made-1',
    documents: null,
    warning: null,
  };
  const refused = (outcome: 'rejected' | 'denied' | 'failed'): Verdict => ({
    kind: 'refused',
    outcome,
    status: 400,
    code: 'http_400',
    message: 'no',
    body: '',
  });
  const UNKNOWN: Verdict = { kind: 'unknown', status: null, code: 'lost', message: 'The answer was lost.' };
  const retry = (afterMs: number | null): Verdict => ({
    kind: 'retry',
    status: 503,
    code: 'http_503',
    message: 'Busy.',
    afterMs,
  });
  const STOP: Verdict = { kind: 'stop', reason: 'credentials', status: 401, message: 'no' };
  /** Another token would not help. */
  const WANTING = ['recall', 'tell', 'withdraw', 'pause credentials', 'unsent'];
  const made = { ...facts, state: 'onWire', made: 1 } as const;
  const AT = Date.parse('2026-11-21T10:20:03.003Z');

  test.each<[verdict: Verdict, over: Facts, effects: string[]]>([
    [ACCEPTED, {}, ['settle created']],
    [refused('failed'), {}, ['settle failed http_400']],
    [refused('rejected'), {}, ['settle rejected http_400']],
    [UNKNOWN, {}, ['recall', 'tell', 'settle in-doubt lost', 'pause-if-away']],
    [{ ...UNKNOWN, status: 200 }, {}, ['recall', 'settle in-doubt lost']],
    [retry(null), {}, ['recall', 'tell', 'withdraw', 'again failed']],
    [retry(50), {}, ['recall', 'tell', 'withdraw', 'again throttled']],
    [retry(null), { before: 'i dead.1 1.1' }, ['recall', 'tell', 'again failed']],
    [STOP, {}, ['recall', 'tell', 'withdraw', 'refresh']],
    [{ ...STOP, status: 400 }, {}, WANTING],
    [{ ...STOP, status: null }, {}, WANTING],
  ])('%j of one that is %j', (verdict, over, effects) => {
    const answered = { verdict, reply: OK, call: 'subclient.create', at: AT } as const;
    expect(words(afterReply(answered, { ...made, ...over }, NONE_IN_A_ROW))).toEqual(effects);
  });

  test.each<[reply: Reply, values: object]>([
    [{ kind: 'no-response', sent: true, code: 'x', ms: 3 }, {}],
    [{ kind: 'unreadable', status: 200, code: 'x', requestId: 'r-1', ms: 3 }, { requestId: 'r-1' }],
  ])(
    'one in doubt after %j is found by when it was sent, and by the id that the service gave',
    (reply, values) => {
      const [, , settled] = afterReply(
        { verdict: UNKNOWN, reply, call: 'subclient.create', at: AT },
        made,
        NONE_IN_A_ROW,
      );
      const end = { outcome: 'in-doubt', values: { sentAt: '2026-11-21T10:20:03.000Z', ...values } };
      expect(settled).toMatchObject({ end });
    },
  );

  test('the third 403 in a row with no success between pauses the run; each row stays denied', () => {
    const verdicts = [
      ...[refused('denied'), refused('denied'), ACCEPTED],
      ...[refused('denied'), refused('rejected'), UNKNOWN, refused('denied'), retry(null)],
      ...[refused('denied'), refused('denied')],
    ];
    let counted = NONE_IN_A_ROW;
    const pausing = verdicts.flatMap((verdict, i) => {
      counted = inARow(counted, verdict);
      const effects = words(
        afterReply({ verdict, reply: OK, call: 'subclient.create', at: AT }, made, counted),
      );
      if (verdict.kind === 'refused' && verdict.outcome === 'denied')
        expect(effects).toContain('settle denied http_400');
      return effects.includes('pause permission') ? [i] : [];
    });
    // A run that was resumed has two more before it pauses again.
    expect(pausing).toEqual([8]);
  });

  test('after 50 refusals in a row the others wait for what the ledger says', () => {
    const refusals = Array.from({ length: 120 }, () => refused('failed'));
    let counted = NONE_IN_A_ROW;
    const recalling = [...refusals.slice(0, 49), ACCEPTED, refused('rejected'), ...refusals].flatMap(
      (verdict, i) => {
        counted = inARow(counted, verdict);
        const effects = afterReply({ verdict, reply: OK, call: 'subclient.create', at: AT }, made, counted);
        return words(effects).includes('recall') ? [i] : [];
      },
    );
    expect(recalling).toEqual([51 + 49, 51 + 99]);
  });

  const LOST: Reply = { kind: 'no-response', sent: true, code: 'x', ms: 3 };
  const IN_DOUBT = { outcome: 'in-doubt' } as const;
  const IN_USE: Verdict = {
    kind: 'refused',
    outcome: 'failed',
    status: 409,
    code: 'http_409',
    message: '',
    body: '',
  };
  test.each<[verdict: Verdict, reply: Reply, doubt: typeof IN_DOUBT | null, effects: string[]]>([
    [UNKNOWN, LOST, null, ['recall', 'tell', 'again failed']],
    [
      UNKNOWN,
      { kind: 'unreadable', status: 200, code: 'x', ms: 3 },
      null,
      ['recall', 'tell', 'again failed'],
    ],
    // What was answered whole is answered the same again.
    [{ ...UNKNOWN, status: 200 }, OK, null, ['recall', 'settle in-doubt lost']],
    [IN_USE, OK, IN_DOUBT, ['again failed']],
    [IN_USE, OK, null, ['settle failed http_409']],
  ])(
    '%j by %j of a request with an idempotency header, with the doubt %j',
    (verdict, reply, doubt, effects) => {
      const answered = { verdict, reply, call: 'custom.once:thing.add', at: AT } as const;
      const after = afterReply(answered, { ...made, first: { at: AT, value: 'v' }, doubt }, NONE_IN_A_ROW);
      expect(words(after)).toEqual(effects);
      const [again] = after.filter(({ kind }) => kind === 'again');
      if (verdict === UNKNOWN) expect(again).toMatchObject({ doubt: { ...IN_DOUBT, code: 'lost' } });
    },
  );

  const NO_ANSWER: Reply = { kind: 'no-response', sent: true, code: 'UND_ERR_SOCKET', ms: 3 };
  test.each<[call: Call, reply: Reply, isWithdrawn: boolean]>([
    ['subclient.update', NO_ANSWER, false],
    ['subclient.update', { ...NO_ANSWER, sent: false }, true],
    ['subclient.update', { kind: 'unreadable', status: 200, code: 'x', ms: 3 }, false],
    ['subclient.update', { ...OK, status: 500 }, false],
    ['subclient.update', { ...OK, status: 503, retryAfterMs: 5 }, true],
    ['subclient.update', { ...OK, status: 429 }, true],
    ['payment.documents', NO_ANSWER, true],
  ])('%s that is tried again after %j is unsent meanwhile: %s', (call, reply, isWithdrawn) => {
    const effects = words(afterReply({ verdict: retry(null), reply, call, at: AT }, made, NONE_IN_A_ROW));
    expect(effects.includes('withdraw')).toBe(isWithdrawn);
  });

  test('tells the breaker its cause: the plain words, and the code that a person can search for', () => {
    const causeOf = (reply: Reply) =>
      afterReply({ verdict: UNKNOWN, reply, call: 'subclient.create', at: AT }, made, NONE_IN_A_ROW)[1];
    expect(causeOf(NO_ANSWER)).toMatchObject({ failure: { cause: 'The answer was lost (UND_ERR_SOCKET).' } });
    expect(causeOf({ ...NO_ANSWER, code: 'ONBOARD_X' })).toMatchObject({
      failure: { cause: 'The answer was lost.' },
    });
    expect(causeOf(OK)).toMatchObject({ failure: { cause: 'The answer was lost.', afterMs: null } });
  });

  test('a refused token is replaced once, and without another the run pauses', () => {
    expect(words(afterToken(true))).toEqual(['again refreshed']);
    expect(words(afterToken(false))).toEqual(['pause credentials', 'unsent']);
  });
});

describe('an end says something of the other rows', () => {
  const PATH = { method: 'POST', name: 'thing.create' } as const;
  const JOBS = {
    plain: {},
    stops: { stopAfter: '100%' },
    fixed: { request: { ...PATH, path: '/things' } },
    ofRow: { request: { ...PATH, path: '/things/{Id}' } },
  } as const;
  test.each<[call: Call, outcome: Outcome, status: number, job: keyof typeof JOBS, streak: string | null]>([
    ['subclient.create', 'failed', 400, 'plain', 'same-refusal 400'],
    ['subclient.create', 'failed', 404, 'plain', 'same-refusal 404'],
    ['subclient.update', 'failed', 404, 'plain', null],
    ['payment.documents', 'failed', 404, 'plain', null],
    ['custom.once:thing.create', 'failed', 404, 'fixed', 'same-refusal 404'],
    ['custom.once:thing.create', 'failed', 404, 'ofRow', null],
    ['subclient.update', 'failed', 422, 'plain', 'same-refusal 422'],
    ['subclient.create', 'failed', 409, 'stops', null],
    ['subclient.create', 'failed', 429, 'plain', null],
    ['subclient.create', 'failed', 0, 'plain', null],
    ['subclient.create', 'rejected', 418, 'plain', null],
    ['subclient.create', 'denied', 403, 'plain', null],
    ['subclient.create', 'created', 200, 'plain', null],
    ['subclient.create', 'in-doubt', 202, 'stops', 'unreadable-answers unreadable'],
    ['subclient.create', 'in-doubt', 500, 'plain', null],
    ['subclient.create', 'in-doubt', 303, 'plain', null],
  ])('%s that ended %s with %i in a job that is %s: %s', (call, outcome, status, job, expected) => {
    const streak = streakOf({ outcome, status }, call, JOBS[job]);
    expect(streak === null ? null : `${streak.reason} ${streak.of}`).toBe(expected);
  });
});
