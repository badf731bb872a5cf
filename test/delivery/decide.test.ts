import { describe, expect, test } from 'vitest';
import { decide, decideCancelled, type Plan } from '../../src/delivery/decide.ts';
import { type RowEnd, settledRow } from '../../src/delivery/row-task.ts';
import { intentMark, type Mark } from '../../src/engine/ledger/mark.ts';
import type { AccountHolder, KeyClaim } from '../../src/model/identity.ts';
import type { Mapped } from '../../src/model/mapping.ts';
import type { Operation } from '../../src/model/operation.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { JsonObject, ServiceRequest } from '../../src/model/request.ts';
import type { RunState } from '../../src/model/run.ts';
import { messageOf } from '../../src/model/sentence.ts';
import { mayRepeat, OPERATIONS } from '../../src/operations/operations.ts';
import { packContent, packFieldDigests } from '../../src/readers/mapping/field-digests.ts';
import { sampleMapping } from '../support/mapping.ts';
import { CLAIMS, sampleDefinition, sampleRow, sampleTask } from './sample-task.ts';

const BODY = { details: { name: 'Company 7' } };
const FINE: Mapped = { kind: 'mapped', body: BODY, pathId: 'from-row', warnings: [], references: [] };
const NO_NAME: Mapped = {
  kind: 'issues',
  issues: [
    { row: 7, line: 8, column: 'Volume', value: 'x1', expected: 'a number', code: 'cell_not_convertible' },
    { row: 7, line: 8, column: null, value: null, expected: 'a name', code: 'missing_required' },
  ],
};

/** A request that shows what it was built of. */
function build(
  call: ServiceRequest['call'],
  parts: { readonly pathId: string | null; readonly body: JsonObject },
): ServiceRequest {
  return { call, method: 'POST', path: `/${parts.pathId ?? ''}`, body: JSON.stringify(parts.body) };
}

/** The plan to send the row's body, untouched so far. */
const sends = (call: ServiceRequest['call'], id = 'from-row', expected = '') => ({
  kind: 'send',
  request: { call, method: 'POST', path: `/${id}`, body: JSON.stringify(BODY) },
  expected,
  content: expect.any(String),
});
const ends = (end: RowEnd) => ({ kind: 'end', end });

/** The plan with its end in the words of the report. */
function inWords<P extends Plan | { readonly kind: 'wait' }>(plan: P) {
  if (plan.kind !== 'end') return plan;
  const { values = {}, issues = [], message = '', ...end } = plan.end;
  const words = messageOf({ message, values, issues });
  return ends(words === '' ? end : { ...end, message: words });
}

type Case = {
  readonly claim?: keyof typeof CLAIMS;
  readonly mark?: Mark;
  readonly definition?: object;
  readonly mapped?: Mapped;
  readonly possiblySent?: boolean;
  /** Of the run that has the key. */
  readonly state?: RunState;
  /** Of the known record. */
  readonly content?: string;
  /** A row that has an account of this one. */
  readonly other?: AccountHolder;
};

/** Of row 7, whose key is K7. */
function planOf(operation: Operation, given: Case = {}) {
  const { claim = 'claimed', mark, definition, mapped = FINE, possiblySent = false } = given;
  const task = sampleTask(operation, {
    claim: claimOf(claim, given),
    possiblySent,
    ...(given.other !== undefined && { accounts: { named: [], other: given.other } }),
  });
  const marks = new Map(mark === undefined ? [] : [[7, mark]]);
  return decide(task, marks, {
    definition: sampleDefinition(operation, definition),
    mapping: sampleMapping({ hasKey: true, keyOf: () => 'K7', map: () => mapped }),
    service: { build },
  });
}

function claimOf(claim: keyof typeof CLAIMS, { state, content }: Case): KeyClaim {
  if (state !== undefined) return { ...CLAIMS.held, state };
  return content === undefined ? CLAIMS[claim] : { ...CLAIMS.known, content };
}

function questionOf(operation: Operation, given: Case) {
  const plan = planOf(operation, given);
  if (plan.kind !== 'ask') throw new Error(`expected a question, got ${plan.kind}`);
  return plan;
}

const INTENT: Mark = { kind: 'intent', text: intentMark('dead.1', 1, 2) };
const TAKEN_OVER = 'i dead.1 2.1';
const WORKER_LOST = ends({
  outcome: 'in-doubt',
  code: 'worker_lost',
  message: 'the worker ended while the request was in flight',
});
const JOURNAL_LOST = ends({
  outcome: 'in-doubt',
  code: 'journal_lost',
  message: 'Redis lost what it knew, and the journal of a worker that may have sent the row is gone',
});

