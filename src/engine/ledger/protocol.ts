/**
 * What the ledger's scripts and its TypeScript both compare in Redis, spelled here alone: marks,
 * fields, positions, kinds, states. In a script `protocol.name` stands for one, and is
 * filled in when the program begins (`filled`). Whoever changes one changes what is stored.
 */

import { WHOLE_CHARACTERS, WHOLE_UNKNOWN } from '../../model/content.ts';
import { ACCOUNT_DIGEST, MOST_HOLDERS } from '../../model/identity.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import type { Resolution } from '../../model/resolution.ts';
import { type Reason, RUN_STATES, RUN_TRANSITIONS, type RunState } from '../../model/run.ts';
import { SETTLEMENT_FIELDS, type SettlementField } from '../../model/settlement.ts';

/** As Lua counts. */
function positionOf(field: SettlementField): number {
  return 1 + SETTLEMENT_FIELDS.indexOf(field);
}

function inState(state: RunState, reason: Reason): string {
  return `${state} ${reason}`;
}

const INTENT = 'i ';
const GIVEN_BACK = 'x';
const NOBODY = '-';
const NOT_CREATED: Resolution['decision'] = 'not-created';
const UNREADABLE: Reason = 'unreadable-answers';

export const protocol = {
  /** An intent begins so; its take's fencing token follows. */
  intent: INTENT,
  /** Between the token and the row, of rows in their chunk's order. */
  firstAttempt: ' 1.',
  /** Mark of a row that left its chunk's order and is unsent. */
  unsent: '-',
  /**
   * After Redis went back in time, the journals of two processes each name an intent of theirs on
   * the row. Neither a withdrawal of one nor a refusal may end it; only an acceptance does, or a
   * take that finds the row in doubt.
   */
  conflicting: `${INTENT}contested 0.0`,
  /** A settlement begins so. */
  settlement: '[',
  rowAt: positionOf('row'),
  outcomeAt: positionOf('outcome'),
  /** Where a sealed settlement has its box. */
  boxAt: positionOf('rest'),

  /** Fields of an open chunk, and what those of rows that were recorded together begin with. */
  watermark: 'at',
  changes: 'n',
  together: 'd',

  /** Characters of a key's normal form in its digest; what follows in an exact job's. */
  formLength: 16,
  exact: '=',
  exactSuffix: 'e',
  metSuffix: 's',
  /** Of a content's text: how long the digest of the whole is, and what stands there for none. */
  wholeLength: WHOLE_CHARACTERS,
  wholeUnknown: WHOLE_UNKNOWN,
  /** Characters of an account in the digest of account and name. */
  accountLength: ACCOUNT_DIGEST,
  /** Of one account, which are kept: more names on it are no other finding. */
  mostHolders: MOST_HOLDERS,
  claimed: 'c',
  known: 'k',
  doubted: 'd',
  givenBack: GIVEN_BACK,
  nobodys: `${GIVEN_BACK} ${NOBODY} 0 `,
  /** Of the run in `nobodys`. */
  nobody: NOBODY,
  /** Stands for field digests that nobody knows, nor the whole content; a token may follow. */
  fieldsUnknown: '~',

  running: 'running',
  cancelled: 'cancelled',
  finished: 'finished',
  /** No transition leads out of these states. */
  over: Object.fromEntries(RUN_STATES.map((state) => [state, RUN_TRANSITIONS[state].length === 0])),
  waitsForApproval: inState('paused', 'approval'),
  heldUnusual: inState('paused', 'unusual'),
  /** They are cancelled, or set running by who names the reason. */
  waitsForPerson: {
    [inState('paused', 'approval')]: true,
    [inState('paused', 'unusual')]: true,
  },
  stoppedByCanary: inState('stopped', 'canary'),
  unreadableAnswers: UNREADABLE,
  /** The streak of those. */
  unreadable: 'unreadable',
  inDoubt: 'in-doubt',
  failed: 'failed',
  outcomes: OUTCOMES,
  /** Of a run's record; the outcome follows. */
  outcomeField: 'o:',
  /** Of a run's record: up to this chunk, a lost worker may have sent rows without a trace. */
  possiblySent: 'suspect',
  notCreated: NOT_CREATED,
  adopted: 'adopted',
  /** Operations of runs that adopt records end so. */
  adoption: '.adopt',
  /** Of such a run's record: the rows that updated its records first; that somebody trusts them. */
  tried: 'tried',
  trusted: 'trusted',
  /** So many, before somebody does. */
  mostTried: 5,
  /** Of a run's record: the run whose records it waits to update. */
  untrusted: 'untrusted',
  /** Of each of one cause, over all workers. */
  wholeBodies: 64,

  storySuffix: ':story',
  takersSuffix: ':takers',
  /** A run's latest entries, and what happened besides, for display. */
  storyLength: 500,
  /** The error of a script in an epoch begins so where it may not go on. */
  unverified: 'UNVERIFIED',
  /** The error of a script whose link is not to the last entry of the audit. */
  staleLink: 'STALE the audit has another last entry',
} as const;

type Literal = string | number | boolean | readonly string[] | Readonly<Record<string, boolean>>;

const NAME = /\bprotocol\.(\w+)/g;

/** The script with its literals. An Error where it names one that is none. */
export function filled(lua: string): string {
  const literals = new Map<string, Literal>(Object.entries(protocol));
  return lua.replaceAll(NAME, (_, name: string) => {
    const literal = literals.get(name);
    if (literal === undefined) throw new Error(`a script names protocol.${name}, which is none`);
    return inLua(literal);
  });
}

function inLua(literal: Literal): string {
  if (typeof literal === 'string') return JSON.stringify(literal);
  if (typeof literal !== 'object') return String(literal);
  if (Array.isArray(literal)) return `{${literal.map((one) => JSON.stringify(one)).join(',')}}`;
  const fields = Object.entries(literal).map(([name, value]) => `[${JSON.stringify(name)}]=${value}`);
  return `({${fields.join(',')}})`;
}
