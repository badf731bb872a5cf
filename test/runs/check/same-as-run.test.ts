import { expect, test } from 'vitest';
import { operationOf } from '../../../src/config/job-definition.ts';
import { claimAccounts, lookUpAccounts } from '../../../src/engine/ledger/account-index.ts';
import { claimKeys, readPlaces } from '../../../src/engine/ledger/key-claims.ts';
import { wasAccepted } from '../../../src/model/outcome.ts';
import { groupRows } from '../../../src/model/row-group.ts';
import { issueWords, messageOf } from '../../../src/model/sentence.ts';
import { identitySpace } from '../../../src/operations/operations.ts';
import { createApartRows } from '../../../src/readers/intake/apart-rows.ts';
import { askFor, createSeenKeys, foresee } from '../../../src/runs/check/forecast.ts';
import { createAccountsOf, createFileIdentify } from '../../../src/runs/identities.ts';
import { claimedRows, claimingRows, withAccounts } from '../../../src/runs/ingest.ts';
import { NO_KEYS } from '../../../src/runs/rows.ts';
import {
  answer,
  type Bench,
  created,
  deliverOn,
  settlementsOf,
  startBench,
} from '../../delivery/row-bench.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { setAccount, setEntry } from '../../support/stored.ts';
import { compiled, lookWith, PAYEES, rowsOf, SUBCLIENTS } from './sample-portfolio.ts';

const own = useOwnRedis();

/** What the ledger has of keys before: as an entry of an identity space, but for the run. */
const ENTRIES = {
  known: 'k run-before 9 made-9',
  held: 'c run-before 9 ',
  doubted: 'd run-before 9 ',
  'given back': 'x run-before 9 ',
} as const;
type Before = Readonly<Record<string, keyof typeof ENTRIES>>;

/** What becomes of a row: sent, skipped, waits for what it refers to, or the code of why it is invalid. */
type Said = { readonly row: number; readonly fate: string; readonly words: string };

async function foreseen(bench: Bench, job: object, lines: readonly string[]): Promise<Said[]> {
  const { definition, mapping } = compiled(job);
  const apart = apartIn(job, lines);
  const groups = groupRows(rowsOf(lines), definition.group === undefined ? null : mapping.groupOf);
  const foreseeing = {
    definition,
    mapping,
    sha256: bench.context.run.sha256,
    look: lookWith(
      (places) => readPlaces(own().redis, bench.keys, places),
      (space, asked) => lookUpAccounts({ redis: own().redis, keys: bench.keys, space }, asked),
    ),
    comesFrom: () => new Set<string>(),
    identify: createFileIdentify(bench.context.run.sha256, { definition, mapping }),
    accountsOf: createAccountsOf(definition, mapping, bench.keys),
    earlier: null,
    seen: createSeenKeys(definition.keyForm),
    apart,
    before: [],
    isShown: () => true,
  };
  const forecasts = await foresee(askFor(groups, foreseeing), foreseeing);
  return forecasts.flatMap(({ rows, fate }) => {
    if (fate.kind === 'invalid') {
      return rows.map(({ row }) => {
        const found = fate.issues.filter((issue) => issue.row === row);
        return { row, fate: found[0]?.code ?? '', words: found.map(issueWords).join('; ') };
      });
    }
    const said = fate.kind === 'sent' && fate.waits ? 'waits' : fate.kind;
    return rows.map(({ row }) => {
      const own = fate.warnings.filter((warning) => warning.row === row);
      return { row, fate: [said, ...ofAccounts(own)].join('+'), words: '' };
    });
  });
}

function ofAccounts(warnings: ReadonlyArray<{ readonly code: string }>): readonly string[] {
  return warnings.map(({ code }) => code).filter((code) => INDEXED.has(code));
}

const INDEXED = new Set(['account_shared', 'payee_repeated']);

async function carriedOut(bench: Bench, job: object, lines: readonly string[]): Promise<Said[]> {
  const { run } = bench.context;
  const chunk = { run: run.id, chunk: 1, rows: await claimed(bench, job, lines) };
  // Put back where a reference was waited for too long, on a slow machine: the queue hands it out anew.
  while ((await deliverOn(bench, chunk)) === 'put-back') {}
  return (await settlementsOf(bench)).map((settlement) => {
    const { row, outcome, code } = settlement;
    if (wasAccepted(outcome))
      return { row, fate: ['sent', ...ofAccounts(settlement.warnings)].join('+'), words: '' };
    if (outcome === 'skipped') return { row, fate: 'skipped', words: '' };
    return code.startsWith('reference_')
      ? { row, fate: 'waits', words: '' }
      : { row, fate: code, words: messageOf(settlement) };
  });
}

