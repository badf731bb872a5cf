import { describe, expect, test } from 'vitest';
import { createSenderPace, type SenderLoad } from '../../src/delivery/sender-pace.ts';

/** The pace of a run that has sent `perMs` rows a millisecond for a while; 50 rows ready at most. */
function paceAt(perMs: number) {
  let now = 0;
  const pace = createSenderPace(() => now, 50);
  for (let ask = 0; ask < 50; ask += 1) {
    now += 10;
    for (let row = 0; row < perMs * 10; row += 1) pace.launched();
    pace.asked();
  }
  return (line: Partial<SenderLoad>) =>
    pace.wanted({ waiting: 1000, ready: 0, free: 0, isContested: false, ...line });
}

describe('at the beginning', () => {
  const wanted = paceAt(0);

  test.each([
    ['as many as there are permits', { free: 20 }, 20],
    ['no more than wait', { free: 20, waiting: 3 }, 3],
    ['none where all permits are taken: the next reply asks again', {}, 0],
    ['two where the permits are others’', { isContested: true }, 2],
    ['one where only one waits for permits of others', { isContested: true, waiting: 1 }, 1],
    ['no more where those are ready', { isContested: true, ready: 2 }, 0],
  ])('%s', (_, line, rows) => {
    expect(wanted(line)).toBe(rows);
  });
});

describe('on a service that is', () => {
  test.each([
    ['slow: none ahead of its permit', 0.2, {}, 0],
    ['so fast that four go out within four milliseconds: as many', 1.1, {}, 4],
    ['the same, with half of them there: nothing yet', 1.1, { ready: 2 }, 0],
    ['the same, with the last one waiting', 1.1, { ready: 3, waiting: 1 }, 1],
    ['very fast: no more than may be in flight', 100, {}, 50],
    ['very fast: as many as are lacking, in batches', 100, { ready: 20 }, 30],
    ['very fast: nothing before half are gone', 100, { ready: 30 }, 0],
  ])('%s', (_, perMs, line, rows) => {
    expect(paceAt(perMs)(line)).toBe(rows);
  });
});
