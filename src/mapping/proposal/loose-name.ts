import { foldName } from '../fold-name.ts';

/** A name without case, spaces and punctuation: `Post-Code` and `post code` are the same. */
export function looseName(name: string): string {
  return foldName(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
