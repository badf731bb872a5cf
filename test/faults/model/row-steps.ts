import { decide, WORKER_LOST } from '../../../src/delivery/decide.ts';
import { endOver } from '../../../src/delivery/idempotency.ts';
import { gaveUp, type RowEnd, type RowTask, settledRow } from '../../../src/delivery/row-task.ts';
import { judge } from '../../../src/delivery/service/judge.ts';
import { buildRequest } from '../../../src/delivery/service/operations.ts';
import { afterReply, NONE_IN_A_ROW } from '../../../src/delivery/transitions.ts';
import type { Intent, Range } from '../../../src/engine/ledger/intent.ts';
import { intentMark, type Mark, UNSENT_MARK, withFirst } from '../../../src/engine/ledger/mark.ts';
import type { SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import type { Reply } from '../../../src/model/request.ts';
import { rowKey } from './keyspace.ts';
import type { Hand, ReplyKind, RowHand } from './state.ts';
import { NOW, type World } from './world.ts';

/** The row as the take sees it first. */
export function firstLook(
  world: World,
  row: number,
  { mark, possiblySent }: { readonly mark: Mark | undefined; readonly possiblySent: boolean },
): RowHand {
  const foundMark = mark?.kind === 'intent' ? mark.text : '';
  const unsent = { row, foundMark, possiblySent, made: 0, unheard: false, reply: null };
  const fresh = { ...unsent, before: '', first: null, doubt: null };
  const { definition, mapping, idempotency } = world;
  const marks = new Map(mark === undefined ? [] : [[row, mark]]);
  const plan = decide(taskOf(world, fresh), marks, {
    definition,
    mapping,
    idempotency,
    service: { build: (call, parts) => buildRequest(call, { ...parts, query: {} }) },
  });
  switch (plan.kind) {
    case 'done':
      return { ...fresh, phase: 'ended', expected: '', end: null };
    case 'end':
      return { ...fresh, phase: 'ending', expected: foundMark, end: plan.end };
    case 'send': {
      const { value } = plan.request.idempotency ?? {};
      const first = plan.first ?? (value === undefined ? null : { at: 0, value });
      const doubt = plan.first === undefined ? null : WORKER_LOST;
      return { ...fresh, phase: 'planned', expected: plan.expected, first, doubt, end: null };
    }
    case 'ask':
      throw new Error('the rows of the model refer to nothing');
    default:
      return plan satisfies never;
  }
}

function taskOf({ run }: World, hand: Pick<RowHand, 'row' | 'foundMark' | 'possiblySent'>): RowTask {
  const { row, foundMark, possiblySent } = hand;
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
    possiblySent,
    members: [],
    keyless: null,
  };
}

/** The range of a row that is sent in order: what it names beside the row goes another way. */
export function rangeOf({ fencingToken, seen, last, rows }: Hand, { row }: RowHand, claimed: string): Range {
  const outOfOrder = rows.flatMap(({ row: other, foundMark, phase }) => {
    if (foundMark !== '') return last === 0 ? [{ row: other, mark: foundMark }] : [];
    const isPassed = other < row && other > last && phase !== 'ended';
    return isPassed ? [{ row: other, mark: UNSENT_MARK }] : [];
  });
  const identity = { space: 'subclient', key: rowKey(row) };
  return {
    chunk: 1,
    fencingToken,
    seen,
    from: last,
    repeatable: false,
    claimed,
    rows: [{ row, identity }],
    outOfOrder,
  };
}

/** The next attempt's intent. */
export function intentOf({ row, made, expected, first }: RowHand, fencingToken: string): Intent {
  const mark = intentMark(fencingToken, row, made + 1);
  return {
    chunk: 1,
    row,
    mark: first === null ? mark : withFirst(mark, first),
    expected,
    identity: { space: 'subclient', key: rowKey(row) },
    fields: null,
    repeatable: false,
  };
}

/** What becomes of the row by its plan or its answer, as the sender's tables have it. */
export type Next =
  | { readonly kind: 'settled'; readonly settled: SettledRow }
  /** `isFree`: nothing was received, and the intent is withdrawn. */
  | { readonly kind: 'again'; readonly isFree: boolean; readonly doubt: RowEnd | null };

export function nextOf(world: World, hand: RowHand, id: string): Next {
  const { before, made, first, doubt, expected } = hand;
  const settled = (end: RowEnd): Next => ({
    kind: 'settled',
    settled: settledRow(taskOf(world, hand), endOver(doubt, end), { mark: expected }),
  });
  if (hand.end !== null) return settled(hand.end);
  const reply = replyOf(hand.reply ?? 'not-sent', id);
  const call = 'subclient.create';
  const verdict = judge(call, reply, { notExecuted: [] });
  const answered = { verdict, reply, call, at: NOW.getTime() } as const;
  const facts = { state: 'onWire', isInOrder: false, before, made, first, doubt } as const;
  const effects = afterReply(answered, facts, NONE_IN_A_ROW);
  for (const effect of effects) {
    if (effect.kind === 'settle') return settled(effect.end);
    if (effect.kind !== 'again') continue;
    const isFree = effects.some(({ kind }) => kind === 'withdraw');
    return { kind: 'again', isFree, doubt: doubt ?? effect.doubt ?? null };
  }
  throw new Error('the service of the model has no credentials');
}

/** The end of a row that was never received, or is in doubt, and is not tried again. */
export function endOfGivenUp({ made, doubt }: RowHand): RowEnd {
  const verdict = judge('subclient.create', replyOf('not-sent', ''), { notExecuted: [] });
  if (verdict.kind !== 'retry') throw new Error('a refused connection is tried again');
  return endOver(doubt, gaveUp(verdict, made));
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
