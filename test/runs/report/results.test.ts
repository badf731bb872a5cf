import { describe, expect, it } from 'vitest';
import { createRejections, documentLines } from '../../../src/runs/report/results.ts';
import { settled } from './make-report.ts';

describe('documentLines', () => {
  it('given records, gives each as it was received: no number is rounded, no member goes', () => {
    const records =
      '[ {"id":"d 1\\\\\\"","size":12345678901234567890},\n {"id":"d2",\n"a":1,"a":[2,"]"]} , 7]';
    expect(documentLines(settled(3, 'listed', { id: 'p"1' }), records)).toBe(
      '{"row":3,"paymentId":"p\\"1","document":{"id":"d 1\\\\\\"","size":12345678901234567890}}\n' +
        '{"row":3,"paymentId":"p\\"1","document":{"id":"d2","a":1,"a":[2,"]"]}}\n' +
        '{"row":3,"paymentId":"p\\"1","document":7}\n',
    );
  });

  it('given a settlement without an id, names the payment by its key', () => {
    expect(documentLines(settled(3, 'listed', { key: 'pay-9' }), '[{}]')).toBe(
      '{"row":3,"paymentId":"pay-9","document":{}}\n',
    );
  });
});

describe('a line of rejections.jsonl', () => {
  const rejectionLine = createRejections('r');

  it.each(['{"e":\r\n [1.0]}', '', 'not JSON \u2028 at all\n'])('given %j, keeps it verbatim', (body) => {
    const line = rejectionLine({
      settlement: settled(2, 'rejected', { status: 418 }),
      source: null,
      body: { text: body, restBytes: 0 },
    });
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({ run: 'r', row: 2, line: 3, key: 'k2', status: 418, body });
  });

  it('given the beginning of a body, says how many bytes followed it', () => {
    const settlement = settled(2, 'rejected', { status: 418 });
    const line = rejectionLine({ settlement, source: null, body: { text: 'no', restBytes: 7_934_464 } });
    expect(JSON.parse(line)).toMatchObject({ body: 'no', restBytes: 7_934_464 });
  });
});
