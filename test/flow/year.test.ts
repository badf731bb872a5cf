import { expect, test } from 'vitest';
import { startFlow, withSummary } from '../support/flow.ts';

/*
 * A year of a partner's deliveries at random, against a map of what was drafted. The map is the whole model: it knows nothing of
 * how the program finds out.
 */
const SEEDS = [1, 2];
const MONTHS = 12;
const PAYEES = 24;

const JOB = [
  'operation: counterparty.draft',
  'key: externalId',
  'delivery: full',
  'unusual: off',
  'guard: { accounts: hold }',
  'checks: { accounts: off }',
  'fields:',
  '  name: name',
  '  accounts.0.accountNumber: first',
  '  accounts.1.accountNumber: second',
  '',
].join('\n');

type Payee = { readonly key: string; readonly name: string; readonly accounts: readonly string[] };

/** Numbers from 0 up to 1, the same for a seed each time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What the partner makes of its payees from one month to the next. */
function nextMonth(payees: readonly Payee[], month: number, draw: () => number): readonly Payee[] {
  const account = () => `${month}${Math.floor(draw() * 900_000 + 100_000)}`;
  const changes: ReadonlyArray<readonly [upTo: number, of: (payee: Payee) => readonly Payee[]]> = [
    [0.08, () => []],
    [0.16, (payee) => [{ ...payee, name: `${payee.name} ${month}` }]],
    [0.24, (payee) => [{ ...payee, accounts: [account()] }]],
    [0.3, (payee) => [{ ...payee, accounts: [...payee.accounts, account()].slice(0, 2) }]],
    [0.34, (payee) => [{ ...payee, accounts: payee.accounts.slice(0, 1) }]],
    [0.38, (payee) => [{ ...payee, key: `${payee.key}X` }]],
    [0.42, (payee) => [payee, { ...payee, name: 'Twice' }]],
    [0.46, (payee) => [{ ...payee, accounts: payee.accounts.toReversed() }]],
    [
      0.5,
      (payee) => [
        payee,
        { key: `${payee.key}T`, name: 'Third', accounts: [account(), ...payee.accounts].slice(0, 2) },
      ],
    ],
    [0.54, (payee) => [payee, { ...payee, key: `${payee.key}D`, name: `${payee.name.toUpperCase()} Ltd.` }]],
    [1, (payee) => [payee]],
  ];
  const changed = payees.flatMap((payee) => {
    const lot = draw();
    const [, change] = changes.find(([upTo]) => lot < upTo) ?? [1, (same: Payee) => [same]];
    return change(payee);
  });
  const fresh = Array.from({ length: 3 }, (_, i) => ({
    key: `N${month}-${i}`,
    name: `New ${month}`,
    accounts: i === 0 && payees[0] !== undefined ? payees[0].accounts : [account()],
  }));
  return [...changed, ...fresh].sort(() => draw() - 0.5);
}

const ANY = expect.any(String);

/** By account: the names of the payees that were drafted with it. */
type Owners = Map<string, Set<string>>;

/** Who has a new payee's accounts, known before and beside it in its file. */
function othersOf({ name, accounts }: Payee, owners: Owners, inFile: Owners) {
  const own = nameOf(name);
  const told = accounts.flatMap((one) => {
    const [known, beside] = [owners.get(one), inFile.get(one)];
    inFile.set(one, new Set([...(beside ?? []), own]));
    if (known?.has(own)) return ['payee_repeated'];
    if (known !== undefined) return ['held'];
    if (beside === undefined) return [];
    return [beside.has(own) ? 'payee_repeated' : 'account_shared'];
  });
  return ['held', 'account_shared', 'payee_repeated'].find((word) => told.includes(word)) ?? null;
}

function nameOf(name: string): string {
  return name.toLowerCase().replaceAll(' ltd.', '');
}

