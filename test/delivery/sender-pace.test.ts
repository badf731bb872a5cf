import { describe, expect, test } from 'vitest';
import { createSenderPace } from '../../src/delivery/sender-pace.ts';

const ROUND_MS = 200;
const LOAD = { waiting: 1000, ready: 0, free: 0, isContested: false, hasRate: false };

/** The pace of a run that has sent `perMs` rows a millisecond for a while, and had to wait so long for the ledger's answers. */
function paceAt(perMs: number, answerMs = 2) {
  let now = 0;
  const pace = createSenderPace(() => now);
  for (let ask = 0; ask < 50; ask += 1) {
    pace.asked();
    now += answerMs;
    pace.answered();
    for (let row = 0; row < perMs * ROUND_MS; row += 1) pace.launched();
    now += ROUND_MS - answerMs;
    pace.wanted(LOAD);
  }
  return (line: Partial<typeof LOAD>) => pace.wanted({ ...LOAD, ...line });
}

test('the rows that begin a run, all at once, are no pace', () => {
  let now = 0;
  const pace = createSenderPace(() => now);
  const sent = (rows: number, ms: number) => {
    for (let row = 0; row < rows; row += 1) pace.launched();
    now += ms;
    return pace.wanted(LOAD);
  };
  expect(sent(50, 2)).toBe(0);
  expect(sent(0, 197)).toBe(0);
  expect(sent(0, 1)).toBe(8);
  expect(sent(10, 199)).toBe(8);
  expect(sent(0, 1)).toBe(0);
});

describe('at the beginning', () => {
  const wanted = paceAt(0);

  test.each([
    ['as many as there are permits', { free: 20 }, 20],
    ['no more than wait', { free: 20, waiting: 3 }, 3],
    ['none where all permits are taken: the next reply asks again', {}, 0],
    ['two where the permits are others’', { isContested: true }, 2],
    ['one where only one waits for permits of others', { isContested: true, waiting: 1 }, 1],
    ['none under a rate, where the permits are others’', { isContested: true, hasRate: true }, 0],
    ['no more where those are ready', { isContested: true, ready: 2 }, 0],
  ])('%s', (_, line, rows) => {
    expect(wanted(line)).toBe(rows);
  });
});

describe('on a service that is', () => {
  test.each([
    ['slow: none ahead of its permit', 0.12, {}, 0],
    ['so fast that four go out within 32 milliseconds: as many', 0.13, {}, 4],
    ['faster: more', 0.55, {}, 17],
    [
      'the same, with no more of them there than go out in twice the time of an answer: the others',
      0.55,
      { ready: 2 },
      15,
    ],
    ['the same, with one more there: nothing yet', 0.55, { ready: 3 }, 0],
    ['the same, with the last one waiting', 0.55, { ready: 16, waiting: 1 }, 1],
    ['very fast: a hundred', 100, {}, 100],
    ['very fast, under a rate: those that have their turn', 100, { hasRate: true, free: 3 }, 3],
    ['very fast: as many as are lacking, in batches', 100, { ready: 40 }, 60],
    ['very fast: nothing before half are gone', 100, { ready: 60 }, 0],
  ])('%s', (_, perMs, line, rows) => {
    expect(paceAt(perMs)(line)).toBe(rows);
  });

  test.each([
    ['with half of them there: the other half', { ready: 8 }, 9],
    ['with one more there: nothing yet', { ready: 9 }, 0],
  ])('as fast, where the ledger is slow, %s', (_, line, rows) => {
    expect(paceAt(0.55, 20)(line)).toBe(rows);
  });
});
