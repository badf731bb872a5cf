/**
 * Foresees what a run would do with rows, by the very decision that its worker makes. In place of a
 * claim, which would change the ledger, stands a look at it: whose keys the rows have by now, and
 * which row of the file would have claimed one before. A row is taken for untouched.
 */

import { type JobDefinition, operationOf } from '../../config/job-definition.ts';
import { decide, doneWith, type Plan } from '../../delivery/decide.ts';
import { type Change, NEW } from '../../delivery/known-content.ts';
import { referredState } from '../../delivery/references.ts';
import { buildRequest } from '../../delivery/service/operations.ts';
import { accountParts, type KeyPlace } from '../../engine/ledger/keys.ts';
import { createDigestTable, shortDigest, TABLE_CHARACTERS } from '../../lib/digest.ts';
import {
  type AccountClaim,
  type AccountHolder,
  claimOf,
  claimWith,
  FREE,
  type KeyClaim,
  type KeyState,
  type Met,
  MOST_HOLDERS,
  type RowContent,
} from '../../model/identity.ts';
import type { Issue } from '../../model/issue.ts';
import { identityOfKey, type KeyForm } from '../../model/key-form.ts';
import type { Mapping, Reference } from '../../model/mapping.ts';
import type { Call } from '../../model/operation.ts';
import type { ServiceRequest } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import type { RowGroup } from '../../model/row-group.ts';
import { spaceOf } from '../../operations/operations.ts';
import type { AccountsOf, Identify } from '../identities.ts';
import type { Look } from './ledger.ts';

/** Rows that are one request; holds cell values. */
export type Forecast = {
  readonly rows: readonly Row[];
  readonly leader: Row;
  readonly key: string | null;
  readonly state: KeyState;
  readonly fate: Fate;
};

export type Fate = (
  | { readonly kind: 'invalid'; readonly issues: readonly RowIssue[] }
  /** Nothing is left to be done about them; what differs from what is known is told. */
  | {
      readonly kind: 'skipped';
      readonly warnings: readonly Issue[];
      /** The id that becomes known; left out: none does. */
      readonly adopts?: string;
    }
  | {
      readonly kind: 'sent';
      readonly request: ServiceRequest;
      readonly warnings: readonly Issue[];
      readonly references: readonly ForeseenReference[];
      /** One of the references is open. */
      readonly waits: boolean;
    }
) & {
  /** Against what the service has; left out: the rows are no record. */
  readonly change?: Change;
};

/** `code`: the run's, that of a defect of the program included. */
export type RowIssue = Omit<Issue, 'code'> & { readonly code: string };

/** `in-file`: an earlier row creates it, in this file or in one before. `open`: nobody knows it. */
export type ForeseenReference = {
  readonly reference: Reference;
  readonly state: KeyState;
  readonly standing: 'known' | 'in-file' | 'open';
};

export type Foreseeing = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly sha256: string;
  readonly look: Look;
  readonly identify: Identify;
  /** `null`: no account is looked at. */
  readonly accountsOf: AccountsOf | null;
  /** The run that has this very file already: what it has is its own. */
  readonly earlier: string | null;
  /** Earlier runs, by row. */
  comesFrom(row: number): ReadonlySet<string>;
  readonly seen: SeenKeys;
  /** By the first row of a group: another row of its key, which stands apart. */
  readonly apart: ReadonlyMap<number, number>;
  readonly before: readonly SeenKeys[];
  /** Whether requests of the call are still shown: those that aren't need not be put together. */
  isShown(call: Call): boolean;
};

/** Rows that are one request, and what the ledger and its file know them by. */
type Keyed = {
  readonly group: RowGroup<Row>;
  /** The rows' own; `null`: they have none. */
  readonly key: string | null;
  /** Their key or, of a job that names none, their content. */
  readonly identity: string | null;
  readonly rowContent: RowContent | undefined;
  /** Of the identity in its file. */
  readonly digest: string;
  /** `null`: the ledger knows nothing of them across runs. */
  readonly place: KeyPlace | null;
};

/** Rows whose keys are being looked up, with what the ledger says of each. */
export type Asked = {
  readonly keyed: readonly Keyed[];
  readonly states: Promise<readonly KeyState[]>;
};