function apartIn(job: object, lines: readonly string[]) {
  const { definition, mapping } = compiled(job);
  const apart = createApartRows(definition.group === undefined ? NO_KEYS : mapping);
  for (const row of rowsOf(lines)) apart.see(row);
  return new Map(apart.found());
}

/** As the reading of the file does it: the first row of a group claims its key, where all its rows follow each other. */
async function claimed(bench: Bench, job: object, lines: readonly string[]) {
  const { definition, mapping } = compiled(job);
  const { run } = bench.context;
  const rows = rowsOf(lines);
  const apart = apartIn(job, lines);
  const identify = createFileIdentify(run.sha256, { definition, mapping });
  const claiming = claimingRows(rows, { definition, mapping, apart, identify });
  const form = definition.keyForm;
  const claim = { run: run.id, space: identitySpace(run), form, rows: claiming };
  const keyed = claimedRows(rows, claiming, await claimKeys(bench.epoch, bench.keys, claim), apart);
  const accountsOf = createAccountsOf(definition, mapping, bench.keys);
  const index = { redis: own().redis, keys: bench.keys, space: claim.space.name };
  const chunk = { run: run.id, chunk: 1, rows: keyed };
  const [whole] = await withAccounts([chunk], accountsOf, (asked) =>
    claimAccounts(bench.epoch, index, { run: run.id, comesFrom: () => new Set<string>(), rows: asked }),
  );
  return whole?.rows ?? [];
}

const FAIL = { ...SUBCLIENTS, onKnownKey: 'fail' };
const EXACT = { ...SUBCLIENTS, keyForm: 'exact' };
const UPSERT = { ...SUBCLIENTS, operation: 'subclient.upsert' };
const KEYLESS = { ...SUBCLIENTS, key: undefined, ignore: ['IBAN', 'Ref'] };
const KEYLESS_WARNED = { ...KEYLESS, checks: { same_row: 'warn' } };
const KEYLESS_UPSERT = { ...KEYLESS, operation: 'subclient.upsert' };
const GUARDED = { ...PAYEES, guard: { accounts: 'hold' } };
const UPDATE = {
  operation: 'subclient.update',
  fields: { id: 'Ref', 'details.name': 'Name' },
  ignore: ['IBAN', 'Parent'],
};
/** Of a row without a key, by its name and its number. */
const contentOf = (name: string, nth = 1) => {
  const { definition, mapping } = compiled(KEYLESS_WARNED);
  const identify = createFileIdentify('', { definition, mapping });
  const rows = rowsOf(Array.from({ length: nth }, () => `X,${name}`));
  return rows.map(identify).at(-1)?.key ?? '';
};

