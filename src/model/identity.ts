/**
 * What a row is known by across runs, so that no record is created twice: its external key, or its
 * content where the job names no key. Each row claims it while its file is read (`KeyClaim`); later
 * others ask what became of it (`KeyState`).
 */
import { z } from 'zod';
import { type Run, runStateSchema } from './run.ts';

/** What a row without a key maps to, and which of the rows of its file that map to it it is. */
export const rowContentSchema = z.object({
  /** SHA-256 in hex, cut: the ledger digests it once more, as it does keys. */
  digest: z.string(),
  /** Left out: the first. */
  nth: z.number().int().min(2).optional(),
});
export type RowContent = z.infer<typeof rowContentSchema>;

/**
 * For rows of a job that names no key. `rowContent` left out: the row doesn't map, its record is
 * lost, or its run goes by places. `null`: nothing may be created of the row.
 */
export function identityWithoutKey(
  run: Pick<Run, 'sha256' | 'identity'>,
  row: number,
  rowContent: RowContent | undefined,
): string | null {
  if (rowContent !== undefined) return `content:${rowContent.digest}:${rowContent.nth ?? 1}`;
  return run.identity === 'content' ? null : identityByPlace(run, row);
}

/** Where nothing is created, and in runs that were begun before rows went by their content. */
export function identityByPlace({ sha256 }: Pick<Run, 'sha256'>, row: number): string {
  return `${sha256}:${row}`;
}

/** The ledger's answer to a row's claim. */
export const keyClaimSchema = z.discriminatedUnion('kind', [
  /** The row has its key, or none to claim. */
  z.object({ kind: z.literal('claimed') }),
  /** An earlier row of the same file has the key. */
  z.object({ kind: z.literal('duplicate'), row: z.number().int().positive() }),
  /** An earlier row has another text of the same normal form; `run`: `null` for this file's. */
  z.object({
    kind: z.literal('alike'),
    run: z.string().nullable(),
    row: z.number().int().positive(),
  }),
  /** The job groups rows, and another row of this key stands apart. */
  z.object({ kind: z.literal('apart'), row: z.number().int().positive() }),
  /** An earlier run created a record with this id under the key. */
  z.object({
    kind: z.literal('known'),
    run: z.string(),
    id: z.string(),
    /** What the service has of it (content.ts); absent: not known. */
    content: z.string().optional(),
  }),
  /** Another run's row has the key and is not done, or is in doubt. */
  z.object({
    kind: z.literal('held'),
    run: z.string(),
    row: z.number().int().positive(),
    inDoubt: z.boolean(),
    /** At the claim; absent: that run's record is gone. */
    state: runStateSchema.optional(),
  }),
]);
export type KeyClaim = z.infer<typeof keyClaimSchema>;

/** A row that has an account that another names, too. */
const accountHolderSchema = z.object({
  /** `null`: the very run. */
  run: z.string().nullable(),
  row: z.number().int().positive(),
  isSameName: z.boolean(),
  /** Perhaps. */
  isSent: z.boolean(),
  /** Both come from one delivery, corrections and reruns included. */
  isOfDelivery: z.boolean(),
});
export type AccountHolder = z.infer<typeof accountHolderSchema>;

/** What a row that creates a record found of its accounts in their index. */
export const accountClaimSchema = z.object({
  /** Digests of all that it names. */
  named: z.array(z.string()),
  /** Of the rows that name one of them: the one that says most. */
  other: accountHolderSchema.optional(),
});
export type AccountClaim = z.infer<typeof accountClaimSchema>;

/** Of an account in its index: 72 bits; the digest of a name follows. */
export const ACCOUNT_DIGEST = 12;

/** Of one account, which are kept. */
export const MOST_HOLDERS = 20;

/** Of one account that a row names: the rows that name it, in the order of their claims. */
export type Met = {
  readonly digest: string;
  readonly others: readonly AccountHolder[];
};

/** What says most: that a known payee has it comes before what the row's own file says. */
export function claimWith(met: readonly Met[]): AccountClaim {
  const told = met.flatMap(({ others }) => tellingOf(others) ?? []);
  const anothers = told.find(isAnothers);
  const beside = told.find((one) => !isSame(one));
  const other = anothers ?? beside ?? told[0];
  const named = met.map(({ digest }) => digest);
  return other === undefined ? { named } : { named, other };
}

/** A payee that was sent with this very account and name has nothing new in another's. */
function tellingOf(others: readonly AccountHolder[]): AccountHolder | undefined {
  const beside = others.filter((one) => one.isOfDelivery);
  const known = others.filter((one) => !one.isOfDelivery);
  const repeated = known.filter(isSame);
  const sent = repeated.find((one) => one.isSent);
  const another = known.find(isAnothers);
  const ofFile = beside.find(isSame) ?? beside[0];
  return sent ?? another ?? repeated[0] ?? ofFile;
}

function isSame({ isSameName }: AccountHolder): boolean {
  return isSameName;
}

/**
 * Whether money for the row would go to who is known under another name. That one file, with what
 * came of it, has an account twice is its sender's word: told, and not in doubt by itself.
 */
export function isAnothers({ isSameName, isOfDelivery }: AccountHolder): boolean {
  return !isSameName && !isOfDelivery;
}

/** `alike`: the row's key has another text of the same normal form. */
export type KeyState =
  | {
      readonly kind: 'known';
      readonly run: string;
      readonly row: number;
      readonly id: string;
      /** What the service has of it (content.ts); absent: not known. */
      readonly content?: string;
      readonly alike?: true;
    }
  /** A row has the key and is not done yet, or is in doubt. */
  | {
      readonly kind: 'held';
      readonly run: string;
      readonly row: number;
      readonly inDoubt: boolean;
      readonly alike?: true;
    }
  /** A row had the key, and its record was not created. */
  | { readonly kind: 'given-back'; readonly run: string; readonly row: number; readonly alike?: true }
  | { readonly kind: 'free' };

export const FREE: KeyState = { kind: 'free' };

/** An earlier row of the same run that has the key; `isAlike`: in another text. */
type FirstOfRun = { readonly row: number; readonly isAlike: boolean };

/**
 * What keeps a row of a run from its key. A key of another text is nobody's to claim; a run's own
 * second row is a duplicate, whatever became of the first; then the key goes to whoever has it.
 */
export function claimOf(state: KeyState, run: string | null, firstOfRun: () => FirstOfRun | null): KeyClaim {
  const isOthers = (state.kind === 'known' || state.kind === 'held') && state.run !== run;
  if (isOthers && state.alike === true) return { kind: 'alike', run: state.run, row: state.row };

  const first = firstOfRun();
  if (first?.isAlike === true) return { kind: 'alike', run: null, row: first.row };
  if (first !== null) return { kind: 'duplicate', row: first.row };

  if (!isOthers) return { kind: 'claimed' };
  if (state.kind === 'known') return knownClaim(state);
  return { kind: 'held', run: state.run, row: state.row, inDoubt: state.inDoubt };
}

type KnownKey = Extract<KeyState, { kind: 'known' }>;

function knownClaim({ run, id, content }: KnownKey): KeyClaim {
  return content === undefined ? { kind: 'known', run, id } : { kind: 'known', run, id, content };
}
