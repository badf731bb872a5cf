import { describe, expect, test } from 'vitest';
import type { SendingState } from '../../src/delivery/sending.ts';
import {
  afterGrant,
  afterReply,
  afterToken,
  afterTries,
  givenUp,
  type unsent,
} from '../../src/delivery/transitions.ts';
import type { Granted } from '../../src/ledger/intent.ts';
import type { Call } from '../../src/model/operation.ts';
import type { Reply, Verdict } from '../../src/model/request.ts';

const facts = { state: 'waiting', isInOrder: false, everUnknown: false, before: '', made: 0 } as const;
type Facts = {
  readonly state?: SendingState;
  readonly isInOrder?: boolean;
  readonly everUnknown?: boolean;
  readonly before?: string;
  readonly made?: number;
};
/** The effects as words: what is done, and what it says of the row. */
const words = (effects: ReturnType<typeof unsent>) =>
  effects.map((effect) => {
    if (effect.kind === 'settle') return `settle ${effect.end.outcome} ${effect.end.code}`.trim();
    if (effect.kind === 'pause') return `pause ${effect.reason}`;
    if (effect.kind === 'again') return `again ${effect.because}`;
    return effect.kind === 'ready' && effect.isFirst ? 'ready first' : effect.kind;
  });
const INTERRUPTED = 'settle in-doubt interrupted';

describe('what the ledger’s answer makes of a request', () => {
  const WAIT: Granted = { kind: 'wait', ms: 5, isHold: false };
  const HELD: Granted = { kind: 'held', by: { run: 'run-other', row: 7 } };
  const UNWRITTEN: Granted = { kind: 'unwritten', problem: 'no space left' };

  test.each<[answer: Granted | undefined, over: Facts, effects: string[]]>([
    [{ kind: 'granted' }, {}, ['ready']],
    [{ kind: 'granted' }, { state: 'intended' }, ['ready first']],
    [{ kind: 'granted' }, { made: 1 }, ['ready first']],
    [WAIT, {}, ['wait']],
    [WAIT, { state: 'intended' }, ['wait']],
    [{ kind: 'halted' }, {}, ['unsent', 'halt']],
    [{ kind: 'halted' }, { state: 'intended' }, ['unsent', 'halt']],
    [{ kind: 'halted' }, { everUnknown: true }, [INTERRUPTED, 'halt']],
    [{ kind: 'taken' }, {}, ['unsent']],
    [{ kind: 'taken' }, { state: 'intended' }, ['unsent']],
    [{ kind: 'taken' }, { everUnknown: true }, [INTERRUPTED]],
    [{ kind: 'taken' }, { isInOrder: true }, ['alone']],
    [{ kind: 'unclaimed' }, { isInOrder: true }, ['alone']],
    [{ kind: 'unclaimed' }, {}, ['unsent']],
    [undefined, {}, ['unsent']],
    [HELD, {}, ['settle invalid key_held']],
    [HELD, { everUnknown: true }, ['settle in-doubt key_held']],
    [UNWRITTEN, {}, ['pause journal', 'unsent', 'halt']],
    [UNWRITTEN, { everUnknown: true }, ['pause journal', INTERRUPTED, 'halt']],
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
  [{ state: 'intended', everUnknown: true }, [INTERRUPTED]],
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
  const GIVEN: Verdict = { ...UNKNOWN, givenId: '..' };
  const retry = (afterMs: number | null): Verdict => ({
    kind: 'retry',
    status: 503,
    code: 'http_503',
    message: 'Busy.',
    afterMs,
  });
  const STOP: Verdict = { kind: 'stop', reason: 'credentials', status: 401, message: 'no' };
  const made = { ...facts, state: 'onWire', made: 1 } as const;
  const HOLD = { mayRepeat: false };
  const REPEAT = { mayRepeat: true };

  test.each<[verdict: Verdict, over: Facts, policy: { mayRepeat: boolean }, effects: string[]]>([
    [ACCEPTED, {}, HOLD, ['settle created']],
    [ACCEPTED, { everUnknown: true }, REPEAT, ['settle created']],
    [refused('failed'), {}, HOLD, ['settle failed http_400']],
    [refused('rejected'), { everUnknown: true }, REPEAT, ['settle in-doubt http_400']],
    [refused('denied'), {}, HOLD, ['recall', 'settle denied http_400']],
    [UNKNOWN, {}, HOLD, ['recall', 'tell', 'pause-if-away', 'settle in-doubt lost']],
    [UNKNOWN, {}, REPEAT, ['recall', 'tell', 'again unknown']],
    [GIVEN, {}, REPEAT, ['recall', 'tell', 'pause-if-away', 'settle in-doubt lost']],
    [retry(null), {}, HOLD, ['recall', 'tell', 'withdraw', 'again failed']],
    [retry(50), {}, HOLD, ['recall', 'tell', 'withdraw', 'again throttled']],
    [retry(null), { everUnknown: true }, REPEAT, ['recall', 'tell', 'again failed']],
    [retry(null), { before: 'i dead.1 1.1' }, HOLD, ['recall', 'tell', 'again failed']],
    [STOP, {}, HOLD, ['recall', 'tell', 'withdraw', 'refresh']],
    [STOP, { everUnknown: true }, REPEAT, ['recall', 'tell', 'refresh']],
  ])('%j of one that is %j, where it %j', (verdict, over, policy, effects) => {
    const answered = { verdict, reply: OK, call: 'subclient.create' } as const;
    expect(words(afterReply(answered, { ...made, ...over }, policy))).toEqual(effects);
  });

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
    const effects = words(afterReply({ verdict: retry(null), reply, call }, made, HOLD));
    expect(effects.includes('withdraw')).toBe(isWithdrawn);
  });

  test('tells the breaker its cause: the plain words, and the code that a person can search for', () => {
    const causeOf = (reply: Reply) =>
      afterReply({ verdict: UNKNOWN, reply, call: 'subclient.create' }, made, HOLD)[1];
    expect(causeOf(NO_ANSWER)).toMatchObject({ failure: { cause: 'The answer was lost (UND_ERR_SOCKET).' } });
    expect(causeOf({ ...NO_ANSWER, code: 'ONBOARD_X' })).toMatchObject({
      failure: { cause: 'The answer was lost.' },
    });
    expect(causeOf(OK)).toMatchObject({ failure: { cause: 'The answer was lost.', afterMs: null } });
  });

  test('a refused token is replaced once, and without another the run pauses', () => {
    expect(words(afterToken(true, made))).toEqual(['again refreshed']);
    expect(words(afterToken(false, made))).toEqual(['pause credentials', 'unsent']);
    expect(words(afterToken(false, { ...made, everUnknown: true }))).toEqual([
      'pause credentials',
      INTERRUPTED,
    ]);
  });

  test.each([
    ['give-up', false, ['settle failed http_503']],
    ['give-up', true, ['settle in-doubt http_503']],
    ['away', false, ['pause service-away', 'unsent']],
    ['hold', false, ['pause service-hold', 'unsent']],
    ['wait', false, ['unsent']],
    ['wait', true, [INTERRUPTED]],
  ] as const)('that is not tried again (%s, may have been made: %s)', (kind, everUnknown, effects) => {
    const verdict = {
      kind: 'retry',
      status: 503,
      code: 'http_503',
      message: 'Busy.',
      afterMs: null,
    } as const;
    const next = kind === 'wait' ? { kind, ms: 0 } : { kind };
    expect(words(afterTries({ next, verdict }, { ...made, everUnknown }))).toEqual(effects);
  });
});
