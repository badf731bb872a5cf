import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { mappingFor } from '../../../src/delivery/run-mapping.ts';
import { shortDigest } from '../../../src/lib/digest.ts';
import { ACCOUNT_DIGEST } from '../../../src/model/identity.ts';
import type { JsonObject } from '../../../src/model/request.ts';
import { accountDigests } from '../../../src/readers/mapping/payee-accounts.ts';
import { newRun } from '../../support/runs.ts';

const ACCOUNT = { iban: 'DE75512108001245126199' };
const digestsOf = (body: JsonObject) => accountDigests(body, shortDigest);
const named = (name: string) => digestsOf({ name, accounts: [ACCOUNT] });

test.each([
  ['ACME Ltd.', 'acme limited'],
  ['Müller GmbH & Co. KG', 'MÜLLER gmbh'],
  ['Acme, S.A. de C.V.', 'Acme'],
  ['Acme Sp. z o.o.', 'ACME'],
  ['ООО Ромашка', 'Ромашка'],
  ["O'Neill  &  Sons Inc", 'ONeill Sons'],
  ['ＡＣＭＥ　ＬＬＣ', 'Acme'],
])('%s and %s are one name', (one, other) => {
  expect(named(one)).toEqual(named(other));
});

test.each([
  ['Acme', 'Acme Two'],
  ['Limited', 'Company'],
  ['Acme Trading Ltd', 'Acme Holding Ltd'],
  ['Müller', 'Muller'],
])('%s and %s are two names, on one account', (one, other) => {
  const [[first = ''], [second = '']] = [named(one), named(other)];
  expect(first).not.toBe(second);
  expect(first.slice(0, ACCOUNT_DIGEST)).toBe(second.slice(0, ACCOUNT_DIGEST));
});

test('a person’s first and last name are the name, where none is filled', () => {
  const [own] = digestsOf({ firstName: 'Ada', lastName: 'Byron', accounts: [ACCOUNT] });
  expect([own]).toEqual(named('Ada Byron'));
});

test('an account is known however it is written, and once where it is named twice', () => {
  const spaced = { iban: 'de75 5121 0800 1245 1261 99' };
  expect(digestsOf({ name: 'Ada', accounts: [spaced, ACCOUNT] })).toEqual(named('Ada'));
  expect(digestsOf({ name: 'Ada' })).toEqual([]);
  expect(digestsOf({ name: 'Ada', accounts: [{ bic_swift: 'DEUTDEFF' }] })).toEqual([]);
});

test('the digests need nothing of a row but its name and accounts, whatever else is wrong with it', () => {
  const columns = ['Ref', 'Name', 'IBAN', 'Born'];
  const definition = jobDefinitionSchema.parse({
    operation: 'counterparty.draft',
    key: 'Ref',
    group: 'accounts',
    fields: { name: 'Name', 'accounts.0.iban': 'IBAN', shortfall: { column: 'Born', as: 'number' } },
  });
  const mapping = mappingFor(definition, { ...newRun().facts.source, columns });
  const row = (number: number, ...cells: string[]) => ({
    kind: 'cells' as const,
    row: number,
    line: number + 1,
    cells,
  });
  const rows = [row(1, 'P1', 'Ada', ACCOUNT.iban, 'never'), row(2, 'P1', '', 'GB29NWBK60161331926819', '')];
  expect(mapping.mapGroup(rows).kind).toBe('issues');
  expect(digestsOf(mapping.payeeOf(rows) ?? {})).toEqual(
    digestsOf({ name: 'Ada', accounts: [ACCOUNT, { iban: 'GB29NWBK60161331926819' }] }),
  );
});