/** What has to become of a file's rows, by what was drafted; those that are new are drafted by that. */
function expectedOf(rows: readonly Payee[], drafted: Map<string, Payee>, owners: Owners) {
  const seen = new Set<string>();
  const inFile: Owners = new Map();
  const becomeOwned: [account: string, name: string][] = [];
  const plan = { new: 0, unchanged: 0, notSent: 0, repeated: 0 };
  const endOfNew = (payee: Payee) => {
    const told = othersOf(payee, owners, inFile);
    if (told === 'held') return ['invalid', 'account_shared', ANY];
    plan.new += 1;
    if (told === 'payee_repeated') plan.repeated += 1;
    drafted.set(payee.key, payee);
    for (const one of payee.accounts) becomeOwned.push([one, nameOf(payee.name)]);
    return ['drafted', '', told === null ? '' : expect.stringMatching(`warning: ${told} [(]row `)];
  };
  const ends = rows.map((payee) => {
    if (seen.has(payee.key)) return ['invalid', 'duplicate_key', ANY];
    seen.add(payee.key);
    const before = drafted.get(payee.key);
    if (before === undefined) return endOfNew(payee);
    const end = endOfKnown(payee, before);
    plan[end === UNCHANGED ? 'unchanged' : 'notSent'] += 1;
    return end;
  });
  for (const [account, name] of becomeOwned)
    owners.set(account, new Set([...(owners.get(account) ?? []), name]));
  return { ends, plan, keys: seen };
}

const UNCHANGED = ['skipped', 'key_known', expect.stringMatching(/ with this content$/)];

function endOfKnown({ name, accounts }: Payee, before: Payee) {
  const added = accounts.filter((one) => !before.accounts.includes(one));
  const removed = before.accounts.filter((one) => !accounts.includes(one));
  if (name === before.name && accounts.join() === before.accounts.join()) return UNCHANGED;
  if (added.length > 0 && removed.length > 0) return ['invalid', 'account_changed', ANY];
  const code = added.length > 0 ? 'account_added' : 'changed_not_sent';
  return ['skipped', 'key_known', expect.stringMatching(`warning: ${code}$`)];
}

test.each(SEEDS)(
  'a year of deliveries at random: the check foresees what the run does, and both what the map says (seed %i)',
  async (seed) => {
    const draw = random(seed);
    const flow = await startFlow();
    const job = await flow.file('payees.yaml', JOB);
    const drafted = new Map<string, Payee>();
    const owners: Owners = new Map();
    let before: ReadonlySet<string> = new Set();
    let payees: readonly Payee[] = Array.from({ length: PAYEES }, (_, i) => ({
      key: `P${i}`,
      name: `Payee ${i}`,
      accounts: [`${1_000_000 + i}`],
    }));
    for (let month = 1; month <= MONTHS; month += 1) {
      const lines = payees.map(
        ({ key, name, accounts: [first, second = ''] }) => `${key},${name},${first},${second}`,
      );
      const csv = ['externalId,name,first,second', ...lines, ''].join('\n');
      const { ends, plan, keys } = expectedOf(payees, drafted, owners);
      const gone = month === 1 ? null : [...before].filter((key) => !keys.has(key)).length;

      const file = await flow.file(`month-${month}.csv`, csv);
      const planned = `${file}.plan.json`;
      const checked = await flow.onboard(['check', '--job-file', job, file, '--json', '--out', planned]);
      expect(JSON.parse(checked.stdout).plan, `month ${month}`).toMatchObject({
        ...plan,
        changed: 0,
        notKnown: 0,
        gone,
      });

      const args = ['run', '--job-file', job, file, '--plan', planned, '--json'];
      const { summary } = withSummary(await flow.onboard(args));
      const results = await flow.results(summary);
      expect(
        results.map(({ outcome, code, message }) => [outcome, code, message]),
        `month ${month}`,
      ).toEqual(ends);
      expect(flow.sandbox.stats().made.drafts).toBe(drafted.size);
      // A payee that was held for its account is not at the service.
      before = new Set([...keys].filter((key) => drafted.has(key)));
      payees = nextMonth(payees, month, draw);
    }
  },
);