const settled = (row: number, end: RowEnd): Mark => ({
  kind: 'settled',
  settlement: settledRow(sampleTask('subclient.create', { row: sampleRow(row) }), end),
});

const OPERATION_CALLS = [
  ['subclient.create', 'subclient.create'],
  ['subclient.update', 'subclient.update'],
  ['subclient.upsert', 'subclient.create'],
  ['counterparty.draft', 'counterparty.draft'],
  ['payment.documents', 'payment.documents'],
] as const;

describe.each(OPERATION_CALLS)('a row of %s (%s)', (operation, call) => {
  test('that nobody has touched is sent', () => {
    expect(planOf(operation)).toMatchObject(sends(call));
  });

  test('that has issues is invalid, in words without the cells, which are personal data', () => {
    const end = {
      outcome: 'invalid' as const,
      code: 'cell_not_convertible',
      message: 'column "Volume": expected a number; expected a name',
    };
    expect(inWords(planOf(operation, { mapped: NO_NAME }))).toEqual(ends(end));
  });

  test('with an intent of a worker that is gone is in doubt where it may have been created, even if it no longer maps', () => {
    const plans = [FINE, NO_NAME].map((mapped) => planOf(operation, { mark: INTENT, mapped }));
    if (mayRepeat(call)) expect(plans[0]).toEqual(sends(call, 'from-row', TAKEN_OVER));
    else expect(plans).toEqual([WORKER_LOST, WORKER_LOST]);
  });

  test('that a worker may have sent whose journal is lost is in doubt where it may have been created', () => {
    const plan = planOf(operation, { possiblySent: true });
    expect(plan).toEqual(mayRepeat(call) ? sends(call) : JOURNAL_LOST);
  });

  test.each([
    ['duplicate', 'duplicate_key', 'the same key is in row 3 of this file'],
    [
      'apart',
      'group_apart',
      'the same key is in row 5 of this file too, and rows of one key are one request: they must follow each other, and none of them is sent',
    ],
    ['held', 'key_held', 'row 4 of run run-other has this key and is not done yet'],
    ['doubted', 'key_in_doubt', 'row 4 of run run-other has this key and its outcome is in doubt'],
  ] as const)(
    'whose key is another row’s (%s) is invalid (%s), whatever else there is',
    (claim, code, message) => {
      const end = ends({ outcome: 'invalid', code, message });
      for (const given of [{}, { mapped: NO_NAME }, { possiblySent: true }])
        expect(inWords(planOf(operation, { claim, ...given }))).toEqual(end);
      // Where Redis lost its claim of the key and another row has it now.
      const sent = inWords(planOf(operation, { claim, mark: INTENT }));
      expect(sent).toEqual(mayRepeat(call) ? end : WORKER_LOST);
    },
  );
});

test.each([
  ['running', 'that run is running: wait until it has finished'],
  [
    'paused',
    'that run is paused: `onboard resume run-other` goes on with it, `onboard cancel run-other` gives it up',
  ],
  [
    'stopped',
    'that run is stopped: `onboard resume run-other` goes on with it, `onboard cancel run-other` gives it up',
  ],
  ['cancelled', 'that run is cancelled: `onboard cancel run-other` winds it up'],
] as const)('whose key a run has that is %s is told what to do about that run', (state, words) => {
  const message = `row 4 of run run-other has this key and is not done yet; ${words}`;
  expect(inWords(planOf('subclient.create', { state }))).toEqual(
    ends({ outcome: 'invalid', code: 'key_held', message }),
  );
});

test('rows that go on with the key of the rows above them, which were too many, are too many as well', () => {
  const plan = planOf('counterparty.draft', { claim: 'duplicate', definition: { group: 'accounts' } });
  const message = 'the rows from 3 on have the same key, and at most 199 rows can be one request';
  expect(inWords(plan)).toEqual(ends({ outcome: 'invalid', code: 'group_too_large', message }));
});

test('a row that the program itself stumbles over is invalid, in words without the error’s, which may quote a cell', () => {
  const mapping = sampleMapping({
    hasKey: true,
    keyOf: () => 'K7',
    map: () => {
      throw new RangeError('Maximum call stack size exceeded by "Jane Doe"');
    },
  });
  const means = { definition: sampleDefinition('subclient.create'), mapping, service: { build } };
  expect(decide(sampleTask('subclient.create'), new Map(), means)).toEqual(
    ends({
      outcome: 'invalid',
      code: 'internal',
      message: 'this row could not be made into a request: a defect of the program (RangeError)',
    }),
  );
});

