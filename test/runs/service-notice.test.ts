import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BreakerReport } from '../../src/engine/ledger/breaker.ts';
import { createServiceNotice, serviceAlarm, serviceWords } from '../../src/runs/service-notice.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';

const NOTHING = { cause: null, since: null, failedAt: null, nextAt: null, heldUntil: null, tokenUntil: null };
const WELL: BreakerReport = { ...NOTHING, state: 'well', failuresInARow: 0, isProbing: false };
const since = '2026-11-21T20:30:51.000Z';
const cause = 'The service refused the connection. Nothing was sent (ECONNREFUSED).';
const failing = (failuresInARow: number, at = since): BreakerReport => ({
  ...WELL,
  state: 'failing',
  failuresInARow,
  since: at,
  cause,
});
const AWAY: BreakerReport = { ...failing(10), state: 'away' };

const SAID = {
  failing: `The service at https://api.example.com: 2 failures in a row since 20:30:51 UTC. ${cause} Its rows go on by themselves when it answers.`,
  away: `The service at https://api.example.com is away since 20:30:51 UTC, 10 failures in a row; the next row tries. ${cause}`,
  again: 'The service answers again.',
};

/** What a history is told of besides. */
const turns: string[] = [];

/** What is told when the looks, a second apart, find these. */
async function told(reports: readonly BreakerReport[]): Promise<string[]> {
  const io = memoryIo();
  const clock = { ms: Date.now() };
  let reads = 0;
  const read = async () => reports[reads++] ?? WELL;
  const turned = (now: string, why: string) => turns.push(`${now} ${why}`.trim());
  const notice = createServiceNotice(io, { target: sampleRun().target, read, turned }, () => clock.ms);
  for (const i of reports.keys()) {
    clock.ms += 1_000;
    notice.update();
    notice.update();
    await setImmediate();
    expect(reads).toBe(i + 1);
  }
  await notice.gaveUp();
  return io.stderr.text.split('\n').slice(0, -2);
}

test('a second failure in a row is told with its cause, and that answers come again', async () => {
  expect(await told([WELL, failing(1), failing(2), failing(3), WELL])).toEqual([SAID.failing, SAID.again]);
});

test('an outage is told when it is one, after its first failure', async () => {
  turns.length = 0;
  expect(await told([failing(1), failing(2), AWAY, AWAY, WELL])).toEqual([
    SAID.failing,
    SAID.away,
    SAID.again,
  ]);
  expect(turns).toEqual([`failing ${cause}`, `away ${cause}`, 'well']);
});

test('single failures among rows that go through are not told', async () => {
  const [one, other] = [52, 53].map((second) => failing(1, `2026-11-21T20:30:${second}.000Z`));
  const reports = [WELL, one ?? WELL, other ?? WELL, WELL];
  expect(await told(reports)).toEqual([]);
});

test('a failure from before this process is not told until there is another', async () => {
  expect(await told([failing(3), failing(3), failing(3)])).toEqual([]);
  expect(await told([failing(3), failing(4)])).toHaveLength(1);
});

test('a limit that holds is told once after half a minute of short holds, and that it is over', async () => {
  const held = (): BreakerReport => ({
    ...WELL,
    state: 'held',
    heldUntil: new Date(Date.now() + 2_000).toISOString(),
  });
  const looks = Array.from({ length: 45 }, (_, i) => (i % 3 === 2 ? WELL : held()));
  turns.length = 0;
  expect(await told([...looks, ...Array.from({ length: 12 }, () => WELL)])).toEqual([
    'The service at https://api.example.com limits this caller: it asks for a pause again and again (429, Retry-After). Rows wait as it says, none is lost, and they go on by themselves.',
    'The service limits this caller no more.',
  ]);
  expect(turns).toEqual(['held it asks for a pause again and again (429, Retry-After)', 'well']);
});

test('the end of a long hold is told as soon as it comes: one pause is not one again and again', async () => {
  const heldUntil = new Date(Date.now() + 40_000).toISOString();
  const held: BreakerReport = { ...WELL, state: 'held', heldUntil, nextAt: heldUntil };
  const lines = await told([...Array.from({ length: 39 }, () => held), WELL]);
  expect(lines.slice(1)).toEqual(['The pause that the service asked for is over: rows go on.']);
});

test('a long hold is told once with its date, and that it is over; a short one is not', async () => {
  const held = (seconds: number): BreakerReport => {
    const heldUntil = new Date(Date.now() + seconds * 1000).toISOString();
    return { ...WELL, state: 'held', heldUntil, nextAt: heldUntil };
  };
  const long = held(300);
  const time = `${long.heldUntil?.slice(0, 10)} ${long.heldUntil?.slice(11, 19)} UTC`;
  const words = `The service at https://api.example.com has asked for a pause until ${time}: nothing is sent before.`;
  const over = 'The pause that the service asked for is over: rows go on.';
  expect(await told([WELL, long, long, WELL])).toEqual([words, over]);
  expect(await told([WELL, held(5), held(5), WELL])).toEqual([]);
});

