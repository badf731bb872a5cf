import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { programVersion } from '../../src/lib/version.ts';

test('the version is the one of package.json', () => {
  const packageJson = readFileSync('package.json', 'utf8');
  expect(packageJson).toContain(`"version": "${programVersion()}"`);
  expect(programVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
