import { describe, expect, test } from 'vitest';
import { MEASUREMENTS } from './figures.ts';
import { type BenchOptions, FULL, LONG, parseBenchArguments, QUICK } from './options.ts';

function optionsOf(...args: readonly string[]): BenchOptions {
  const request = parseBenchArguments(args, '/checkout');
  if (request.kind !== 'bench') throw new Error(`not to be measured: ${request.kind}`);
  return request.options;
}

describe('the command line', () => {
  test('without flags measures all but the long ones, on the built program', () => {
    const { measurements, sizes, program, writesDocs } = optionsOf();
    expect(measurements).toEqual(MEASUREMENTS.filter((id) => !LONG.has(id)));
    expect(sizes).toEqual(FULL);
    expect(program).toBe('/checkout/dist/main.js');
    expect(writesDocs).toBe(false);
  });

  test.each([['--long'], ['--write']])('%s measures the long ones, too', (flag) => {
    expect(optionsOf(flag).measurements).toEqual(MEASUREMENTS);
  });

  test('--only takes measurements and figures, in the order of the table', () => {
    expect(optionsOf('--only', 'check,bare').measurements).toEqual(['bare', 'check']);
    expect(optionsOf('--only', 'memory-redis,memory').measurements).toEqual(['million']);
  });

  test('numbers of its own are kept, also beside --quick', () => {
    const rows = ['--rows', '300', '--worker-rows', '200', '--long-rows', '3000'];
    expect(optionsOf('--quick', ...rows, '--rounds', '1').sizes).toEqual({
      ...QUICK,
      rows: 300,
      rowsPerWorker: 200,
      longRows: 3_000,
      rounds: 1,
    });
  });

  test('--render and --help measure nothing', () => {
    expect(parseBenchArguments(['--render'], '/checkout')).toEqual({ kind: 'render' });
    expect(parseBenchArguments(['--help', '--write'], '/checkout')).toEqual({ kind: 'help' });
  });

  test('--scale measures all that it measures, also into docs/', () => {
    const request = parseBenchArguments(['--scale', '--write'], '/checkout');
    expect(request).toMatchObject({ kind: 'scale', options: { writesDocs: true } });
  });

  test.each([
    [['--scale', '--only', 'bare'], '--scale: expected no --only'],
    [['--only', 'bar'], '--only bar: expected some of bare, '],
    [['--only', 'wrokers'], 'Did you mean "workers"?'],
    [['--rows', '0'], '--rows 0: expected a whole number from 1'],
    [['--rounds', '1.5'], '--rounds 1.5: expected a whole number from 1'],
    [['--write', '--quick'], '--write: expected none of --only, --quick, --long-rows and --program'],
    [['--write', '--only', 'bare'], '--write: expected none of'],
    [['--write', '--long-rows', '3000'], '--write: expected none of'],
    [['--fast'], "'--fast'"],
  ])('%j is refused: %s', (args, words) => {
    expect(() => optionsOf(...args)).toThrow(words);
  });
});
