import { onTestFinished, type TestContext, TestRunner } from 'vitest';

/** Registers what is done when a test has ended: vitest's `onTestFinished`, or that of one test's context. */
export type AtTestEnd = (work: (context: TestContext) => Promise<void> | void) => void;

/**
 * For tests that run one after the other. The global hook belongs to whichever test began last, so a concurrent test
 * would take away what another one works with: it is refused here, and gives the `onTestFinished` of its own context.
 */
export const atTestEnd: AtTestEnd = (work) => {
  if (TestRunner.getCurrentTest()?.concurrent === true)
    throw new Error('a concurrent test hands over the onTestFinished of its own context');
  onTestFinished(work);
};
