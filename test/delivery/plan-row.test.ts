import { describe, expect, test } from 'vitest';
import { planRow } from '../../src/delivery/plan-row.ts';
import { intentMark, type Mark } from '../../src/ledger/mark.ts';
import { packFieldDigests } from '../../src/mapping/field-digests.ts';
import type { Mapped, Mapping } from '../../src/model/mapping.ts';
import { type Operation, REPEATABLE } from '../../src/model/operation.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { JsonObject, ServiceRequest } from '../../src/model/request.ts';
import { CLAIMS, sampleDefinition, sampleTask } from './sample-task.ts';

const BODY = { details: { name: 'Company 7' } };

function mappingTo(mapped: Mapped): Mapping {
  return { hasKey: true, keyOf: () => 'K7', map: () => mapped };
}

/** A request that shows what it was built of. */
function build(
  call: ServiceRequest['call'],
  parts: { pathId: string | null; body: JsonObject },
): ServiceRequest {
  return { call, method: 'POST', path: `/${parts.pathId ?? ''}`, body: JSON.stringify(parts.body) };
}

const request = (call: ServiceRequest['call'], id = '') => ({
  call,
  method: 'POST',
  path: `/${id}`,
  body: JSON.stringify(BODY),
});

type Case = {
  readonly claim?: keyof typeof CLAIMS;
  readonly mark?: Mark | undefined;
  readonly definition?: object;
  readonly mapped?: Mapped;
  readonly suspect?: boolean;
};

function plan(
  operation: Operation,
  { claim = 'claimed', mark, definition, mapped, suspect = false }: Case = {},
) {
  return planRow(sampleTask(operation, { claim: CLAIMS[claim], suspect }), mark, {
    definition: sampleDefinition(operation, { updateWith: 'all', ...definition }),
    mapping: mappingTo(
      mapped ?? { kind: 'mapped', body: BODY, pathId: 'from-row', warnings: [], references: [] },
    ),
    service: { build },
  });
}

const INTENT: Mark = { kind: 'intent', text: intentMark('dead.1', 1, 2) };

const OPERATION_CALLS = [
  ['subclient.create', 'subclient.create'],
  ['subclient.update', 'subclient.update'],
  ['subclient.upsert', 'subclient.create'],
  ['counterparty.draft', 'counterparty.draft'],
  ['payment.documents', 'payment.documents'],
] as const;

describe('a row that nobody has touched', () => {
  test.each(OPERATION_CALLS)('of %s is sent as %s', (operation, call) => {
    expect(plan(operation)).toEqual({ kind: 'send', request: request(call, 'from-row'), expected: '' });
  });

  test.each(OPERATION_CALLS)('of %s that has issues is invalid and is not sent', (operation) => {
    const issues = [
      { row: 7, line: 8, column: 'Volume', value: 'x1', expected: 'a number', code: 'cell_not_convertible' },
      { row: 7, line: 8, column: null, value: null, expected: 'a name', code: 'missing_required' },
    ] as const;
    expect(plan(operation, { mapped: { kind: 'issues', issues } })).toEqual({
      kind: 'settle',
      end: {
        outcome: 'invalid',
        code: 'cell_not_convertible',
        // Without the cell's value, which is personal data.
        message: 'column "Volume": expected a number; expected a name',
      },
    });
  });
});

test('a row that the program itself stumbles over is invalid, and does not keep its chunk from ending', () => {
  const mapping: Mapping = {
    hasKey: true,
    keyOf: () => 'K7',
    map: () => {
      throw new RangeError('Maximum call stack size exceeded by "Jane Doe"');
    },
  };
  const means = { definition: sampleDefinition('subclient.create'), mapping, service: { build } };
  expect(planRow(sampleTask('subclient.create'), undefined, means)).toEqual({
    kind: 'settle',
    end: {
      outcome: 'invalid',
      code: 'internal',
      // Without the error's message, which may quote a cell.
      message: 'this row could not be made into a request: a defect of the program (RangeError)',
    },
  });
});

