import { describe, expect, test } from 'vitest';
import { createSenderPace, type SenderLoad } from '../../src/delivery/sender-pace.ts';

/** The pace of a run that has sent `perMs` rows a millisecond for a while. */
function paceAt(perMs: number) {
  let now = 0;
  const pace = createSenderPace(() => now);
  for (let ask = 0; ask < 50; ask += 1) {
    now += 10;
    for (let row = 0; row < perMs * 10; row += 1) pace.launched();
    pace.asked();
  }
  return (line: Partial<SenderLoad>) =>
    pace.wanted({ waiting: 1000, ready: 0, free: 0, isContested: false, hasRate: false, ...line });
}

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
    ['slow: none ahead of its permit', 0.1, {}, 0],
    ['so fast that four go out within eight milliseconds: as many', 0.55, {}, 4],
    ['the same, with half of them there: nothing yet', 0.55, { ready: 2 }, 0],
    ['the same, with the last one waiting', 0.55, { ready: 3, waiting: 1 }, 1],
    ['very fast: a hundred', 100, {}, 100],
    ['very fast, under a rate: those that have their turn', 100, { hasRate: true, free: 3 }, 3],
    ['very fast: as many as are lacking, in batches', 100, { ready: 40 }, 60],
    ['very fast: nothing before half are gone', 100, { ready: 60 }, 0],
  ])('%s', (_, perMs, line, rows) => {
    expect(paceAt(perMs)(line)).toBe(rows);
  });
});
