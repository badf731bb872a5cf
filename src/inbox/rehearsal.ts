import { SANDBOX_TARGET } from '../delivery/target.ts';
import type { Entry } from './entry.ts';

/** What a rehearsal knows of the files that it took and put back, so that it takes none of them again. */
export type Rehearsal = {
  /** Whether files are taken for the built-in stand-in, and so stay in their inboxes in the end. */
  readonly isOn: boolean;
  remember(inbox: string, path: string, stamp: string): void;
  has(inbox: string, entry: Pick<Entry, 'path' | 'stamp'>): boolean;
};

export function createRehearsal(target: string): Rehearsal {
  const known = new Set<string>();
  const keyOf = (...parts: readonly string[]) => parts.join('\n');
  return {
    isOn: target === SANDBOX_TARGET,
    remember(inbox, path, stamp) {
      known.add(keyOf(inbox, path, stamp));
    },
    has: (inbox, { path, stamp }) => known.has(keyOf(inbox, path, stamp)),
  };
}
