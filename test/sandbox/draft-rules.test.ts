import { expect, test } from 'vitest';
import { draftProblems } from '../../src/sandbox/draft-rules.ts';

test.each([
  ['a name', { name: 'Ana' }],
  ['first and last name', { firstName: 'Ana', lastName: 'Silva' }],
  ['an address with an @', { name: 'Ana', email: 'ana@example.com' }],
  ['currencies of three letters', { name: 'Ana', currencies: ['EUR', 'usd'] }],
  ['an account without an IBAN', { name: 'Ana', accounts: [{ accountNumber: '1', currencies: ['EUR'] }] }],
  ['an IBAN that fits', { name: 'Ana', accounts: [{ iban: 'GB29NWBK60161331926819' }] }],
])('a draft with %s breaks no rule', (_, body) => {
  expect(draftProblems(body)).toEqual([]);
});

test.each([
  ['no name', {}, ['name']],
  ['a blank name', { name: ' ' }, ['name']],
  ['a first name only', { firstName: 'Ana' }, ['name']],
  ['an e-mail without an @', { name: 'Ana', email: 'ana.example.com' }, ['email']],
  ['a currency of four letters', { name: 'Ana', currencies: ['EUR', 'EURO'] }, ['currencies.1']],
  ['a wrong IBAN', { name: 'Ana', accounts: [{}, { iban: 'GB00NWBK60161331926819' }] }, ['accounts.1.iban']],
  [
    'a wrong account currency',
    { name: 'Ana', accounts: [{ currencies: ['€'] }] },
    ['accounts.0.currencies.0'],
  ],
  ['three faults', { email: 'x', currencies: [''] }, ['name', 'email', 'currencies.0']],
])('a draft with %s breaks the rules of those fields', (_, body, fields) => {
  expect(draftProblems(body).map((problem) => problem.field)).toEqual(fields);
});
