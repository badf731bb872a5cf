import { groupAdjacent } from '../lib/batches.ts';
import type { Intent } from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import { type SharedMark, sharedMark } from './mark.ts';
import { fieldsPlace, identityPlace } from './settle-entry.ts';

/** An intent with the place of its key's identity, `''` for none. */
export type PlacedIntent = {
  readonly intent: Intent;
  readonly shared: SharedMark;
  readonly bucket: string;
  readonly digest: string;
};

export function placedIntent(intent: Intent, keys: LedgerKeys): PlacedIntent {
  const { identity } = intent;
  const shared = sharedMark(intent.mark, intent.row);
  if (identity === null) return { intent, shared, bucket: '', digest: '' };
  const { bucket, digest } = identityPlace(keys, identity);
  return { intent, shared, bucket, digest };
}

/** ARGV of the script INTEND from its third on: what rows of one take of a chunk share is said once. */
export function intendArguments(rows: readonly PlacedIntent[], keys: LedgerKeys): (string | number)[] {
  const follows = rows.some(({ intent }) => intent.fields !== null);
  const args: (string | number)[] = [follows ? 1 : 0];
  for (const group of groupAdjacent(rows, areOfOneTake)) {
    const { intent: first, shared } = group[0];
    const { chunk, expected, repeatable } = first;
    args.push(chunk, shared.text, shared.isNumbered, expected, repeatable ? 1 : 0, group.length);
    for (const { intent, bucket, digest } of group) {
      args.push(intent.row, bucket, digest);
      if (follows) args.push(...fieldsArguments(intent, keys));
    }
  }
  return args;
}

function areOfOneTake(
  { intent: a, shared: x }: PlacedIntent,
  { intent: b, shared: y }: PlacedIntent,
): boolean {
  const isOneMark = a.chunk === b.chunk && x.text === y.text && x.isNumbered === y.isNumbered;
  return isOneMark && a.expected === b.expected && a.repeatable === b.repeatable;
}

function fieldsArguments({ fields }: Intent, keys: LedgerKeys): readonly string[] {
  if (fields === null) return ['', '', '', ''];
  const { bucket, digest } = fieldsPlace(keys, fields);
  return [bucket, digest, fields.before, fields.own];
}