test('a row with an intent whose worker’s journal is lost as well is in doubt for the intent', () => {
  expect(planOf('subclient.create', { possiblySent: true, mark: INTENT })).toEqual(WORKER_LOST);
});

test.each(OUTCOMES)('a row that is settled (%s) is done, whatever its claim', (outcome) => {
  for (const claim of ['claimed', 'duplicate', 'known', 'held', 'doubted'] as const)
    expect(planOf('subclient.create', { claim, mark: settled(7, { outcome }) })).toEqual({ kind: 'done' });
});

describe('a row whose key is known', () => {
  const SKIPPED = ends({
    outcome: 'skipped',
    id: 'sub-9',
    code: 'key_known',
    message: 'already created by run run-before; its content is not known',
  });
  const UPDATED = sends('subclient.update', 'sub-9');
  test.each<[string, Operation, Case, object]>([
    ['is skipped by default', 'subclient.create', {}, SKIPPED],
    ['is skipped as a draft too', 'counterparty.draft', {}, SKIPPED],
    ['is skipped even where it does not map', 'subclient.create', { mapped: NO_NAME }, SKIPPED],
    ['is skipped even where a worker may have sent it', 'subclient.create', { possiblySent: true }, SKIPPED],
    [
      'is skipped as a group that does not map, with a hint',
      'counterparty.draft',
      { definition: { group: 'accounts' }, mapped: NO_NAME },
      { end: { message: 'already created by run run-before; its content is not known' } },
    ],
    [
      'is invalid with onKnownKey: fail, and names the identifier',
      'subclient.create',
      { definition: { onKnownKey: 'fail' } },
      ends({ outcome: 'invalid', code: 'key_known', message: 'already created by run run-before as sub-9' }),
    ],
    [
      'updates the record that the ledger knows, not the row’s, with onKnownKey: update',
      'subclient.create',
      { definition: { onKnownKey: 'update' } },
      UPDATED,
    ],
    ['updates it as an upsert', 'subclient.upsert', {}, UPDATED],
    [
      'updates it as an upsert, whatever onKnownKey says',
      'subclient.upsert',
      { definition: { onKnownKey: 'fail' } },
      UPDATED,
    ],
    [
      'updates it as an upsert that a worker may have sent',
      'subclient.upsert',
      { possiblySent: true },
      UPDATED,
    ],
    [
      'takes an upsert over from a worker that is gone',
      'subclient.upsert',
      { mark: INTENT },
      sends('subclient.update', 'sub-9', TAKEN_OVER),
    ],
  ])('%s', (_, operation, given, plan) => {
    const first = planOf(operation, { claim: 'known', ...given });
    const NOTHING_KNOWN = { states: [], fields: '' };
    expect(inWords(first.kind === 'ask' ? first.decide(NOTHING_KNOWN) : first)).toMatchObject(plan);
  });
});

describe('a new row with an account that another row has', () => {
  const KNOWN = { run: 'run-before', row: 3, isSameName: false, isSent: true, isOfDelivery: false };
  const HELD = {
    outcome: 'invalid' as const,
    code: 'account_shared',
    message: 'row 3 of run run-before has this account under another name',
  };
  const guarded = (accounts: string, over: Partial<AccountHolder> = {}, given: Case = {}) =>
    planOf('counterparty.draft', {
      ...given,
      definition: { guard: { accounts } },
      other: { ...KNOWN, ...over },
    });

  const toldOf = (plan: Plan) =>
    plan.kind === 'send' ? plan.warnings?.get(7)?.map((warning) => warning.code) : undefined;

  test('of another payee is held where the job says so', () => {
    expect(inWords(guarded('hold'))).toEqual(ends(HELD));
    expect(toldOf(guarded('warn'))).toEqual(['account_shared']);
  });

  test.each<[string, Partial<AccountHolder>, string]>([
    ['of the same name', { isSameName: true }, 'payee_repeated'],
    ['of the same file', { run: null, isOfDelivery: true }, 'account_shared'],
    ['of what the file corrects', { isOfDelivery: true }, 'account_shared'],
  ])('%s is told, and sent', (_, over, code) => {
    const plan = guarded('hold', over);
    expect([plan.kind, toldOf(plan)]).toEqual(['send', [code]]);
  });

  test('may have been sent before: that comes first', () => {
    expect(inWords(guarded('hold', {}, { mark: INTENT }))).toEqual(WORKER_LOST);
    expect(inWords(guarded('hold', {}, { possiblySent: true }))).toEqual(JOURNAL_LOST);
  });
});

