import { grantOf } from '../../support/ledger.ts';
import { expectAcceptedKept, expectExclusive, expectTrue } from './checks.ts';
import { copied, crash, crashAmid, emptied, goBack, half, pause, resolveRow, save } from './disasters.ts';
import { type Command, describeEvent, type Event, type RowEvent } from './events.ts';
import { endOfGivenUp, firstLook, intentOf, type Next, nextOf, rangeOf } from './row-steps.ts';
import { factsOf, handRow, isInFlight, processOf, type RowHand, type Slot, type State } from './state.ts';
import { look } from './view.ts';
import { type Bench, ledgerOf } from './world.ts';

/** Lets the event happen on the real scripts, and throws where the ledger then says or does what it must not. */
export async function applyEvent(bench: Bench, event: Event): Promise<void> {
  const { state } = bench;
  bench.trail.push(describeEvent(event));
  if ('slot' in event && state.away === event.slot) {
    await bench.workers.epoch(event.slot).verify();
    state.away = null;
  }
  await happen(bench, event);
  const view = await look(bench);
  // On a busy machine a worker may check in too late, and be gone on without.
  if (Number(view.record.suspect ?? 0) > 0) for (const facts of state.facts) facts.mayDoubt = true;
  expectTrue(bench, view, event);
  state.view = view;
}

function happen(bench: Bench, event: Event): Promise<void> {
  switch (event.kind) {
    case 'take':
      return take(bench, event.slot);
    case 'close':
      return close(bench, event);
    case 'crash':
      return crash(bench, event);
    case 'half':
      return halve(bench, event);
    case 'pause':
    case 'resume':
      return pause(bench, event);
    case 'forget':
      return forget(bench);
    case 'save':
      return save(bench);
    case 'back-to-saved':
    case 'back':
      return goBack(bench, event);
    case 'copied':
      return copied(bench, event);
    case 'emptied':
      return emptied(bench, event.first);
    case 'resolve':
      return resolveRow(bench, event);
    default:
      return happenToRow(bench, event);
  }
}

function halve(bench: Bench, event: Extract<Event, { kind: 'half' }>): Promise<void> {
  const { slot, row } = event;
  const hand = handRow(bench.state, slot, row);
  return half(bench, event, () => {
    if (hand === undefined) return close(bench, { slot, heard: true });
    return (hand.phase === 'planned' ? intend : finish)(bench, { slot, heard: true }, hand);
  });
}

async function happenToRow(bench: Bench, event: RowEvent): Promise<void> {
  const { slot, row } = event;
  const hand = handRow(bench.state, slot, row);
  if (hand === undefined) throw new Error(`slot ${slot} has no row ${row}`);
  switch (event.kind) {
    case 'intend':
      return intend(bench, event, hand);
    case 'send':
      return send(bench, event, hand);
    case 'finish':
      return finish(bench, event, hand);
    case 'stand-back':
      return standBack(bench, slot, hand);
    case 'give-up':
      hand.phase = 'ending';
      hand.end = endOfGivenUp(hand);
      return;
    case 'crash-amid':
      return crashAmid(bench, event, () => (hand.phase === 'planned' ? ask : finishOnce)(bench, slot, hand));
    default:
      return event satisfies never;
  }
}

async function take(bench: Bench, slot: Slot): Promise<void> {
  const { state } = bench;
  const numbers = state.facts.map((_, i) => i + 1);
  const taken = await ledgerOf(bench, slot).take(1, numbers);
  if (taken.closed || taken.state !== 'running') return;
  state.takes += 1;
  const rows = state.facts.map((_, i) =>
    firstLook(bench, i + 1, { mark: taken.marks.get(i + 1), possiblySent: taken.possiblySent }),
  );
  for (const { row, end, doubt } of rows) {
    // The other take is still there: it has lost the chunk with the row in flight.
    const other = handRow(state, slot === 0 ? 1 : 0, row);
    const mayBe = end !== null || doubt !== null;
    if (mayBe && other !== undefined && isInFlight(other)) factsOf(state, row).mayDoubt = true;
  }
  state.atWork[slot].hand = {
    fencingToken: tokenOf(state, slot),
    seen: taken.watermark,
    last: 0,
    isOutOfOrder: false,
    rows,
  };
}

/** Takes of one process are told by their first part, as those of the program. */
function tokenOf({ atWork, takes }: State, slot: Slot): string {
  return `${processOf(atWork[slot].disk)}.t${takes}`;
}

/** A row's first attempt goes in order where nothing can have been sent of it, as the program's rows do. */
async function ask(bench: Bench, slot: Slot, row: RowHand): Promise<string> {
  const { hand } = bench.state.atWork[slot];
  if (hand === null) throw new Error(`slot ${slot} has no chunk`);
  const ledger = ledgerOf(bench, slot);
  const isOutOfOrder = hand.isOutOfOrder || bench.idempotency !== null;
  const isInOrder = row.made === 0 && row.foundMark === '' && row.row > hand.last && !isOutOfOrder;
  if (isInOrder) {
    const { granted } = await ledger.exchange({ ranges: [rangeOf(hand, row, bench.claimed)] });
    const answer = granted.get(row.row);
    if (answer?.kind !== 'unclaimed') return answer?.kind ?? '';
    hand.isOutOfOrder = true;
  }
  return (await grantOf(ledger, intentOf(row, hand.fencingToken))).kind;
}

