import { expect, test } from 'vitest';
import { z } from 'zod';
import { fileLines, startInboxFlow } from '../support/inbox.ts';

const SUBCLIENTS = 300;
const COUNTERPARTIES = 900;
/** The first so many have two accounts. */
const WITH_TWO = 600;

const JOBS = {
  'px-subclients': [
    'operation: subclient.create',
    'files: "partner-x/subclients*"',
    'key: Ref',
    'fields:',
    '  details.name: Name',
    '  parent.id: { column: Parent Ref, ref: subclient }',
  ].join('\n'),
  'px-payees': [
    'operation: counterparty.draft',
    'files: "partner-x/payees*"',
    'key: Payee',
    'group: accounts',
    'after: px-subclients',
    'fields:',
    '  name: Payee',
    '  parent.id: { column: Client, ref: subclient }',
    '  accounts.0.accountNumber: Account',
  ].join('\n'),
};

/** Every tenth is a child of the one before it, which is in the same file. */
const parentOf = (n: number) => (n % 10 === 0 ? n - 1 : null);
const clientOf = (payee: number) => 1 + ((payee * 7) % SUBCLIENTS);
const accountsOf = (payee: number) =>
  payee <= WITH_TWO ? [`A-${payee}-1`, `A-${payee}-2`] : [`A-${payee}-1`];
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

function subclients(): string {
  const lines = numbers(SUBCLIENTS).map((n) => {
    const parent = parentOf(n);
    return `S${n},Company ${n},${parent === null ? '' : `S${parent}`}`;
  });
  return ['Ref,Name,Parent Ref', ...lines, ''].join('\n');
}

function payees(): string {
  const lines = numbers(COUNTERPARTIES).flatMap((n) =>
    accountsOf(n).map((account) => `P${n},S${clientOf(n)},${account}`),
  );
  return ['Payee,Client,Account', ...lines, ''].join('\n');
}

const parent = z.object({ id: z.string() }).optional();
const subclientSchema = z.object({ details: z.object({ name: z.string() }), parent });
const draftSchema = z.object({
  name: z.string(),
  parent,
  accounts: z.array(z.object({ accountNumber: z.string() })),
});

test('a portfolio of subclients, and of counterparties with several accounts that refer to them, loads in one go', async () => {
  const { flow, drop, begin } = await startInboxFlow(JOBS, { recordRequests: SUBCLIENTS + COUNTERPARTIES });
  // In the wrong order: the names say nothing of what comes first.
  await drop('partner-x/payees.csv', payees());
  await drop('partner-x/subclients.csv', subclients());

  const ended = await begin(['start', '--once']).ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(fileLines(ended).map(({ file, job, rows, exitCode }) => [file, job, rows, exitCode])).toEqual([
    ['partner-x/subclients.csv', 'px-subclients', SUBCLIENTS, 0],
    ['partner-x/payees.csv', 'px-payees', COUNTERPARTIES + WITH_TWO, 0],
  ]);
  expect(flow.sandbox.stats()).toMatchObject({
    made: { subclients: SUBCLIENTS, drafts: COUNTERPARTIES },
    duplicateKeys: 0,
  });

  const requests = flow.sandbox.requests();
  const bodies = (target: string) =>
    requests.filter((request) => request.target === target).map(({ body }): unknown => JSON.parse(body));
  const made = z.array(subclientSchema).parse(bodies('/v1/subclients'));
  const drafts = z.array(draftSchema).parse(bodies('/v3/counterparties/draft'));
  const ids = new Map([...flow.sandbox.entities('subclient')].map(({ key, id }) => [key, id]));
  const idOf = (n: number) => ids.get(`Company ${n}`);

  for (const { details, parent: sent } of made) {
    const expected = parentOf(Number(details.name.replace('Company ', '')));
    expect(sent?.id).toBe(expected === null ? undefined : idOf(expected));
  }
  for (const draft of drafts) {
    const payee = Number(draft.name.replace('P', ''));
    expect(draft.parent?.id).toBe(idOf(clientOf(payee)));
    expect(draft.accounts.map(({ accountNumber }) => accountNumber)).toEqual(accountsOf(payee));
  }
}, 120_000);