describe('a row whose key is known, against what the record was created with', () => {
  const ACCOUNT = { iban: 'DE89370400440532013000' };
  const OTHER = { iban: 'FR1420041010050500013M02606' };
  const payee = (name: string, ...accounts: readonly JsonObject[]) => ({ name, accounts });
  const contentOf = (body: JsonObject) => packContent({ body, references: [] }, 'K7');
  const HELD = {
    outcome: 'invalid',
    code: 'account_changed',
    message: 'the row has another account than is known of the record that run run-before created as sub-9',
  };

  type Told = readonly [string, JsonObject, string, readonly string[]];

  test.each<Told>([
    ['the same', payee('A', ACCOUNT), ' with this content', []],
    ['another name', payee('B', ACCOUNT), ' with other content, and this was not sent', ['changed_not_sent']],
    ['one account less', payee('A'), ' with other content, and this was not sent', ['changed_not_sent']],
    [
      'one account more',
      payee('A', ACCOUNT, OTHER),
      ' with other content, and this was not sent',
      ['account_added'],
    ],
    ['another account', payee('A', OTHER), ' with other content, and this was not sent', ['account_changed']],
    [
      'perhaps the same account',
      payee('A', { accountNumber: '0532013000' }),
      ' with other content, and this was not sent',
      ['account_changed'],
    ],
  ])('%s: it is skipped, and what differs is told', (_, body, said, codes) => {
    const content = contentOf(payee('A', ACCOUNT));
    const plan = planOf('counterparty.draft', { content, mapped: { ...FINE, body } });
    expect(inWords(plan)).toMatchObject(
      ends({
        outcome: 'skipped',
        code: 'key_known',
        id: 'sub-9',
        message: `already created by run run-before${said}`,
      }),
    );
    expect(warningsOf(plan)).toEqual(codes);
  });

  test.each([
    ['hold', payee('A', OTHER), HELD],
    ['hold', payee('A', ACCOUNT, OTHER), { outcome: 'skipped' }],
    ['hold', payee('A', { accountNumber: '0532013000' }), { outcome: 'skipped' }],
    ['warn', payee('A', OTHER), { outcome: 'skipped' }],
    ['off', payee('A', OTHER), { outcome: 'skipped' }],
  ] as const)('guard: %s, %o', (accounts, body, end) => {
    const definition = { guard: { accounts } };
    const content = contentOf(payee('A', ACCOUNT));
    const plan = planOf('counterparty.draft', { content, definition, mapped: { ...FINE, body } });
    expect(inWords(plan)).toMatchObject(ends(end as RowEnd));
  });

  test('an account that is compared with none is told, where the guard is not off', () => {
    const told = (accounts: string, body: JsonObject) =>
      warningsOf(
        planOf('counterparty.draft', {
          claim: 'known',
          definition: { guard: { accounts } },
          mapped: { ...FINE, body },
        }),
      );
    expect(told('warn', payee('A', ACCOUNT))).toEqual(['account_not_known']);
    expect(told('hold', payee('A', ACCOUNT))).toEqual(['account_not_known']);
    expect(told('off', payee('A', ACCOUNT))).toEqual([]);
    expect(told('warn', payee('A'))).toEqual([]);
  });

  test('rows of a group are compared, and held, as one', () => {
    const plan = planOf('counterparty.draft', {
      content: contentOf(payee('A', ACCOUNT)),
      definition: { group: 'accounts', guard: { accounts: 'hold' } },
      mapped: { ...FINE, body: payee('A', OTHER) },
    });
    expect(inWords(plan)).toMatchObject(ends(HELD as RowEnd));
    expect(plan).not.toHaveProperty('ends');
  });

  test('an update sends nothing where nobody has changed the record since it was created just so', () => {
    const same = questionOf('subclient.upsert', { content: contentOf(BODY) });
    expect(same.decide({ states: [], fields: '' })).toMatchObject(
      ends({ outcome: 'skipped', code: 'unchanged' } as RowEnd),
    );
    expect(same.decide({ states: [], fields: '~' })).toMatchObject(sends('subclient.update', 'sub-9'));
    const other = questionOf('subclient.upsert', { content: contentOf({ details: { name: 'B' } }) });
    expect(other.decide({ states: [], fields: '' })).toMatchObject(sends('subclient.update', 'sub-9'));
  });
});

