import { isIban } from './iban.ts';
import type { Members } from './json-object.ts';
import { objectOf } from './json-object.ts';

/** One broken rule: the field's path with dots, and what was expected. Never a value. */
export type DraftProblem = { readonly field: string; readonly problem: string };

/**
 * What keeps a counterparty draft from being taken. These rules are the sandbox's own: which drafts the
 * service refuses is not shown (service-api.md, sections 2 and 7).
 */
export function draftProblems(body: Members): DraftProblem[] {
  return [
    ...nameProblems(body),
    ...emailProblems(body),
    ...currencyProblems('currencies', body.currencies),
    ...accountProblems(body.accounts),
  ];
}

function nameProblems(body: Members): DraftProblem[] {
  if (isFilled(body.name) || (isFilled(body.firstName) && isFilled(body.lastName))) return [];
  return [{ field: 'name', problem: 'expected a name, or both firstName and lastName' }];
}

function emailProblems(body: Members): DraftProblem[] {
  const { email } = body;
  if (typeof email !== 'string' || email.includes('@')) return [];
  return [{ field: 'email', problem: 'expected an e-mail address, with an @' }];
}

function accountProblems(accounts: unknown): DraftProblem[] {
  if (!Array.isArray(accounts)) return [];
  return accounts.flatMap((entry: unknown, i) => {
    const account = objectOf(entry);
    return [
      ...ibanProblems(`accounts.${i}.iban`, account.iban),
      ...currencyProblems(`accounts.${i}.currencies`, account.currencies),
    ];
  });
}

function ibanProblems(field: string, iban: unknown): DraftProblem[] {
  if (typeof iban !== 'string' || isIban(iban)) return [];
  return [{ field, problem: 'expected an IBAN whose check digits fit' }];
}

function currencyProblems(field: string, currencies: unknown): DraftProblem[] {
  if (!Array.isArray(currencies)) return [];
  return currencies.flatMap((currency: unknown, i) =>
    typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency)
      ? []
      : [{ field: `${field}.${i}`, problem: 'expected a currency code of three letters' }],
  );
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