describe('a row with an intent of a worker that is gone', () => {
  test.each(OPERATION_CALLS.filter(([, call]) => !REPEATABLE[call]))(
    'of %s is in doubt: it may have been created',
    (operation) => {
      expect(plan(operation, { mark: INTENT })).toEqual({
        kind: 'settle',
        end: {
          outcome: 'in-doubt',
          code: 'worker_lost',
          message: 'the worker ended while the request was in flight',
        },
      });
    },
  );

  test.each(OPERATION_CALLS.filter(([, call]) => !REPEATABLE[call]))(
    'of %s is in doubt even where the row no longer maps',
    (operation) => {
      const issues = [
        { row: 7, line: 8, column: null, value: null, expected: 'a name', code: 'missing_required' },
      ] as const;
      expect(plan(operation, { mark: INTENT, mapped: { kind: 'issues', issues } })).toMatchObject({
        kind: 'settle',
        end: { outcome: 'in-doubt' },
      });
    },
  );

  test.each(OPERATION_CALLS.filter(([, call]) => REPEATABLE[call]))(
    'of %s is taken over from the very mark',
    (operation, call) => {
      expect(plan(operation, { mark: INTENT })).toEqual({
        kind: 'send',
        request: request(call, 'from-row'),
        expected: 'i dead.1 2.1',
      });
    },
  );

  test('of a create is taken over where the user chose to send again', () => {
    expect(
      plan('subclient.create', { mark: INTENT, definition: { onUnknownOutcome: 'retry' } }),
    ).toMatchObject({
      kind: 'send',
      expected: 'i dead.1 2.1',
    });
  });

  test('of an upsert whose key is known is an update, and taken over', () => {
    expect(plan('subclient.upsert', { claim: 'known', mark: INTENT })).toMatchObject({
      kind: 'send',
      request: { call: 'subclient.update' },
      expected: 'i dead.1 2.1',
    });
  });
});

describe('a row that a worker may have sent whose journal is lost', () => {
  test.each(OPERATION_CALLS.filter(([, call]) => !REPEATABLE[call]))('of %s is in doubt', (operation) => {
    expect(plan(operation, { suspect: true })).toEqual({
      kind: 'settle',
      end: {
        outcome: 'in-doubt',
        code: 'journal_lost',
        message: 'Redis lost what it knew, and the journal of a worker that may have sent the row is gone',
      },
    });
  });

  test.each(OPERATION_CALLS.filter(([, call]) => REPEATABLE[call]))('of %s is sent', (operation, call) => {
    expect(plan(operation, { suspect: true })).toEqual({
      kind: 'send',
      request: request(call, 'from-row'),
      expected: '',
    });
  });

  test('and has an intent is in doubt for that intent', () => {
    expect(plan('subclient.create', { suspect: true, mark: INTENT })).toMatchObject({
      end: { outcome: 'in-doubt', code: 'worker_lost' },
    });
  });

  test.each([
    ['known', 'skipped'],
    ['duplicate', 'invalid'],
  ] as const)('and that is not to be sent by its key (%s) is %s', (claim, outcome) => {
    expect(plan('subclient.create', { suspect: true, claim })).toMatchObject({ end: { outcome } });
  });

  test('of an upsert whose key is known is an update, and sent', () => {
    expect(plan('subclient.upsert', { suspect: true, claim: 'known' })).toMatchObject({
      kind: 'send',
      request: { call: 'subclient.update' },
    });
  });
});

test.each(OUTCOMES)('a row that is settled (%s) is done, whatever its claim', (outcome) => {
  const settlement = {
    row: 7,
    line: 8,
    key: 'K7',
    outcome,
    status: 0,
    id: '',
    attempts: 0,
    ms: 0,
    code: '',
    message: '',
    warnings: '',
  };
  for (const claim of ['claimed', 'duplicate', 'known', 'held', 'doubted'] as const) {
    expect(plan('subclient.create', { claim, mark: { kind: 'settled', settlement } })).toEqual({
      kind: 'done',
    });
  }
});

describe('a row whose key is not its own', () => {
  test.each([
    ['duplicate', 'duplicate_key', 'the same key is in row 3 of this file'],
    ['held', 'key_held', 'row 4 of run run-other has this key and is not done yet'],
    ['doubted', 'key_in_doubt', 'row 4 of run run-other has this key and its outcome is in doubt'],
  ] as const)(
    '%s: invalid with code %s, in every operation, with a mark or without',
    (claim, code, message) => {
      for (const [operation] of OPERATION_CALLS) {
        for (const mark of [undefined, INTENT]) {
          expect(plan(operation, { claim, mark })).toEqual({
            kind: 'settle',
            end: { outcome: 'invalid', code, message },
          });
        }
      }
    },
  );

  test.each(['subclient.create', 'counterparty.draft'] as const)(
    'known, %s: skipped by default',
    (operation) => {
      expect(plan(operation, { claim: 'known' })).toEqual({
        kind: 'settle',
        end: {
          outcome: 'skipped',
          id: 'sub-9',
          code: 'key_known',
          message: 'already created by run run-before',
        },
      });
    },
  );

  test('known, onKnownKey: fail: invalid, with the identifier it has', () => {
    expect(plan('subclient.create', { claim: 'known', definition: { onKnownKey: 'fail' } })).toEqual({
      kind: 'settle',
      end: {
        outcome: 'invalid',
        code: 'key_known',
        message: 'already created by run run-before as sub-9',
      },
    });
  });

  test('known, onKnownKey: update: an update of the identifier that the ledger knows, not the row’s', () => {
    expect(plan('subclient.create', { claim: 'known', definition: { onKnownKey: 'update' } })).toEqual({
      kind: 'send',
      request: request('subclient.update', 'sub-9'),
      expected: '',
    });
  });

  test.each(['skip', 'update', 'fail'])(
    'known, an upsert: an update, whatever onKnownKey says (%s)',
    (onKnownKey) => {
      expect(plan('subclient.upsert', { claim: 'known', definition: { onKnownKey } })).toEqual({
        kind: 'send',
        request: request('subclient.update', 'sub-9'),
        expected: '',
      });
    },
  );
});