/** Rows and what becomes of each. */
test.each<[string, object, Before, string, string]>([
  ['one without a name', SUBCLIENTS, {}, 'A,Acme | B, | C,Copper', 'sent missing_required sent'],
  ['a key twice', SUBCLIENTS, {}, 'A,Acme | A,Again | A,', 'sent duplicate_key duplicate_key'],
  ['the key of an invalid row', SUBCLIENTS, {}, 'A, | A,Again', 'missing_required duplicate_key'],
  ['an empty key', SUBCLIENTS, {}, ',Acme | ,Bay', 'empty_key empty_key'],
  ['a known key', SUBCLIENTS, { A: 'known' }, 'A,Acme | A,Again | B,Bay', 'skipped duplicate_key sent'],
  ['a known key of a row that does not map', SUBCLIENTS, { A: 'known' }, 'A,', 'skipped'],
  ['a known key that is to fail', FAIL, { A: 'known' }, 'A,Acme', 'key_known'],
  [
    'a known key to be updated',
    UPSERT,
    { A: 'known' },
    'A,Acme | A,Again | B,Bay',
    'sent duplicate_key sent',
  ],
  ['another run’s key', SUBCLIENTS, { A: 'held' }, 'A,Acme | A,Again', 'key_held duplicate_key'],
  ['a key in doubt', UPSERT, { A: 'doubted' }, 'A,Acme | B,', 'key_in_doubt missing_required'],
  ['a key that was given back', SUBCLIENTS, { A: 'given back' }, 'A,Acme', 'sent'],
  ['like rows without a key column', KEYLESS, {}, 'A,Acme | B,Acme | C,Bay', 'sent same_row sent'],
  [
    'like rows that are meant',
    KEYLESS_WARNED,
    { [contentOf('Acme')]: 'known', [contentOf('Bay', 2)]: 'doubted' },
    'A,Acme | B,Acme | C,Bay | D,Bay | E,Bay',
    'skipped sent sent key_in_doubt sent',
  ],
  [
    'rows without a key column that are known, held and in doubt',
    KEYLESS,
    { [contentOf('A')]: 'known', [contentOf('B')]: 'held', [contentOf('C')]: 'doubted' },
    'A,A | B,A | C,B | D,C | E,',
    'skipped same_row key_held key_in_doubt missing_required',
  ],
  [
    'a known row without a key',
    { ...KEYLESS, onKnownKey: 'fail' },
    { [contentOf('A')]: 'known' },
    ',A',
    'key_known',
  ],
  ['a known row without a key, in an upsert', KEYLESS_UPSERT, { [contentOf('A')]: 'known' }, ',A', 'skipped'],
  ['like rows that create nothing', UPDATE, {}, 'A,Acme | A,Acme', 'sent sent'],
  ['references to earlier rows', SUBCLIENTS, {}, 'A,Acme | B,Below,,A', 'sent sent'],
  ['known and unknown references', SUBCLIENTS, { P: 'known' }, 'A,Acme,,P | B,Bay,,X', 'sent waits'],
  ['a reference to an invalid row', SUBCLIENTS, {}, 'A, | B,Below,,A', 'missing_required waits'],
  ['a reference to a key in doubt', SUBCLIENTS, { A: 'doubted' }, 'B,Below,,A', 'waits'],
  ['groups', PAYEES, {}, 'A,Acme,GB1 | A,Acme,GB2 | B,Bay,GB3', 'sent sent sent'],
  [
    'a group with a row that says otherwise',
    PAYEES,
    {},
    'A,Acme,GB1 | A,Other,GB2 | A,Acme,GB3',
    'group_member group_conflict group_member',
  ],
  [
    'an account under two names, and a payee under two keys',
    GUARDED,
    {},
    'A,Acme Ltd,GB1 | B,ACME,GB1 | C,Bay,GB1 | D,Bay,GB2 | E,Acme,GB1',
    'sent sent+payee_repeated sent+account_shared sent sent+payee_repeated',
  ],
  [
    'an account of a payee that is not sent, or is known',
    GUARDED,
    { A: 'known', C: 'held' },
    'A,Acme,GB1 | B,Bay,GB1 | C,Copper,GB2 | D,Dale,GB2 | E,,GB3 | F,Fern,GB3',
    'skipped sent key_held sent missing_required sent+account_shared',
  ],
  [
    'groups with an account in common',
    GUARDED,
    {},
    'A,Acme,GB1 | A,Acme,GB2 | B,Bay,GB3 | B,Bay,GB2 | C,Copper,GB3',
    'sent sent sent+account_shared sent sent+account_shared',
  ],
  [
    'accounts in common where the guard is off',
    { ...PAYEES, guard: { accounts: 'off' } },
    {},
    'A,Acme,GB1 | B,Bay,GB1',
    'sent sent',
  ],
  [
    'an account that another file had before, under another name and its own',
    GUARDED,
    { 'account GB9': 'known', 'account GB8': 'doubted' },
    'A,Bay,GB9 | B,Old,GB9 | C,Old,GB7 | C,Old,GB8 | D,Bay,GB7 | D,Bay,GB8',
    'account_shared sent+payee_repeated sent+payee_repeated sent account_shared account_shared',
  ],
  ['a group beside a keyless row', PAYEES, {}, 'A,Acme,GB1 | ,Acme,GB2', 'group_member empty_key'],
  [
    'a group of a key that came before',
    PAYEES,
    {},
    'A,Acme,GB1 | B,Bay,GB2 | A,Acme,GB3 | A,,GB4',
    'group_apart sent group_apart group_apart',
  ],
  [
    'a known key whose rows stand apart',
    PAYEES,
    { A: 'known' },
    'A,Acme,GB1 | B,Bay,GB2 | A,Acme,GB3',
    'group_apart sent group_apart',
  ],
  [
    'one key in several texts',
    SUBCLIENTS,
    {},
    'A,Acme | A ,Again | a,Small | A\u00a0, | A,Same | 007,Bond | 7,Bond',
    'sent key_alike key_alike key_alike duplicate_key sent key_alike',
  ],
  [
    'one key in several texts, in a job that tells them apart',
    EXACT,
    {},
    'A,Acme | a,Small | A,Again | 007,Bond | 7,Bond',
    'sent sent duplicate_key sent sent',
  ],
  [
    'another text of a known key',
    UPSERT,
    { A: 'known' },
    'a,Acme | A,Bay | A,Bay |  a,Cox',
    'key_alike sent duplicate_key key_alike',
  ],
  [
    'another text of a known key, in a job that tells them apart',
    EXACT,
    { A: 'known' },
    'a,Acme | A,Bay | a,Cox',
    'key_alike skipped key_alike',
  ],
  [
    'what an export made of a known key',
    SUBCLIENTS,
    { 1234: 'known', '00123': 'known' },
    '1234.0,Acme | \'1234,Bay | ="1234",Cox | 1234,Dun | \'00123,Ely | 123.0,Fox',
    'key_alike key_alike key_alike skipped key_alike key_alike',
  ],
  ['another text of a key that another run has', SUBCLIENTS, { A: 'held' }, ' A,Acme', 'key_alike'],
  ['another text of a key in doubt', SUBCLIENTS, { A: 'doubted' }, 'a,Acme', 'key_alike'],
  ['another text of one given back', SUBCLIENTS, { A: 'given back' }, 'A ,Acme', 'sent'],
  [
    'a group whose rows write its key in two ways',
    PAYEES,
    {},
    'A,Acme,GB1 | a,Acme,GB2 | B,Bay,GB3',
    'group_member key_alike sent',
  ],
  [
    'a known group whose rows write its key in two ways',
    PAYEES,
    { A: 'known' },
    'A,Acme,GB1 | a,Acme,GB2',
    'group_member key_alike',
  ],
  [
    'a key whose rows stand apart, in another text',
    PAYEES,
    {},
    'A,Acme,GB1 | B,Bay,GB2 | a,Acme,GB4',
    'group_apart sent group_apart',
  ],
  ['a reference in another text', SUBCLIENTS, { P: 'known' }, 'A,Acme,,p | B,Bay,,a', 'sent sent'],
  [
    'a reference in another text, in a job that tells them apart',
    EXACT,
    { P: 'known' },
    'A,Acme,,p | B,Bay,,P',
    'waits sent',
  ],
  [
    'totals lines',
    SUBCLIENTS,
    {},
    'A,Acme | Summe, | TOTAL:,Acme | B,Total | Summe,3',
    'sent totals_row totals_row sent totals_row',
  ],
  [
    'totals lines among groups',
    PAYEES,
    {},
    'A,Acme,GB1 | Summe,,1 | B,Bay,GB2 | Summe,,2',
    'sent totals_row sent totals_row',
  ],
  ['what is no key', SUBCLIENTS, {}, 'NULL,Acme |   ,Bay | NaN,Cox', 'empty_key empty_key empty_key'],
  ['a known group', PAYEES, { A: 'known' }, 'A,Acme,GB1 | A,Other,GB2', 'skipped skipped'],
  ['another run’s group', PAYEES, { A: 'held' }, 'A,Acme,GB1 | A,Acme,GB2', 'key_held key_held'],
])('of %s the check says what a run does, in its words', async (_, job, before, rows, fates) => {
  const lines = rows.split(' | ');
  const { definition, mapping } = compiled(job);
  const bench = await startBench(own().redis, {
    operation: operationOf(definition),
    definition: job,
    rows: lines.length,
    // What was given back is believed after four seconds: here after a few milliseconds.
    over: { mapping, now: () => 100 * performance.now() },
    attempt: (n, { method }) => (method === 'PATCH' ? answer(204) : created(`made-${n}`)),
  });
  const { name } = identitySpace(bench.context.run);
  for (const [key, kind] of Object.entries(before)) {
    const iban = /^account (.*)$/.exec(key)?.[1];
    if (iban === undefined) await setEntry(own().redis, bench.keys, key, ENTRIES[kind], { space: name });
    else
      await setAccount(
        own().redis,
        { keys: bench.keys, space: name },
        { iban, name: 'Old' },
        ENTRIES[kind].split(' ').slice(0, 3).join(' '),
      );
  }
  const check = await foreseen(bench, job, lines);
  const run = await carriedOut(bench, job, lines);
  expect(check.map(({ fate }) => fate).join(' ')).toBe(fates);
  expect(run.map(({ row, fate }) => [row, fate])).toEqual(check.map(({ row, fate }) => [row, fate]));
  // The check says besides what was expected of the key.
  for (const [i, { words }] of run.entries()) expect(check[i]?.words.endsWith(words)).toBe(true);
});