function warningsOf(plan: Plan): readonly string[] {
  return plan.kind === 'end' ? (plan.end.warnings ?? []).map(({ code }) => code) : [];
}

describe('a row whose record may be updated', () => {
  const PLACE = { space: 'subclient', key: 'K7', form: 'loose' };
  const CONTENT = { content: packContent({ body: BODY, references: [] }, 'K7'), contentBefore: '' };
  const ACCEPTED = packFieldDigests(BODY, 'K7');
  const OTHER = packFieldDigests({ details: { name: 'Company 6' } }, 'K7');
  const updateWith = (fields: string) =>
    questionOf('subclient.upsert', { claim: 'known' }).decide({ states: [], fields });

  test('is created with all its fields, which are followed from then on', () => {
    const fields = { ...PLACE, ...CONTENT, before: '', after: ACCEPTED };
    expect(planOf('subclient.upsert')).toEqual({ ...sends('subclient.create'), fields });
  });

  test('asks what the service has before it updates', () => {
    const { questions } = questionOf('subclient.upsert', { claim: 'known' });
    expect(questions).toMatchObject({ references: [], fieldsOf: PLACE });
  });

  test('is skipped where nothing has changed', () => {
    expect(updateWith(ACCEPTED)).toMatchObject(
      ends({ outcome: 'skipped', id: 'sub-9', code: 'unchanged', message: expect.any(String) }),
    );
  });

  test.each([
    ['sends all its fields where nobody knows what the service has', ''],
    ['sends them all where an update is under way, or was lost', '~dead.1'],
    ['sends what has changed, and adds it to what is known', OTHER],
  ])('%s', (_, before) => {
    const fields = { ...PLACE, ...CONTENT, before, after: ACCEPTED };
    const change = expect.objectContaining({ kind: before === OTHER ? 'changed' : 'unknown' });
    // Nobody has seen what came of its first update, where its key was adopted.
    const ofFirst = before === '' && { firstUpdate: { madeBy: 'run-before', row: 7, id: 'sub-9' } };
    const sent = { ...sends('subclient.update', 'sub-9'), fields, change, ...ofFirst };
    expect(updateWith(before)).toEqual(sent);
    const plan = questionOf('subclient.create', {
      claim: 'known',
      definition: { onKnownKey: 'update' },
    }).decide({ states: [], fields: before });
    expect(plan).toEqual(sent);
  });
});

describe('a row that refers to another record', () => {
  const reference = { space: 'subclient', key: 'P1', path: ['parent', 'id'], column: 'Parent Ref' } as const;
  const mapped: Mapped = { ...FINE, references: [reference] };
  const answers = { fields: '' };
  const question = () => questionOf('counterparty.draft', { mapped });

  test('asks for it, and is sent with its identifier', () => {
    const { questions, decide: informed } = question();
    expect(questions).toEqual({ references: [reference], fieldsOf: null });
    const plan = informed({ states: [{ kind: 'known', run: 'r', row: 1, id: 'sub-1' }], ...answers });
    if (plan.kind !== 'send') throw new Error(`expected a request, got ${plan.kind}`);
    expect(JSON.parse(plan.request.body ?? '')).toEqual({ ...BODY, parent: { id: 'sub-1' } });
  });
});

