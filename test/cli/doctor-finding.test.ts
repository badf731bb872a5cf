import { expect, test } from 'vitest';
import { ok, problem, renderFindings, warning } from '../../src/cli/doctor-finding.ts';

const fine = ok('node', '22.1.0');
const odd = warning('home', 'others may read it', 'chmod');
const bad = problem('redis', 'is away', 'Start it.');

test.each([
  ['nothing', [fine], 'All is well.'],
  ['a warning', [fine, odd], 'No problem, 1 warning.'],
  ['a problem', [fine, odd, bad], '1 problem, 1 warning: mend the problems before a run.'],
] as const)('with %s the last line says as much, and no more', (_, findings, sum) => {
  expect(renderFindings(findings).at(-1)).toBe(sum);
});
