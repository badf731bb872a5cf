import { describe, expect, test } from 'vitest';
import { causeOf, tellable } from '../../src/report/cause.ts';
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
    expect(rows.map((row, i) => refusal(bodyOf(row, i + 1), row))).toEqual([cause, cause, cause]);
  });

  test('of another kind is another cause', () => {
    const said = ['too long', 'missing'].map((problem) => refusal(field('name', problem)));
    expect(said).toEqual(['@name | too long', '@name | missing']);
  });

  test('is bounded, and hostile bodies take no time', () => {
    expect(refusal(`{"a":"${'x '.repeat(30_000)}"}`).length).toBeLessThanOrEqual(300);
    const began = performance.now();
    for (const part of ['a1-', '"', '@', '1.', "'a", '[', '{"a":', 'a.', 'a[0]', '/a'])
      refusal(part.repeat(20_000));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

test('of a row that was not sent it is the message, without places and without the keys of the row', () => {
  const cause = (message: string) =>
    causeOf(
      { settlement: settled(4, 'invalid', { message }), source: cells(4, 'P-17', 'Acme'), body: null },
      TERMS,
    );
  expect(cause('column "Incorporated": expected a date such as 2024-03-31')).toBe(
    'column "Incorporated": expected a date such as 2024-03-31',
  );
  const expected = 'column "Active": expected a boolean: "Acme" or "P-17" for true';
  expect(cause(expected)).toBe(expected);
  expect(cause('the same key is in row 12 of this file')).toBe('the same key is in row ‹…› of this file');
  expect(cause('row 4 of run 20261122-101010-abcd has "P-17"')).toBe('row ‹…› of run ‹…› has "‹Ref›"');
});

test('a JSON record’s own values are named by their paths', () => {
  const source = { kind: 'record' as const, row: 1, line: 1, text: '{"name":"Acme Ltd","n":1}' };
  const body = { text: '{"message":"Acme Ltd exists"}', restBytes: 0 };
  expect(causeOf({ settlement: settled(1, 'rejected'), source, body }, TERMS)).toBe('‹name› exists');
});

test('the service’s words are told where three rows have them, fields always', () => {
  const cause = '@accounts[].iban | Jane Doe is on a list';
  expect([2, 3].map((rows) => tellable(cause, rows))).toEqual(['@accounts[].iban', cause]);
  expect(tellable('Jane (@accounts[].iban), a@b | @email.', 1)).toBe('@accounts[].iban | @email');
  expect(tellable('Jane Doe', 1)).toBe('‹…›');
  const handle = refusal('{"message":"@JaneDoe is known, see @email"}');
  expect([handle, tellable(handle, 1)]).toEqual(['JaneDoe is known, see email', '‹…›']);
});