describe('rows of one key', () => {
  /** Row 9 has no IBAN where `gap`; every row is warned of. */
  const mappingWith = (gap: boolean) =>
    sampleMapping({
      hasKey: true,
      keyOf: () => 'K7',
      map({ row, line }) {
        const issue = { row, line, column: 'IBAN', value: '', expected: 'a value' } as const;
        if (gap && row === 9) return { kind: 'issues', issues: [{ ...issue, code: 'missing_required' }] };
        const body = { name: 'Acme', accounts: [{ iban: `GB${row}` }] };
        const warnings = [{ ...issue, code: 'iban_invalid' as const }];
        return { kind: 'mapped', body, pathId: null, warnings, references: [] };
      },
    });
  const members = [8, 9].map((row) => sampleTask('counterparty.draft', { row: sampleRow(row) }));
  function decided({
    marks = [],
    keyless = null,
    gap = false,
    isCancelled = false,
  }: {
    readonly marks?: readonly (readonly [number, Mark])[];
    readonly keyless?: number | null;
    readonly gap?: boolean;
    readonly isCancelled?: boolean;
  }) {
    const task = sampleTask('counterparty.draft', { members, keyless });
    if (isCancelled) return decideCancelled(task, new Map(marks));
    const definition = sampleDefinition('counterparty.draft', { group: 'accounts' });
    return decide(task, new Map(marks), { definition, mapping: mappingWith(gap), service: { build } });
  }

  test('are one request with the items of all, and each has its own warnings', () => {
    const plan = decided({});
    if (plan.kind !== 'send') throw new Error(`expected a request, got ${plan.kind}`);
    expect(JSON.parse(plan.request.body ?? '')).toEqual({
      name: 'Acme',
      accounts: [{ iban: 'GB7' }, { iban: 'GB8' }, { iban: 'GB9' }],
    });
    expect([...(plan.warnings?.keys() ?? [])]).toEqual([7, 8, 9]);
  });

  test.each<[string, { gap?: boolean; keyless?: number }, string[]]>([
    ['one of them can’t be', { gap: true }, ['group_member', 'group_member', 'missing_required']],
    ['a row beside them has lost its key', { keyless: 6 }, Array(3).fill('group_member')],
  ])('are not sent where %s, each for its own reason', (_, given, codes) => {
    const plan = decided(given);
    if (plan.kind !== 'end') throw new Error(`expected an end, got ${plan.kind}`);
    expect(plan.end).toMatchObject({ outcome: 'invalid', code: 'group_member' });
    const { ends: own } = plan;
    expect([...(own?.entries() ?? [])].map(([row, { code }]) => [row, code])).toEqual(
      codes.map((code, i) => [7 + i, code]),
    );
    expect([...(own?.values() ?? [])].map(({ issues }) => issues?.[0]?.row)).toEqual(
      codes.map((_, i) => 7 + i),
    );
  });

  const drafted = { outcome: 'drafted', id: 'cp-9', status: 200 } as const;
  const invalid = { outcome: 'invalid', code: 'reference_unknown' } as const;
  const LIKE_7 = {
    outcome: 'invalid',
    code: 'group_member',
    message: "row 7, of the same key, can't be sent",
  };
  test.each<[string, readonly (readonly [number, Mark])[], object, object]>([
    [
      'all settled',
      [7, 8, 9].map((row) => [row, settled(row, drafted)] as const),
      { kind: 'done' },
      { kind: 'done' },
    ],
    ['the first drafted', [[7, settled(7, drafted)]], { end: drafted }, { end: drafted }],
    ['the first invalid', [[7, settled(7, invalid)]], { end: LIKE_7 }, { end: LIKE_7 }],
    ['another drafted', [[8, settled(8, drafted)]], { end: drafted }, { end: drafted }],
    // It may have become possible since: all of them are looked at again.
    [
      'another invalid',
      [[8, settled(8, invalid)]],
      { kind: 'send' },
      { end: { ...LIKE_7, message: "row 8, of the same key, can't be sent" } },
    ],
    ['the first on its way', [[7, INTENT]], WORKER_LOST, WORKER_LOST],
    ['none touched', [], { kind: 'send' }, { end: { outcome: 'cancelled' } }],
  ])('end together: with %s, in a run and in a cancelled one', (_, marks, plan, whenCancelled) => {
    expect(inWords(decided({ marks }))).toMatchObject(plan);
    expect(inWords(decided({ marks, isCancelled: true }))).toMatchObject(whenCancelled);
  });
});

describe('of a cancelled run', () => {
  const plan = (
    operation: Operation,
    { mark, possiblySent = false }: Pick<Case, 'mark' | 'possiblySent'> = {},
  ) =>
    decideCancelled(sampleTask(operation, { possiblySent }), new Map(mark === undefined ? [] : [[7, mark]]));

  test.each(OPERATIONS)('a row of %s is cancelled, or in doubt where a dead worker had it', (operation) => {
    expect([plan(operation), plan(operation, { mark: INTENT })]).toEqual([
      ends({ outcome: 'cancelled' }),
      WORKER_LOST,
    ]);
  });

  test('a row that a lost worker may have sent is in doubt where that could have created it', () => {
    expect(plan('subclient.upsert', { possiblySent: true })).toEqual(JOURNAL_LOST);
    expect(plan('subclient.update', { possiblySent: true })).toEqual(ends({ outcome: 'cancelled' }));
  });

  test('a row that has its outcome keeps it', () => {
    expect(plan('subclient.create', { mark: settled(7, { outcome: 'created' }) })).toEqual({ kind: 'done' });
  });
});
