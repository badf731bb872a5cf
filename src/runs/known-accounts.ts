/**
 * Old and new accounts of rows that are held for that (`account_changed`), the last four signs of
 * each, for who decides on them. The ledger has digests alone: what is known is read from the file
 * of the run that created the record, where it lies unchanged, and told only where it has the very
 * digests that are known. Of other records nothing is told.
 */
import { mappingFor, readFormatOf } from '../delivery/run-mapping.ts';
import { lookUpAccounts } from '../engine/ledger/account-index.ts';
import { readKeys } from '../engine/ledger/key-claims.ts';
import type { Standing } from '../model/account.ts';
import { type Account, accountsIn, compareContent } from '../model/content.ts';
import { type AccountHolder, claimWith, isAnothers, type KeyState } from '../model/identity.ts';
import type { JsonObject } from '../model/request.ts';
import { groupRows } from '../model/row-group.ts';
import type { Run } from '../model/run.ts';
import { readChunks } from '../readers/intake/chunks.ts';
import { packContent } from '../readers/mapping/field-digests.ts';
import { accountDigests } from '../readers/mapping/payee-accounts.ts';
import type { Ledger } from '../session.ts';
import { type HeldCode, recordsOf } from './held-accounts.ts';
import { NOWHERE } from './origins.ts';
import { definitionOf } from './status.ts';
import { unchangedFile } from './trial.ts';

/** `known`: `null` where no file at hand has it; `holder`: another payee with the new account. */
export type Beside = {
  readonly known: readonly string[] | null;
  readonly now: readonly string[];
  readonly holder: AccountHolder | null;
};

type Around = {
  readonly ledger: Ledger;
  /** Where a run's file may lie. */
  placesOf(run: Run): readonly string[];
};

type Known = Extract<KeyState, { kind: 'known' }>;
type Created = Pick<Known, 'run' | 'row'>;

/** By the row's run and number, as `placeOf` names them. */
export async function accountsBeside(
  held: readonly Standing[],
  target: string,
  around: Around,
): Promise<ReadonlyMap<string, Beside>> {
  const moved = held.filter(({ code }) => code === ('account_changed' satisfies HeldCode));
  const { store } = around.ledger.of(target);
  const found = new Map<string, Beside>();
  for (const id of new Set(moved.map(({ run }) => run))) {
    const run = await store.get(id);
    const rows = moved.filter((one) => one.run === id).map(({ row }) => row);
    if (run === null || run.purged !== undefined) continue;
    for (const [row, beside] of await besideOf(run, rows, around))
      found.set(placeOf({ run: id, row }), beside);
  }
  return found;
}

export function placeOf({ run, row }: Created): string {
  return `${run} ${row}`;
}

async function besideOf(of: Run, rows: readonly number[], around: Around) {
  const { ledger } = around;
  const { redis } = ledger;
  const { keys, space, definition, records } = await recordsOf(of, rows, ledger);
  const names = records.map(({ key }) => key);
  const states = await readKeys(redis, keys, { space, form: definition.keyForm, names });
  const named = records.map(({ first, mapped }) => ({
    row: first,
    digests: accountDigests(mapped.body, keys.sealing.digest),
  }));
  const met = await lookUpAccounts({ redis, keys, space }, { run: of.id, comesFrom: NOWHERE, rows: named });
  const created = [...states.values()].flatMap((state) => (state.kind === 'known' ? [state] : []));
  const bodies = await bodiesOf(created, of.target, around);

  return records.map(({ key, first, mapped }) => {
    const state = states.get(key);
    const before = state?.kind === 'known' ? bodies.get(placeOf(state)) : undefined;
    const salt = keys.sealing.saltOf(key);
    const isKnown = before !== undefined && isOfRecord(before, state, salt);
    const { other } = claimWith(met.get(first) ?? []);
    const holder = other !== undefined && isAnothers(other) ? other : null;
    return [first, { ...differing(isKnown ? before : null, mapped.body), holder }] as const;
  });
}

/** It may have been given another account since. */
function isOfRecord(body: JsonObject, state: KeyState | undefined, salt: string): boolean {
  const content = state?.kind === 'known' ? (state.content ?? '') : '';
  return compareContent(content, packContent({ body, references: [] }, salt))?.accounts === 'same';
}

/** What the files say of payees, by the rows that created them. */
async function bodiesOf(created: readonly Created[], target: string, around: Around) {
  const { store } = around.ledger.of(target);
  const found = new Map<string, JsonObject>();
  for (const id of new Set(created.map(({ run }) => run))) {
    const run = await store.get(id);
    // A rerun has no file of its own.
    if (run === null || run.parent !== null) continue;
    const wanted = new Set(created.filter((one) => one.run === id).map(({ row }) => row));
    for await (const [row, body] of payeesIn(run, wanted, around)) found.set(placeOf({ run: id, row }), body);
  }
  return found;
}

async function* payeesIn(run: Run, wanted: Set<number>, { ledger, placesOf }: Around) {
  const path = await unchangedFile(run, placesOf(run));
  if (path === null) return;
  const definition = await definitionOf(run, ledger);
  // Nothing is decrypted for a look.
  if (definition.decrypt !== undefined) return;
  const mapping = mappingFor(definition, run.source);
  const groupOf = definition.group === undefined ? null : mapping.groupOf;
  for await (const { rows } of readChunks(path, run.source, readFormatOf(definition), run)) {
    for (const { leader, members } of groupRows(rows, groupOf)) {
      if (!wanted.delete(leader.row)) continue;
      const body = mapping.payeeOf([leader, ...members]);
      if (body !== null) yield [leader.row, body] as const;
    }
    if (wanted.size === 0) return;
  }
}

/** Without those that are in both. */
function differing(before: JsonObject | null, after: JsonObject): Pick<Beside, 'known' | 'now'> {
  const known = accountsIn(before ?? {});
  const now = accountsIn(after);
  return { known: before === null ? null : shown(known, now), now: shown(now, known) };
}

function shown(accounts: readonly Account[], others: readonly Account[]): readonly string[] {
  const isInBoth = (one: Account) => others.some(({ form, text }) => form === one.form && text === one.text);
  return accounts.filter((one) => !isInBoth(one)).map(({ number }) => `…${lastSigns(number)}`);
}

const SIGNS = 4;

/** Of a short number half at most. */
function lastSigns(number: string): string {
  const count = Math.min(SIGNS, Math.floor(number.length / 2));
  return number.slice(number.length - count);
}

/** In one sentence. */
export function besideWords({ known, now, holder }: Beside): string {
  const before = known === null ? 'one that is in no file here' : known.join(', ');
  const run = holder?.run ?? null;
  const where = run === null ? 'this file' : `run ${run}`;
  const whose = holder === null ? '' : `, which row ${holder.row} of ${where} has under another name`;
  return `${before} is known, the row has ${now.join(', ')}${whose}`;
}