describe('a row of a job that sends what has changed', () => {
  const PLACE = { space: 'subclient', key: 'K7' };
  const ACCEPTED = packFieldDigests(BODY, 'K7');
  const changed = { updateWith: 'changed' };
  const consultOf = (operation: Operation, given: Case = {}) => {
    const planned = plan(operation, { definition: changed, ...given });
    if (planned.kind !== 'consult') throw new Error(`expected a question, got ${planned.kind}`);
    return planned;
  };

  test('is created with all its fields, which are followed from then on', () => {
    expect(plan('subclient.upsert', { definition: changed })).toEqual({
      kind: 'send',
      request: request('subclient.create', 'from-row'),
      expected: '',
      fields: { ...PLACE, before: '', after: ACCEPTED },
    });
  });

  test('asks what the service has before it updates', () => {
    expect(consultOf('subclient.upsert', { claim: 'known' }).questions).toEqual({
      references: [],
      fieldsOf: PLACE,
    });
  });

  test('is skipped where nothing has changed', () => {
    const { decide } = consultOf('subclient.upsert', { claim: 'known' });
    expect(decide({ states: [], fields: ACCEPTED, waitedMs: 0 })).toMatchObject({
      kind: 'settle',
      end: { outcome: 'skipped', id: 'sub-9', code: 'unchanged' },
    });
  });

  test('sends all its fields where nobody knows what the service has', () => {
    const { decide } = consultOf('subclient.create', {
      claim: 'known',
      definition: { ...changed, onKnownKey: 'update' },
    });
    expect(decide({ states: [], fields: '', waitedMs: 0 })).toEqual({
      kind: 'send',
      request: request('subclient.update', 'sub-9'),
      expected: '',
      fields: { ...PLACE, before: '', after: ACCEPTED },
    });
  });

  test('sends only what has changed, and adds it to what is known', () => {
    const before = packFieldDigests({ details: { name: 'Company 6' } }, 'K7');
    const { decide } = consultOf('subclient.upsert', { claim: 'known' });
    expect(decide({ states: [], fields: before, waitedMs: 0 })).toEqual({
      kind: 'send',
      request: request('subclient.update', 'sub-9'),
      expected: '',
      fields: { ...PLACE, before, after: ACCEPTED },
    });
  });
});

describe('a row that refers to another record', () => {
  const reference = { space: 'subclient', key: 'P1', path: ['parent', 'id'], column: 'Parent Ref' } as const;
  const mapped: Mapped = { kind: 'mapped', body: BODY, pathId: null, warnings: [], references: [reference] };
  const consultOf = () => {
    const planned = plan('counterparty.draft', { mapped });
    if (planned.kind !== 'consult') throw new Error(`expected a question, got ${planned.kind}`);
    return planned;
  };

  test('asks for it, and is sent with its identifier', () => {
    const { questions, decide } = consultOf();
    expect(questions).toEqual({ references: [reference], fieldsOf: null });
    const planned = decide({
      states: [{ kind: 'known', run: 'r', row: 1, id: 'sub-1' }],
      fields: '',
      waitedMs: 0,
    });
    if (planned.kind !== 'send') throw new Error(`expected a request, got ${planned.kind}`);
    expect(JSON.parse(planned.request.body ?? '')).toEqual({ ...BODY, parent: { id: 'sub-1' } });
  });

  test('waits for an earlier row of its run, and is invalid where the record is missing', () => {
    const { decide } = consultOf();
    const held = { kind: 'held', run: 'run-now', row: 2, inDoubt: false } as const;
    expect(decide({ states: [held], fields: '', waitedMs: 0 })).toEqual({ kind: 'wait' });
    expect(decide({ states: [{ kind: 'free' }], fields: '', waitedMs: 0 })).toMatchObject({
      kind: 'settle',
      end: { outcome: 'invalid', code: 'reference_unknown' },
    });
  });
});
