import { textReader } from './json-object.ts';
import type { MatchedCall } from './match-call.ts';
import type { ReceivedBody } from './read-body.ts';
import type { EntityKind } from './records.ts';
import { DEFAULT_KEY_POINTERS } from './sandbox-options.ts';

/** The key that a request is about, `null` where it has none. */
export type KeyReader = (matched: MatchedCall, body: ReceivedBody) => string | null;

/** Finds the key by JSON pointers in the body of what is to be made, and in the path of all else. */
export function createKeyReader(
  pointers: Partial<Readonly<Record<EntityKind, readonly string[]>>>,
): KeyReader {
  const keyOfSubclient = textReader(pointers.subclient ?? DEFAULT_KEY_POINTERS.subclient);
  const keyOfDraft = textReader(pointers.draft ?? DEFAULT_KEY_POINTERS.draft);
  return ({ call, id }, body) => {
    const value = body.kind === 'json' ? body.value : null;
    switch (call) {
      case 'subclient.create':
        return keyOfSubclient(value);
      case 'counterparty.draft':
        return keyOfDraft(value);
      case 'subclient.update':
      case 'payment.documents':
        return id;
      default:
        return call satisfies never;
    }
  };
}
