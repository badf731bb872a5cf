import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests start whole programs, and wait for them. */
const WITH_PROGRAMS = /\/test\/(?:flow|faults)\//;
/** Those that take half a minute and more, most of it in waiting. */
const LONGEST = [
  'faults/model',
  'faults/two-machines',
  'faults/crash-points',
  'faults/redis-away',
  'faults/redis-past',
  'faults/kill-kinds',
  'flow/control',
  'flow/redis-failover',
  'engine/recovery/epoch',
].map((name) => `/test/${name}.test.ts`);

/**
 * The files that take long come first, and hundreds that take a second fill the workers up at the end. Vitest itself
 * goes by a file's size where it has not seen how long it takes: in a fresh clone the longest were the last.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  if (LONGEST.some((end) => moduleId.endsWith(end))) return 0;
  return WITH_PROGRAMS.test(moduleId) ? 1 : 2;
}
