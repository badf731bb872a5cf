import { describe, expect, test } from 'vitest';
import type { Settlement } from '../../../src/model/settlement.ts';
import { causeId, causeOf, isNewCause, toldOf } from '../../../src/runs/report/causes.ts';
import { startCpuClock } from '../../support/cpu-clock.ts';
import { cells, settled } from './make-report.ts';

const TERMS = {
  columns: ['Ref', 'Payee', 'IBAN', 'Mail'],
  fields: new Set(['name', 'email', 'accounts.#.iban']),
};

type Given = { readonly ref?: string; readonly payee?: string; readonly iban?: string };

const refusal = (body: string, { ref = 'P-17', payee = 'Acme Ltd', iban = 'GB29NWBK1' }: Given = {}) =>
  causeOf(
    {
      settlement: settled(1, 'rejected', { code: 'http_418', message: 'refused' }),
      source: cells(1, ref, payee, iban, ''),
      body: { text: body, restBytes: 0 },
    },
    TERMS,
  );

describe('what the service says of a row', () => {
  const field = (at: string, problem: string) => JSON.stringify({ errors: [{ field: at, problem }] });

  test.each<[string, (given: Required<Given>, n: number) => string, string]>([
    [
      'a field and a problem',
      (_, n) => field(`accounts.${n}.iban`, 'expected an IBAN whose check digits fit'),
      '@accounts[].iban | expected an IBAN whose check digits fit',
    ],
    [
      'a member named by the field',
      ({ iban }, n) => JSON.stringify({ violations: { [`accounts[${n}].iban`]: [`${iban} is not valid`] } }),
      '@accounts[].iban | ‹IBAN› is not valid',
    ],
    [
      'trace ids and times',
      ({ payee }, n) =>
        JSON.stringify({
          traceId: `3b241101-e2bb-4255-8caf-4136c566a96${n}`,
          at: `2026-11-2${n}T10:00:00Z`,
          message: `${payee} is already used by entity ${n}77`,
        }),
      '‹Payee› is already used by entity ‹number›',
    ],
    [
      'no JSON',
      ({ ref }, n) =>
        `Validation failed for ${ref}: "Some ${n} text" exceeds ${n}0 characters, ask a${n}@x.example`,
      'Validation failed for ‹Ref›: ‹text› exceeds ‹number› characters, ask ‹e-mail›',
    ],
    [
      'a field within a sentence',
      ({ iban }, n) => `{"message":"The value ${iban} (accounts[${n}].iban) is not valid"}`,
      'The value ‹IBAN› (@accounts[].iban) is not valid',
    ],
    [
      'a field as a pointer',
      (_, n) => `{"message":"/accounts/${n}/iban: too short"}`,
      '@accounts[].iban: too short',
    ],
    [
      'a field in quotes',
      () => `{"message":"'email' is no address, ask for another e-mail"}`,
      '@email is no address, ask for another e-mail',
    ],
    ['a word that is a field, within a sentence', () => '{"message":"no such name"}', 'no such name'],
    ['nothing', () => '', ''],
  ])('with %s is one cause, whatever the values', (_, bodyOf, cause) => {
    const rows = [1, 2, 3].map((n) => ({
      ref: `P-10${n}`,
      payee: `Firm ${n} & Co`,
      iban: `GB0${n}BUKB202${n}`,
    }));
    expect(rows.map((row, i) => refusal(bodyOf(row, i + 1), row).text)).toEqual([cause, cause, cause]);
  });

  test('of another kind is another cause', () => {
    const said = ['too long', 'missing'].map((problem) => refusal(field('name', problem)));
    expect(said).toEqual([
      { text: '@name | too long', words: 'too long', fields: ['name'], quoted: true },
      { text: '@name | missing', words: 'missing', fields: ['name'], quoted: true },
    ]);
  });

  test('is bounded, and hostile bodies take no time', () => {
    expect(refusal(`{"a":"${'x '.repeat(30_000)}"}`).text.length).toBeLessThanOrEqual(300);
    const spentMs = startCpuClock();
    for (const part of ['a1-', '"', '@', '1.', "'a", '[', '{"a":', 'a.', 'a[0]', '/a'])
      refusal(part.repeat(20_000));
    expect(spentMs()).toBeLessThan(5_000);
  });
});

