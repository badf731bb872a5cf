import { expect, test } from 'vitest';
import { filesBelow, textOf } from '../house/source-files.ts';
import { startFlow } from '../support/flow.ts';

/** Vitest's own hook by this name belongs to whichever test began last. */
const GLOBAL_HOOK = /^import \{[^}]*\bonTest(?:Finished|Failed)\b[^}]*\} from 'vitest';/m;
const CONCURRENT = /^\s*(?:describe|test)\.concurrent\b/m;

test('a file with concurrent tests uses the hooks of their contexts only', () => {
  const files = filesBelow('test').filter((file) => CONCURRENT.test(textOf(`test/${file}`)));
  expect(files.filter((file) => GLOBAL_HOOK.test(textOf(`test/${file}`)))).toEqual([]);
});

test('supports leave it to who calls them which test they belong to', () => {
  const strays = filesBelow('test/support').filter((file) =>
    GLOBAL_HOOK.test(textOf(`test/support/${file}`)),
  );
  expect(strays).toEqual(['at-test-end.ts']);
});

test.concurrent('a concurrent test that starts something with a global hook is told so', async () => {
  await expect(startFlow()).rejects.toThrow('of its own context');
});