/** Asks for the keys of rows, in file order; `foresee` waits for the answer. */
export function askFor(groups: readonly RowGroup<Row>[], foreseeing: Foreseeing): Asked {
  const keyed = groups.map((group) => keyedOf(group, foreseeing));
  const states = statesOf(keyed, foreseeing.look);
  // It may fail while the rows before are still looked at: who foresees these is told.
  states.catch(() => undefined);
  return { keyed, states };
}

async function statesOf(keyed: readonly Keyed[], look: Look): Promise<readonly KeyState[]> {
  if (look.kind === 'none') return keyed.map(() => FREE);
  const found = await look.states(keyed.flatMap(({ place }) => place ?? []));
  const inTurn = found.values();
  return keyed.map(({ place }) => (place === null ? FREE : (inTurn.next().value ?? FREE)));
}

/** In the order in which the rows were asked for. */
export async function foresee(asked: Asked, foreseeing: Foreseeing): Promise<readonly Forecast[]> {
  const { look, seen } = foreseeing;
  const states = await asked.states;
  const standing = asked.keyed.map((keyed, i) => ({ keyed, state: states[i] ?? FREE }));
  const accountsAt = await accountsAmong(standing, foreseeing);
  const decideRows = createDecider(foreseeing, accountsAt);
  const planned = standing.map(({ keyed, state }) => ({ keyed, state, plan: decideRows(keyed, state) }));
  const questions = planned.flatMap(({ plan }) => (plan.kind === 'ask' ? [plan.questions] : []));
  const references = questions.flatMap((one) => one.references);
  const stateOf = await referredStates(look, references);
  const fieldsFor = await fieldsFrom(look, questions);
  return planned.map(({ keyed: { group, key, digest }, state, plan }) => {
    const { leader, members } = group;
    const rows = [leader, ...members];
    const fate = fateOf(plan, { rows, leader, key, stateOf, fieldsFor }, foreseeing);
    // What refers to a row that is not sent, or waits itself, waits as well.
    if (key !== null && (fate.kind !== 'sent' || fate.waits)) seen.spoil(digest, leader.row);
    return { rows, leader, key, state, fate };
  });
}

/** By the first row of a request: its accounts, and who names them in their index. */
type AccountsAt = ReadonlyMap<number, readonly Met[]>;

/** Of the rows that no run has created. */
async function accountsAmong(
  standing: ReadonlyArray<{ readonly keyed: Keyed; readonly state: KeyState }>,
  { accountsOf, definition, earlier, comesFrom, look }: Foreseeing,
): Promise<AccountsAt> {
  if (accountsOf === null) return new Map();
  const open = standing.filter(({ state }) => state.kind !== 'known');
  const groups = open.map(({ keyed }) => keyed.group);
  const rows = groups.flatMap(({ leader, members }) => accountsOf([leader, ...members], () => true));
  const space = spaceOf(operationOf(definition)) ?? '';
  const asking = { run: earlier, comesFrom, rows };
  const met = look.kind === 'none' ? null : await look.accounts(space, asking);
  const inNobodysWay = (digest: string): Met => ({ digest, others: [] });
  return met ?? new Map(rows.map(({ row, digests }) => [row, digests.map(inNobodysWay)]));
}

type StateOf = (place: KeyPlace) => KeyState;

/** Many rows may refer to one record. */
async function referredStates(look: Look, references: readonly KeyPlace[]): Promise<StateOf> {
  if (look.kind === 'none' || references.length === 0) return () => FREE;
  const asked = new Map(references.map((place) => [nameOf(place), place]));
  const states = await look.states([...asked.values()]);
  const byName = new Map([...asked.keys()].map((name, i) => [name, states[i]]));
  return (place) => byName.get(nameOf(place)) ?? FREE;
}

function nameOf({ space, key }: KeyPlace): string {
  return `${space} ${key}`;
}

