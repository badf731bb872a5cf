import { expect, test } from 'vitest';
import { fillPage, readResults } from '../../bench/documents.ts';
import { ROOT, textOf } from '../house/source-files.ts';

test('docs/performance.md says what performance.json holds', async () => {
  const page = textOf('docs/performance.md');
  const published = await readResults(`${ROOT}/docs`);
  expect(fillPage(page, published), '`npm run bench -- --render` writes it again').toBe(page);
});
