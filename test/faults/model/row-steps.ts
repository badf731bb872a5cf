import { decide } from '../../../src/delivery/decide.ts';
import { endOf, gaveUp, type RowEnd, type RowTask, settledRow } from '../../../src/delivery/row-task.ts';
import type { Intent, Range } from '../../../src/ledger/intent.ts';
import { intentMark, type Mark, UNSENT_MARK } from '../../../src/ledger/mark.ts';
import type { SettledRow } from '../../../src/ledger/settle-entry.ts';
import type { Reply, Verdict } from '../../../src/model/request.ts';
import { judge } from '../../../src/service/judge.ts';
import { buildRequest } from '../../../src/service/operations.ts';
import { rowKey } from './keyspace.ts';
import type { Hand, ReplyKind, RowHand } from './state.ts';
import type { World } from './world.ts';

/** The row as the take sees it first. */
export function firstLook(
  world: World,
  row: number,
  { mark, suspect }: { readonly mark: Mark | undefined; readonly suspect: boolean },
): RowHand {
  const foundMark = mark?.kind === 'intent' ? mark.text : '';
  const fresh = { row, foundMark, suspect, made: 0, unheard: false, reply: null };
  const { definition, mapping } = world;
  const marks = new Map(mark === undefined ? [] : [[row, mark]]);
  const plan = decide(taskOf(world, fresh), marks, {
    definition,
    mapping,
    service: { build: (call, parts) => buildRequest(call, { ...parts, query: {} }) },
  });
  switch (plan.kind) {
    case 'done':
      return { ...fresh, phase: 'ended', expected: '', end: null };
    case 'end':
      return { ...fresh, phase: 'ending', expected: foundMark, end: plan.end };
    case 'send':
      return { ...fresh, phase: 'planned', expected: plan.expected, end: null };
    case 'ask':
      throw new Error('the rows of the model refer to nothing');
    default:
      return plan satisfies never;
  }
}

function taskOf({ run }: World, hand: Pick<RowHand, 'row' | 'foundMark' | 'suspect'>): RowTask {
  const { row, foundMark, suspect } = hand;
  const key = rowKey(row);
  return {
    run,
    chunk: 1,
    row: { kind: 'cells', row, line: row + 1, cells: [key, `Company ${row} Ltd`] },
    key,
    identityKey: key,
    identity: { space: 'subclient', key },
    claim: { kind: 'claimed' },
    foundMark,
    suspect,
    mates: [],
    keyless: null,
  };
}

/** The range of a row that is sent in order: what it names beside the row goes another way. */
export function rangeOf({ taker, seen, last, rows }: Hand, { row }: RowHand, claimed: string): Range {
  const apart = rows.flatMap(({ row: other, foundMark, phase }) => {
    if (foundMark !== '') return last === 0 ? [[other, foundMark] as const] : [];
    const isPassed = other < row && other > last && phase !== 'ended';
    return isPassed ? [[other, UNSENT_MARK] as const] : [];
  });
  const identity = { space: 'subclient', key: rowKey(row) };
  return { chunk: 1, taker, seen, from: last, repeatable: false, claimed, rows: [{ row, identity }], apart };
}

/** The next attempt's intent. */
export function intentOf({ row, made, expected }: RowHand, taker: string): Intent {
  return {
    chunk: 1,
    row,
    mark: intentMark(taker, row, made + 1),
    expected,
    identity: { space: 'subclient', key: rowKey(row) },
    fields: null,
    repeatable: false,
  };
}

/** The row's settlement by its plan or its answer; `null`: nothing was received, and the intent is withdrawn. */
export function settlementOf(world: World, hand: RowHand, id: string): SettledRow | null {
  if (hand.end !== null) return settledRow(taskOf(world, hand), hand.end, hand.expected);
  const verdict = verdictOf(hand.reply ?? 'not-sent', id);
  if (verdict.kind === 'retry') return null;
  if (verdict.kind === 'stop') throw new Error('the service of the model has no credentials');
  return settledRow(taskOf(world, hand), endOf(verdict, hand.made, 1), hand.expected);
}

/** The end of a row that was never received and is not tried again. */
export function endOfGivenUp({ made }: RowHand): RowEnd {
  const verdict = verdictOf('not-sent', '');
  if (verdict.kind !== 'retry') throw new Error('a refused connection is tried again');
  return gaveUp(verdict, made);
}

function verdictOf(reply: ReplyKind, id: string): Verdict {
  return judge('subclient.create', replyOf(reply, id), { notExecuted: [] });
}

function replyOf(reply: ReplyKind, id: string): Reply {
  switch (reply) {
    case 'accepted':
      return { kind: 'response', status: 200, retryAfterMs: null, body: JSON.stringify({ id }), ms: 1 };
    case 'refused':
      return { kind: 'response', status: 418, retryAfterMs: null, body: '{}', ms: 1 };
    case 'cut-made':
    case 'cut-unmade':
      return { kind: 'no-response', sent: true, code: 'UND_ERR_SOCKET', ms: 1 };
    case 'not-sent':
      return { kind: 'no-response', sent: false, code: 'ECONNREFUSED', ms: 1 };
    default:
      return reply satisfies never;
  }
}