/** Fields that the service last accepted; `''`: nothing is known of them. */
async function fieldsFrom(
  look: Look,
  questions: ReadonlyArray<Extract<Plan, { kind: 'ask' }>['questions']>,
): Promise<(place: KeyPlace) => string> {
  const asked = questions.flatMap(({ fieldsOf }) => fieldsOf ?? []);
  const [first] = asked;
  if (look.kind === 'none' || first === undefined) return () => '';
  // The records of one job are in one space.
  const found = await look.fields({ space: first.space, names: asked.map(({ key }) => key) });
  return ({ key }) => found.get(key) ?? '';
}

function keyedOf(group: RowGroup<Row>, { definition, mapping, identify, look, seen }: Foreseeing): Keyed {
  const known = identify(group.leader);
  const key = mapping.hasKey ? (known?.key ?? null) : null;
  const space = spaceOf(operationOf(definition));
  // Where nothing is known across runs, only a key of its own counts in the file.
  if (known === null || (space === null && key === null))
    return { group, key, identity: null, rowContent: undefined, digest: '', place: null };
  const { key: identity, rowContent } = known;
  const form = mapping.keyForm;
  const place = space === null || look.kind === 'none' ? null : look.placeOf(identity, form);
  // Of another form, the place's digest is that of a loose key.
  const digest = place === null || form !== 'loose' ? seen.digestOf(identity) : place.digest;
  const asked = space === null || place === null ? null : { space, key: identity, form, place };
  return { group, key, identity, rowContent, digest, place: asked };
}

type Build = (
  call: ServiceRequest['call'],
  parts: Omit<Parameters<typeof buildRequest>[1], 'query' | 'own'>,
) => ServiceRequest;
const UNCLAIMED: KeyClaim = { kind: 'claimed' };
const UNTOUCHED: Parameters<typeof decide>[1] = new Map();

function createDecider(foreseeing: Foreseeing, accountsAt: AccountsAt) {
  const { definition, mapping, sha256, look, earlier, seen, apart, isShown } = foreseeing;
  const saltOf = look.kind === 'ledger' ? look.sealing.saltOf : (key: string) => key;
  const run = { id: earlier ?? '', operation: operationOf(definition), sha256 };
  const build: Build = (call, parts) =>
    isShown(call)
      ? buildRequest(call, { ...parts, query: definition.query, own: definition.request })
      : { call, method: 'POST', path: '', body: null };
  const means = { definition, mapping, service: { build }, saltOf, isForeseen: true } as const;
  return (keyed: Keyed, state: KeyState): Plan => {
    const { leader: row, members, keyless } = keyed.group;
    const found = foreseenClaim(state, keyed, { earlier, seen, apart });
    const isOpen = found?.kind === 'claimed';
    const task = {
      run,
      row,
      possiblySent: false,
      identityKey: keyed.identity,
      rowContent: keyed.rowContent,
      members: members.map((member) => ({ row: member })),
      keyless,
      claim: found ?? UNCLAIMED,
      accounts: isOpen ? foreseenAccounts(row.row, accountsAt, seen) : undefined,
    };
    return found === null ? doneWith(task, state, means) : decide(task, UNTOUCHED, means);
  };
}

type Claiming = Pick<Foreseeing, 'earlier' | 'seen' | 'apart'>;

/** What a claim would answer; `null`: the earlier run of this very file is done with the row. */
function foreseenClaim(
  state: KeyState,
  { group: { leader }, identity, digest }: Keyed,
  { earlier, seen, apart }: Claiming,
): KeyClaim | null {
  const other = apart.get(leader.row);
  if (other !== undefined) return { kind: 'apart', row: other };
  const firstOfRun = () => (identity === null ? null : seen.claim({ key: identity, digest }, leader.row));
  const claim = claimOf(state, earlier, firstOfRun);
  // It claims nothing, and the record is in the file all the same.
  if (identity !== null && claim.kind === 'alike') seen.note(digest);
  return claim.kind === 'claimed' && isDone(state) ? null : claim;
}

/** What a claim of its accounts would answer. */
function foreseenAccounts(row: number, accountsAt: AccountsAt, seen: SeenKeys): AccountClaim | undefined {
  const met = accountsAt.get(row) ?? [];
  if (met.length === 0) return undefined;
  const inFile = met.map(({ digest, others }) => {
    // Those that the file's own run has named are seen here, too.
    const ofOthers = others.filter(({ run }) => run !== null);
    return { digest, others: [...ofOthers, ...seen.claimAccount(digest, row)] };
  });
  return claimWith(inFile);
}

