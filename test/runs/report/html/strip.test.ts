import { expect, test } from 'vitest';
import { Strip } from '../../../../src/lib/chart/strip.tsx';

test('a single row of a part of many is seen, whatever else fills the part', () => {
  const kinds = [
    { kind: 'created', parts: [999, 1000] },
    { kind: 'rejected', parts: [1, 0] },
  ];
  const html = String(Strip({ title: '', kinds, rows: 2_000 }));
  expect([...html.matchAll(/ d="([^"]*)"/g)].map(([, d]) => d)).toEqual([
    'M0 100V2h1V100zM1 100V0h1V100z',
    'M0 2V0h1V2z',
  ]);
});
