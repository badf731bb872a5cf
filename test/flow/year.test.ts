import { describe, expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { LONG } from '../faults/support/times.ts';
import { type Flow, startFlow, withSummary } from '../support/flow.ts';
import { until } from '../support/until.ts';

/*
 * A year of a partner's deliveries at random, against a map of what was drafted. In some months the
 * loading process is killed, and the same command given again. The map is the whole model: it knows
 * nothing of how the program finds out. `YEAR_SEEDS="3 4 5"`: those years in place of these two,
 * of which `npm test` has the first.
 */
const SEEDS = (process.env.YEAR_SEEDS ?? (LONG ? '21 34' : '21')).split(' ').map(Number);
const MONTHS = 12;
const PAYEES = 24;
const IN_FLIGHT = 4;
/** Years go side by side, on machines that are busy with something else. */
const TIMEOUT_MS = 240_000;
/** A killed process' rows are free soon. */
const TIMES = { ...SHIPPED_TIMES, lockMs: 2_000 };

const JOB = [
  'operation: counterparty.draft',
  'key: externalId',
  'delivery: full',
  'unusual: off',
  'guard: { accounts: hold }',
  'checks: { accounts: off }',
  `send: { concurrency: ${IN_FLIGHT} }`,
  'fields:',
  '  alias: externalId',
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

/** A payee of whom nobody knows whether the service has it: the row that may have been sent. */
type Doubt = { readonly payee: Payee; readonly run: string; readonly row: number };

type Known = {
  /** By key, as it was sent first: what the service has. */
  readonly drafted: Map<string, Payee>;
  readonly doubts: Map<string, Doubt>;
  /** Of those drafted: somebody has said so, and what was sent of them is not known. */
  readonly settled: Set<string>;
};

/** By account: the names of the payees that have it, for all that is known. */
type Owners = Map<string, ReadonlySet<string>>;

function ownersOf({ drafted, doubts }: Known): Owners {
  const owners: Owners = new Map();
  const doubted = [...doubts.values()].map(({ payee }) => payee);
  for (const { name, accounts } of [...drafted.values(), ...doubted])
    for (const one of accounts) own(owners, one, name);
  return owners;
}

function own(owners: Owners, account: string, name: string): void {
  owners.set(account, new Set([...(owners.get(account) ?? []), nameOf(name)]));
}

/** Who has a new payee's accounts, known before and beside it in its file. */
function othersOf({ name, accounts }: Payee, owners: Owners, inFile: Owners) {
  const told = accounts.flatMap((one) => {
    const [known, beside] = [owners.get(one), inFile.get(one)];
    own(inFile, one, name);
    if (known?.has(nameOf(name))) return ['payee_repeated'];
    if (known !== undefined) return ['held'];
    if (beside === undefined) return [];
    return [beside.has(nameOf(name)) ? 'payee_repeated' : 'account_shared'];
  });
  return ['held', 'account_shared', 'payee_repeated'].find((word) => told.includes(word)) ?? null;
}

function nameOf(name: string): string {
  return name.toLowerCase().replaceAll(' ltd.', '');
}

/** What has to become of a file's rows, by what is known. `fresh`: those that are drafted by that. */
function expectedOf(rows: readonly Payee[], known: Known) {
  const seen = new Set<string>();
  const owners = ownersOf(known);
  const inFile: Owners = new Map();
  const fresh = new Map<number, Payee>();
  const plan = { new: 0, unchanged: 0, notSent: 0, notKnown: 0, repeated: 0 };
  const endOfNew = (payee: Payee, row: number) => {
    const told = othersOf(payee, owners, inFile);
    if (told === 'held') return ['invalid', 'account_shared', ANY];
    plan.new += 1;
    if (told === 'payee_repeated') plan.repeated += 1;
    fresh.set(row, payee);
    return ['drafted', '', told === null ? '' : expect.stringMatching(`warning: ${told} [(]row `)];
  };
  const ends = rows.map((payee, i) => {
    const { key } = payee;
    if (seen.has(key)) return ['invalid', 'duplicate_key', ANY];
    seen.add(key);
    const doubt = known.doubts.get(key);
    if (doubt !== undefined) return endOfDoubted(doubt);
    const before = known.drafted.get(key);
    if (before === undefined) return endOfNew(payee, i + 1);
    const [counted, end] = known.settled.has(key) ? endOfSettled() : endOfKnown(payee, before);
    plan[counted] += 1;
    return end;
  });
  return { ends, plan, keys: seen, fresh };
}

type Expected = ReturnType<typeof expectedOf>;

function endOfDoubted({ run, row }: Doubt) {
  const has = `row ${row} of run ${run} has this key and its outcome is in doubt`;
  return ['invalid', 'key_in_doubt', has];
}

/** Somebody has said that the service has it. */
function endOfSettled() {
  const words = / its content is not known; warning: account_not_known$/;
  return ['notKnown', ['skipped', 'key_known', expect.stringMatching(words)]] as const;
}

function endOfKnown({ name, accounts }: Payee, before: Payee) {
  const added = accounts.filter((one) => !before.accounts.includes(one));
  const removed = before.accounts.filter((one) => !accounts.includes(one));
  const skipped = (words: RegExp) => ['skipped', 'key_known', expect.stringMatching(words)];
  if (name === before.name && accounts.join() === before.accounts.join())
    return ['unchanged', skipped(/ with this content$/)] as const;
  if (added.length > 0 && removed.length > 0)
    return ['notSent', ['invalid', 'account_changed', ANY]] as const;
  const code = added.length > 0 ? 'account_added' : 'changed_not_sent';
  return ['notSent', skipped(new RegExp(`warning: ${code}$`))] as const;
}

/** One month of the first half; in every other year one of the second, too. */
function killedIn(lot: () => number): ReadonlySet<number> {
  const half = MONTHS / 2;
  return new Set([1 + Math.floor(lot() * half), 1 + half + Math.floor(lot() * MONTHS)]);
}

/** A kill while one of the run's requests is never answered: `hang` carries it out. */
type Kill = { readonly request: number; readonly fault: 'hang' | 'hang-before' };

function killOf({ fresh: { size } }: Expected, lot: () => number): Kill {
  return { request: 1 + Math.floor(lot() * size), fault: lot() < 0.5 ? 'hang' : 'hang-before' };
}

/** The other requests are answered late, so that some of them are in flight, too. */
async function killIn(flow: Flow, args: readonly string[], { request, fault }: Kill): Promise<void> {
  const { stats, setFaults } = flow.sandbox;
  setFaults([`${fault}=every:${request}`, 'latency=50ms']);
  const { child, ended } = flow.start(args);
  await until(() => (stats().faults[fault] ?? 0) > 0);
  child.kill('SIGKILL');
  await ended;
  setFaults([]);
}

type Results = Awaited<ReturnType<Flow['results']>>;

/** Its rows ended as expected, but for those that a kill left in doubt. Answers their numbers. */
function doubtsIn(results: Results, { ends, fresh }: Expected, kill: Kill | null) {
  const doubted = results.flatMap(({ outcome }, i) => (outcome === 'in-doubt' ? [i + 1] : []));
  const inDoubt = new Set(doubted.filter((row) => fresh.has(row)));
  const expected = ends.map((end, i) => (inDoubt.has(i + 1) ? ['in-doubt', 'worker_lost', ANY] : end));
  expect(results.map(({ outcome, code, message }) => [outcome, code, message])).toEqual(expected);
  // On the wire, and answered a moment before.
  const most = 2 * IN_FLIGHT;
  expect([inDoubt.size > 0, inDoubt.size <= most]).toEqual([kill !== null, true]);
  return inDoubt;
}

/** By key: the ids of the payees that the service has. */
function madeIn({ sandbox }: Flow): ReadonlyMap<string, string> {
  const made = [...sandbox.entities('draft')].map(({ key, id }) => [key ?? '', id] as const);
  const byKey = new Map(made);
  expect(made.length, 'one draft of each key').toBe(byKey.size);
  return byKey;
}

/** Somebody looks at the service, and says of a row in doubt what it has. */
async function settle(flow: Flow, { run, row, payee }: Doubt, { drafted, doubts, settled }: Known) {
  const id = madeIn(flow).get(payee.key);
  await flow.look(['resolve', run, `${row}`, ...(id === undefined ? ['--not-created'] : ['--created', id])]);
  doubts.delete(payee.key);
  if (id === undefined) return;
  drafted.set(payee.key, payee);
  settled.add(payee.key);
}

type Delivery = {
  readonly job: string;
  readonly month: number;
  readonly payees: readonly Payee[];
  readonly isKilled: boolean;
  /** Keys of the file before; `null`: there was none. */
  readonly before: ReadonlySet<string> | null;
};

/** A month's file, checked and loaded. Answers its keys. */
async function deliver(
  flow: Flow,
  { job, month, payees, isKilled, before }: Delivery,
  known: Known,
  lot: () => number,
) {
  const lines = payees.map(
    ({ key, name, accounts: [first, second = ''] }) => `${key},${name},${first},${second}`,
  );
  const file = await flow.file(`${month}.csv`, ['externalId,name,first,second', ...lines, ''].join('\n'));
  const expected = expectedOf(payees, known);
  const { plan, keys, fresh } = expected;
  const isGone = (key: string) => known.drafted.has(key) && !keys.has(key);
  const gone = before === null ? null : [...before].filter(isGone).length;

  const planned = `${file}.plan.json`;
  const checked = await flow.onboard(['check', '--job-file', job, file, '--json', '--out', planned]);
  expect(JSON.parse(checked.stdout).plan, `month ${month}`).toMatchObject({ ...plan, changed: 0, gone });

  const args = ['run', '--job-file', job, file, '--plan', planned, '--json'];
  const kill = isKilled && fresh.size > 0 ? killOf(expected, lot) : null;
  if (kill !== null) await killIn(flow, args, kill);
  const { summary } = withSummary(await flow.onboard(args));
  const inDoubt = doubtsIn(await flow.results(summary), expected, kill);
  for (const [row, payee] of fresh) {
    if (inDoubt.has(row)) known.doubts.set(payee.key, { payee, run: summary.run, row });
    else known.drafted.set(payee.key, payee);
  }
  const made = [...madeIn(flow).keys()].filter((key) => !known.doubts.has(key));
  expect(made.sort()).toEqual([...known.drafted.keys()].sort());
  return keys;
}

describe.concurrent('a year of deliveries at random', () => {
  test.for(SEEDS)(
    'the check foresees what the run does, killed or not, and both what the map says (seed %i)',
    { timeout: TIMEOUT_MS },
    async (seed, { onTestFinished }) => {
      // The partner's files are the same, whatever a kill leaves in doubt.
      const [draw, lot] = [random(seed), random(-seed)];
      const flow = await startFlow({ times: TIMES }, onTestFinished);
      const job = await flow.file('payees.yaml', JOB);
      const known: Known = { drafted: new Map(), doubts: new Map(), settled: new Set() };
      const killed = killedIn(lot);
      let before: ReadonlySet<string> | null = null;
      let payees: readonly Payee[] = Array.from({ length: PAYEES }, (_, i) => ({
        key: `P${i}`,
        name: `Payee ${i}`,
        accounts: [`${1_000_000 + i}`],
      }));
      for (let month = 1; month <= MONTHS; month += 1) {
        const isKilled = killed.has(month);
        before = await deliver(flow, { job, month, payees, isKilled, before }, known, lot);
        // In every other month none is settled, in the others some.
        const left = Math.floor(lot() * 2 * known.doubts.size);
        for (const doubt of [...known.doubts.values()].slice(left)) await settle(flow, doubt, known);
        payees = nextMonth(payees, month, draw);
      }
    },
  );
});