/** Of a key that the row may have: nothing is left to be done about it. */
function isDone(state: KeyState): boolean {
  return state.kind === 'known' || (state.kind === 'held' && state.inDoubt);
}

type Context = Pick<Forecast, 'rows' | 'leader' | 'key'> & {
  readonly stateOf: StateOf;
  readonly fieldsFor: (place: KeyPlace) => string;
};

function fateOf(plan: Plan, context: Context, foreseeing: Foreseeing): Fate {
  switch (plan.kind) {
    case 'done':
      return { kind: 'skipped', warnings: [], ...(plan.change !== undefined && { change: plan.change }) };
    case 'end':
      return fateOfEnd(plan, context, foreseeing.definition);
    case 'send':
      return fateOfSend(plan, []);
    case 'ask':
      return fateOfAsk(plan, context, foreseeing);
    default:
      return plan satisfies never;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  duplicate_key: 'a key that no other row has; ',
  same_row: 'a row unlike all others of its file; ',
  key_alike: 'a key that no other row has, however it is written; ',
  group_apart: 'all rows of one key directly below each other; ',
  key_known: 'a key that is not known yet; ',
  account_changed: 'the account that is known; ',
  account_shared: 'an account that no other payee has; ',
  key_held: 'a key that no other run has; ',
  key_in_doubt: 'a key that no other run has; ',
};

/** Where no cell is at fault, it is what the report of a run says of the rows. */
function fateOfEnd(
  { end, ends, change }: Extract<Plan, { kind: 'end' }>,
  { rows, key: value }: Context,
  definition: JobDefinition,
): Fate {
  const compared = change === undefined ? {} : { change };
  const { warnings = [] } = end;
  if (end.outcome === 'adopted') return { kind: 'skipped', warnings, adopts: end.id ?? '' };
  if (end.outcome !== 'invalid') return { kind: 'skipped', warnings, ...compared };
  const wrong = [...(ends?.values() ?? [end])].flatMap(({ issues = [] }) => issues);
  if (wrong.length > 0) return { kind: 'invalid', issues: wrong };
  const { code = '', message = '', values } = end;
  const isOfAccount = code === 'account_changed' || code === 'account_shared';
  const column = isOfAccount ? null : (definition.key ?? null);
  const expected = `${EXPECTED[code] ?? 'a row that can be sent; '}${message}`;
  return {
    kind: 'invalid',
    issues: rows.map(({ row, line }) => ({
      ...{ row, line, column, expected, values, code },
      value: isOfAccount ? null : value,
    })),
    ...compared,
  };
}

const NO_WARNINGS: readonly Issue[] = [];

function fateOfSend(
  { request, warnings, change = NEW }: Extract<Plan, { kind: 'send' }>,
  references: readonly ForeseenReference[],
): Fate {
  return {
    kind: 'sent',
    request,
    warnings: warnings === undefined ? NO_WARNINGS : [...warnings.values()].flat(),
    references,
    waits: references.some(({ standing }) => standing === 'open'),
    change,
  };
}

/** The request is shown as it would be sent once all that it refers to is loaded. */
function fateOfAsk(
  { questions, decide: informed }: Extract<Plan, { kind: 'ask' }>,
  context: Context,
  foreseeing: Foreseeing,
): Fate {
  const references = questions.references.map((reference) => {
    const state = referredState(reference, context.stateOf(reference));
    return {
      reference,
      state,
      standing: standingOf(reference, { state, row: context.leader.row }, foreseeing),
    };
  });
  const states = references.map(({ reference: { space, key }, state }) =>
    state.kind === 'known'
      ? state
      : { kind: 'known' as const, run: '', row: 0, id: `<id of the ${space} ${key}>` },
  );
  const { fieldsOf } = questions;
  const fields = fieldsOf === null ? '' : context.fieldsFor(fieldsOf);
  const plan = informed({ states, fields });
  if (plan.kind === 'send') return fateOfSend(plan, references);
  if (plan.kind === 'end') return fateOfEnd(plan, context, foreseeing.definition);
  throw new Error(`a request with all its answers is not decided, but ${plan.kind}`);
}

function standingOf(
  { space, key }: Reference,
  { state, row }: { readonly state: KeyState; readonly row: number },
  { definition, seen, before }: Foreseeing,
): ForeseenReference['standing'] {
  if (state.kind === 'known') return 'known';
  if (space !== spaceOf(operationOf(definition))) return 'open';
  // A row that comes later is not waited for: two rows could wait for each other.
  if (seen.hasCreatorBefore(key, row)) return 'in-file';
  const isInEarlier = before.some((file) => file.hasCreatorBefore(key, Infinity));
  return isInEarlier ? 'in-file' : 'open';
}

/** `name`: as a hash. */
type Naming = { readonly row: number; readonly name: number };

export type SeenKeys = ReturnType<typeof createSeenKeys>;

type DigestOf = (text: string, length: number) => string;

/**
 * The keys of a file so far, as digests, so that a million of them take little room. `digestOf`: as
 * the ledger digests them, whose digests of the rows' keys are taken.
 */
export function createSeenKeys(form: KeyForm, digestOf: DigestOf = shortDigest) {
  const digestOfKey = (key: string) => digestOf(identityOfKey(key, form), TABLE_CHARACTERS);
  // Below 0: a row that would not be sent.
  const rows = createDigestTable();
  const noted = createDigestTable();
  /** By row, of those that came first: what tells the texts of one key apart. */
  const texts = createNumbers();
  const accounts = createDigestTable();
  /** By row, of those that have an account first. */
  const names = createNumbers();
  /** Of the few accounts that more rows name: those rows. */
  const further = new Map<string, Naming[]>();
  return {
    /** Who names the account before; its digest as `accountDigests` makes it. */
    claimAccount(digest: string, row: number): readonly AccountHolder[] {
      const { account, name } = accountParts(digest);
      const own = { row, name: textHash(name) };
      const first = accounts.setFirst(account, row);
      if (first === undefined) {
        names.set(row, own.name);
        return [];
      }
      const before = [{ row: first, name: names.get(first) }, ...(further.get(account) ?? [])];
      if (before.length < MOST_HOLDERS) further.set(account, [...(further.get(account) ?? []), own]);
      return before.map((one) => ({ ...OF_FILE, row: one.row, isSameName: one.name === own.name }));
    },
    digestOf: digestOfKey,
    /** The row that has the key before; `isAlike`: in another text. */
    claim({ key, digest }: OwnKey, row: number) {
      const earlier = rows.setFirst(digest, row);
      const text = textHash(key);
      if (earlier === undefined) {
        texts.set(row, text);
        return null;
      }
      const first = Math.abs(earlier);
      return { row: first, isAlike: texts.get(first) !== text };
    },
    /** Where it is the row that has the key: the row would not be sent. */
    spoil: (digest: string, row: number) => rows.replace(digest, row, -row),
    note: (digest: string) => noted.set(digest, 1),
    has(key: string) {
      const digest = digestOfKey(key);
      return rows.get(digest) !== undefined || noted.get(digest) !== undefined;
    },
    hasCreatorBefore(key: string, row: number) {
      const creator = rows.get(digestOfKey(key)) ?? -1;
      return creator > 0 && creator < row;
    },
  };
}

/** `digest`: by which the keys of its file are told apart. */
type OwnKey = { readonly key: string; readonly digest: string };

const NUMBERS_AT_ONCE = 65_536;

/** Numbers of 32 bits by row, in room that is never taken twice to grow. */
function createNumbers() {
  const blocks: Int32Array[] = [];
  const blockOf = (row: number) => Math.floor(row / NUMBERS_AT_ONCE);
  return {
    get: (row: number) => blocks[blockOf(row)]?.[row % NUMBERS_AT_ONCE] ?? 0,
    set(row: number, value: number) {
      const block = blocks[blockOf(row)] ?? new Int32Array(NUMBERS_AT_ONCE);
      blocks[blockOf(row)] = block;
      block[row % NUMBERS_AT_ONCE] = value;
    },
  };
}

const OF_FILE = { run: null, isSent: false, isOfDelivery: true } as const;

/** 32 bits: the texts of one key are few, and a digest of each costs more than all else of it. */
function textHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