test('of a row that was not sent it is its sentence, without the rows, runs and keys that it names', () => {
  const cause = (given: Partial<Settlement>) =>
    causeOf({ settlement: settled(4, 'invalid', given), source: cells(4, 'P-17', 'Acme'), body: null }, TERMS)
      .text;
  const code = 'reference_unknown';
  const issue = {
    code,
    column: 'Parent',
    expected: 'the key of a subclient; row {row} has "{key}"',
  } as const;
  expect(cause({ issues: [{ ...issue, values: { row: '12', key: 'P-17' } }] })).toBe(
    'column "Parent": expected the key of a subclient; row ‹…› has "‹…›"',
  );
  expect(cause({ message: 'the same key is in row {row} of this file', values: { row: '12' } })).toBe(
    'the same key is in row ‹…› of this file',
  );
  const found = { sentAt: '2026-11-21', requestId: 'r-1', lookedUp: '2026-11-21: not found' };
  expect(cause({ message: 'no answer', values: found })).toBe('no answer');
});

test('a JSON record’s own values are named by their paths', () => {
  const source = { kind: 'record' as const, row: 1, line: 1, text: '{"name":"Acme Ltd","n":1}' };
  const body = { text: '{"message":"Acme Ltd exists"}', restBytes: 0 };
  expect(causeOf({ settlement: settled(1, 'rejected'), source, body }, TERMS).text).toBe('‹name› exists');
});

test('the service’s words are told where three rows have them, fields always', () => {
  const told = (message: string, rows: number) => {
    const said = refusal(JSON.stringify({ message }));
    return toldOf({ said, count: rows }).text;
  };
  const of = 'accounts[0].iban: Jane Doe is on a list';
  expect([2, 3].map((rows) => told(of, rows))).toEqual([
    '@accounts[].iban',
    '@accounts[].iban: Jane Doe is on a list',
  ]);
  expect(told('Jane (accounts[0].iban), see "email"', 1)).toBe('@accounts[].iban | @email');
  expect(told('Jane Doe', 1)).toBe('‹…›');
  expect([1, 3].map((rows) => told('@JaneDoe is known, see @email', rows))).toEqual([
    '‹…›',
    'JaneDoe is known, see email',
  ]);
});

describe('a cause is new since the last run', () => {
  const said = { text: '@email is ‹text›', words: 'email is ‹text›', fields: ['email'], quoted: true };
  const head = { outcome: 'rejected', code: '422' } as const;
  const knownAs = (count: number) => new Set([causeId(head, toldOf({ said, count }))]);

  test.each([
    ['the last run had none', 3, new Set<string>(), true],
    ['the last run had it', 3, knownAs(3), false],
    ['the last run had it in rows too few to tell their words', 3, knownAs(2), false],
    ['too few rows have it to tell their words', 2, new Set<string>(), false],
    ['there is no last run', 3, null, false],
  ])('where %s', (_, count, known, isNew) => {
    expect(isNewCause({ ...head, ...said, count }, known)).toBe(isNew);
  });
});

test('a code in a column of public fields is shown, a name that slipped into it is not', () => {
  const terms = { columns: ['Country', 'Payee'], fields: TERMS.fields, publicColumns: new Set(['Country']) };
  const said = (...values: readonly string[]) => {
    const body = { text: `{"message":"${values[0]} is not served, says ${values[1]}"}`, restBytes: 0 };
    return causeOf({ settlement: settled(1, 'rejected'), source: cells(1, ...values), body }, terms).text;
  };
  expect(said('GBR', 'Acme')).toBe('GBR is not served, says ‹Payee›');
  expect(said('Acme Ltd', 'GBR')).toBe('‹Country› is not served, says ‹Payee›');
});