test('a refused token is told once; whether another came tells the run', async () => {
  const refused: BreakerReport = { ...WELL, state: 'refused', tokenUntil: '2026-11-21T20:33:00.000Z' };
  const words =
    'The service at https://api.example.com has refused the token (401): another is asked for until 20:33:00 UTC. Nothing is sent meanwhile.';
  expect(await told([WELL, refused, refused, WELL])).toEqual([words]);
});

const nextAt = '2026-11-21T20:31:07.000Z';
const CAUSE = "The service's name could not be resolved. Nothing was sent (ENOTFOUND)";

test.each<[Partial<BreakerReport>, string]>([
  [{}, 'no outage known'],
  [{ state: 'failing', failuresInARow: 1, since }, '1 failure in a row since 20:30:51 UTC'],
  [
    { state: 'failing', failuresInARow: 2, since, cause: 'The service answered 503.' },
    '2 failures in a row since 20:30:51 UTC. The service answered 503',
  ],
  [
    { state: 'away', isProbing: true, cause: 'The token is another one' },
    'tried with one row first; one row is trying, the others wait. The token is another one',
  ],
  [{ state: 'held', heldUntil: nextAt }, 'asked for a pause until 2026-11-21 20:31:07 UTC'],
  [
    { state: 'away', failuresInARow: 12, since, nextAt, cause: CAUSE },
    `away since 20:30:51 UTC, 12 failures in a row; one row tries at 20:31:07 UTC, the others wait. ${CAUSE}`,
  ],
  [
    { state: 'away', failuresInARow: 12, since, isProbing: true, nextAt },
    'away since 20:30:51 UTC, 12 failures in a row; one row is trying, the others wait',
  ],
  [
    { state: 'away', failuresInARow: 12, since, cause: CAUSE },
    `away since 20:30:51 UTC, 12 failures in a row; the next row tries. ${CAUSE}`,
  ],
])('of %j says %s', (report, words) => {
  expect(serviceWords({ ...WELL, ...report })).toBe(words);
});

const at = (second: number) => `2026-11-21T20:30:${second}.000Z`;
const seen = (failuresInARow: number, over: Partial<BreakerReport> = {}) =>
  ({ ...failing(failuresInARow, at(30)), failedAt: at(50), cause: 'No answer.', ...over }) as const;

test.each<[string, BreakerReport, number, string]>([
  ['nothing', WELL, 0, 'no outage known'],
  ['two failures', seen(2), 0, 'no outage known'],
  ['a third', seen(3), 0, '! for 25 s: 3 failures in a row since 2026-11-21 20:30:30 UTC. No answer'],
  [
    'it, a minute later',
    seen(3),
    55,
    '! for 1 min 20 s: 3 failures in a row since 2026-11-21 20:30:30 UTC. No answer',
  ],
  ['it, once nothing has failed for longer', seen(3), 56, 'no outage known'],
  [
    'an outage with nothing to try',
    seen(12, { state: 'away' }),
    65,
    'for 1 min 30 s: away since 2026-11-21 20:30:30 UTC, 12 failures in a row; the next row tries. No answer',
  ],
  [
    'a pause',
    { ...WELL, state: 'held', heldUntil: at(59) },
    0,
    '! asked for a pause until 2026-11-21 20:30:59 UTC',
  ],
])(
  'a page that is looked at shows of %s how long it lasts, as long as it lasts',
  (_, report, later, words) => {
    const { words: shown, isWell } = serviceAlarm(report, Date.parse(at(55)) + 1000 * later);
    expect(`${isWell ? '' : '! '}${shown}`).toBe(words);
  },
);

test('one failure that this process waits out is told once it has lasted for a second', async () => {
  const io = memoryIo();
  const clock = { ms: 0 };
  const service = { target: 'https://api.example.com', read: async () => failing(1) };
  const notice = createServiceNotice(io, { ...service, pausesIn: async () => 30_000 }, () => clock.ms);
  const said: string[] = [];
  for (; clock.ms < 2_000; clock.ms += 1_000) {
    notice.update();
    await setImmediate();
    said.push(io.stderr.text.slice(0, 70));
  }
  expect(said).toEqual(['', 'The service at https://api.example.com: 1 failure in a row since 20:30']);
});

test.each(['failing', 'away'] as const)('of an outage it is told when the run pauses: %s', async (state) => {
  const io = memoryIo();
  const reports = [failing(1), state === 'away' ? AWAY : failing(2)];
  const clock = { ms: 0 };
  const service = { target: 'https://api.example.com', read: async () => reports.shift() ?? WELL };
  const notice = createServiceNotice(io, { ...service, pausesIn: async () => 30_000 }, () => clock.ms);
  const before = Date.now();
  notice.update();
  await setImmediate();
  clock.ms = 1_000;
  notice.update();
  await setImmediate();
  const told = / Without an answer the run pauses at (\d\d:\d\d:\d\d) UTC\.\n$/.exec(io.stderr.text)?.[1];
  const due = [before, Date.now()].map((ms) => new Date(ms + 30_000).toISOString().slice(11, 19));
  expect(due).toContain(told);
});