async function intend(bench: Bench, { slot, heard }: Command, hand: RowHand): Promise<void> {
  const { idempotency } = bench;
  const isResent = hand.unheard;
  // Asked for again as it was.
  if (idempotency !== null && !isResent) {
    if (isForgotten(bench, hand)) {
      Object.assign(hand, { phase: 'ending', end: hand.doubt });
      return;
    }
    if (hand.first !== null && hand.expected === '')
      hand.first = idempotency.first({ idempotency: { header: '', value: hand.first.value } });
  }
  const answer = await ask(bench, slot, hand);
  hand.unheard = !heard;
  if (!heard) return;
  if (answer !== 'granted') {
    factsOf(bench.state, hand.row).withdrawals += 1;
    hand.phase = 'let-go';
    return;
  }
  const chunk = bench.state.atWork[slot].hand;
  const { mark } = intentOf(hand, chunk?.fencingToken ?? '');
  // It won't go: the sender's last look holds it back.
  const isHeldBack = isResent && isForgotten(bench, hand);
  if (!isHeldBack) expectExclusive(bench, hand.row, mark);
  const facts = factsOf(bench.state, hand.row);
  facts.open = [...new Set([...facts.open, mark])];
  if (chunk !== null && hand.made === 0) chunk.last = Math.max(chunk.last, hand.row);
  hand.phase = 'granted';
  hand.before = hand.expected;
  hand.expected = mark;
  hand.made += 1;
}

/** The service knows nothing any more of the value with which the row goes. */
function isForgotten({ idempotency }: Bench, { doubt, first }: RowHand): boolean {
  return doubt !== null && first !== null && idempotency?.isRemembered(first) !== true;
}

/** Nothing was sent under the intent; under the one that it replaced something may have been. */
async function standBack(bench: Bench, slot: Slot, hand: RowHand): Promise<void> {
  if (hand.before === '') await withdraw(bench, slot, hand);
  hand.phase = 'let-go';
}

/** The service makes the entity before it answers; whether the answer arrives is another matter. */
async function send(
  bench: Bench,
  { slot, reply }: Extract<Event, { kind: 'send' }>,
  hand: RowHand,
): Promise<void> {
  const { idempotency } = bench;
  const facts = factsOf(bench.state, hand.row);
  // The sender's last look; of a first attempt, by then its lease has lapsed long ago.
  if (hand.first !== null && idempotency?.isRemembered(hand.first) === false)
    return standBack(bench, slot, hand);
  const isKnown = idempotency !== null && facts.entities.length > facts.forgotten;
  if (!isKnown && (reply === 'accepted' || reply === 'cut-made')) {
    facts.entities.push(`sub-${hand.row}-${facts.entities.length + 1}`);
  }
  if (reply === 'cut-made' || reply === 'cut-unmade') facts.mayDoubt = true;
  hand.phase = 'answered';
  hand.reply = reply;
}

async function finish(bench: Bench, { slot, heard }: Command, hand: RowHand): Promise<void> {
  const next = await finishOnce(bench, slot, hand);
  hand.unheard = !heard;
  if (!heard) return;
  hand.phase = next.kind === 'again' ? 'planned' : 'ended';
  if (next.kind !== 'again') return;
  hand.reply = null;
  hand.doubt = next.doubt;
  if (next.isFree) hand.expected = '';
}

async function finishOnce(bench: Bench, slot: Slot, hand: RowHand): Promise<Next> {
  const facts = factsOf(bench.state, hand.row);
  const next = nextOf(bench, hand, facts.entities.at(-1) ?? '');
  if (next.kind === 'again') {
    if (next.isFree) await withdraw(bench, slot, hand);
    return next;
  }
  const { settled } = next;
  const ledger = ledgerOf(bench, slot);
  const { unrecorded } = await ledger.exchange({ ended: [settled] });
  const { outcome, id } = settled;
  if (!unrecorded.has(hand.row)) facts.recorded = { outcome, id, decided: false };
  expectAcceptedKept(await look(bench), settled);
  return next;
}

/** Proof: nothing was received under the mark. */
async function withdraw(bench: Bench, slot: Slot, { row, expected }: RowHand): Promise<void> {
  const facts = factsOf(bench.state, row);
  facts.open = facts.open.filter((mark) => mark !== expected);
  facts.withdrawals += 1;
  const isGone = await ledgerOf(bench, slot).withdraw({ chunk: 1, row, mark: expected });
  // A Redis that went back in time may have had this intent again, where another take had the row in doubt since.
  if (isGone && facts.recorded?.outcome !== 'created') facts.recorded = null;
}

async function forget({ state }: Bench): Promise<void> {
  state.forgotten = true;
  for (const facts of state.facts) {
    facts.mayDoubt = true;
    facts.forgotten = facts.entities.length;
  }
}

async function close(bench: Bench, { slot, heard }: Command): Promise<void> {
  const worker = bench.state.atWork[slot];
  const rows = worker.hand?.rows ?? [];
  if (rows.every(({ phase }) => phase === 'ended')) await ledgerOf(bench, slot).close(1, rows.length);
  if (heard) worker.hand = null;
}
