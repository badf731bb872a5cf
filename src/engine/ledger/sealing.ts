/**
 * What is personal in the ledgers of one Redis, sealed: each run has a data key of its own, which
 * stands in its record wrapped by the key of the environment; digests of keys are HMACs under a
 * ledger key, wrapped likewise. Ledgers are begun with a key or without, and stay so. Promised:
 * without the key nothing is read or written, and a wrong one is named, never taken for damage.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cluster } from 'ioredis';
import { z } from 'zod';
import { shortDigest } from '../../lib/digest.ts';
import { insteadOf } from '../../lib/errors.ts';
import { createRecentMap } from '../../lib/recent.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { CLEAR, createSeal, KEY_BYTES, keyedDigest, type Seal } from '../../lib/seal.ts';
import { readSecret, type SecretSource } from '../../lib/secret.ts';
import { passStep } from '../../lib/steps.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { appendEntry, appending } from './audit-chain.ts';
import REPLACE from './lua/replace.lua';
import { script } from './script.ts';

export type Sealing = {
  /** `null`: what the ledgers keep stands in clear. */
  readonly keyId: string | null;
  readonly digest: (text: string, length: number) => string;
  /** What goes into the digests of a record's fields, by its key. */
  readonly saltOf: (key: string) => string;
  /** Makes the run's data key, and answers it wrapped; `undefined`: in clear. */
  begin(run: string): string | undefined;
  /** The ledger key's, by which a run's record says under which it was begun. */
  name(): string;
  /** `wrapped`: as the run's record has it; `undefined`: it has none, or none any more. */
  open(run: string, wrapped: string | undefined): Seal;
  sealOf(run: string, record: string): Promise<Seal>;
  /**
   * The ledger key is in Redis from here on, and a copy in the home: in a Redis that was emptied
   * the same one has to go on, or keys that journals put back would be new ones. A UsageError where
   * another was begun there meanwhile.
   */
  begun(): Promise<void>;
};

export const IN_CLEAR: Sealing = {
  keyId: null,
  digest: shortDigest,
  saltOf: (key) => key,
  begin: () => undefined,
  name: () => '',
  open: () => CLEAR,
  sealOf: async () => CLEAR,
  begun: async () => undefined,
};

const KEY = { name: 'ONBOARD_ENCRYPTION_KEY', what: 'encryption key' } as const;
const FORMER = { name: 'ONBOARD_ENCRYPTION_KEY_OLD', what: 'encryption key' } as const;

/** A key of the environment. Its id says which one is meant, and nothing of the key. */
type MasterKey = { readonly id: string; readonly seal: Seal };

/** The current key first, then former ones. */
type Keyring = readonly [MasterKey, ...MasterKey[]];

/** `null`: no key is set. A UsageError where one can't be had, or is none. */
export async function readKeyring(
  source: SecretSource | null,
  formerKeys: SecretSource | null,
): Promise<Keyring | null> {
  if (source === null) return null;
  const { text, source: from } = await readSecret(source, KEY);
  const former = formerKeys === null ? { text: '', source: '' } : await readSecret(formerKeys, FORMER);
  const texts = former.text.split(/[\s,]+/).filter((one) => one !== '');
  return [masterKey(text.trim(), from), ...texts.map((one) => masterKey(one, former.source))];
}

/** Where the key's file can be read by others. */
export async function keyWarning(source: SecretSource): Promise<string | null> {
  return (await readSecret(source, KEY)).warning;
}

const ID_CHARACTERS = 8;

function masterKey(text: string, from: string): MasterKey {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text)
    throw new UsageError(
      `${from}: expected ${KEY_BYTES} bytes in base64, 44 characters, as \`openssl rand -base64 32\` prints them.`,
    );
  const id = createHash('sha256').update(key).digest('hex').slice(0, ID_CHARACTERS);
  return { id, seal: createSeal(key, 'onboard') };
}

/** Key id, a space, and the key in a box. */
function wrapped({ id, seal }: MasterKey, place: string, key: Buffer): string {
  return `${id} ${seal.text(place, key.toString('base64'))}`;
}

function unwrapped(keyring: Keyring, place: string, text: string): Buffer {
  const [id = '', box = ''] = text.split(' ');
  const key = keyring.find((one) => one.id === id);
  if (key === undefined) throw missingKey(id, keyring[0].id);
  return Buffer.from(key.seal.openText(place, box), 'base64');
}

function missingKey(id: string, given: string | null): UsageError {
  const found = given === null ? 'none is set' : `the one that is set has the id ${given}`;
  return new UsageError(
    `What this Redis keeps is sealed under the encryption key with the id ${id}, and ${found}. ` +
      `Expected that key in ${KEY.name}, ${KEY.name}_FILE or ` +
      `${KEY.name}_COMMAND, or, after a change of keys, in ${KEY.name}_OLD.`,
  );
}

const STORED = 'onboard:{index}:sealing';
const FIELD = 'dataKey';
const FILE = 'sealing.json';

/** `name` tells ledger keys apart, and nothing of them. */
const storedSchema = z.object({ name: z.string(), key: z.string() });
type Stored = z.infer<typeof storedSchema>;

type Opening = {
  readonly keyring: Keyring | null;
  readonly home: string;
  readonly hasRuns: boolean;
  /** The name of the ledger key that runs were begun under; `null`: none is sealed. */
  sealedUnder(): Promise<string | null>;
};

/** Begins no ledger: whoever is about to send rows does (`begun`). */
export async function openSealing(redis: RedisConnection, opening: Opening): Promise<Sealing> {
  const { keyring, home, hasRuns } = opening;
  const copy = await readCopy(home);
  const text = (await redis.hget(STORED, FIELD)) ?? (await putBack(redis, copy, opening));
  const isClear = text === CLEAR_MARK || (text === null && hasRuns);
  const stored = isClear ? null : parseStored(text);
  const known = stored ?? (isClear ? null : copy);
  if (keyring === null) {
    if (known === null) return { ...IN_CLEAR, begun: () => begunInClear(redis) };
    throw missingKey(idOf(known.key), null);
  }
  if (stored !== null && copy !== null && stored.name !== copy.name) throw anotherLedger(home);
  if (isClear) throw begunWithout();
  return createSealing(redis, keyring, { known, home });
}

/** The lost ledger key, from the home. `null`: Redis never had it, or has lost its runs as well. */
async function putBack(
  redis: RedisConnection,
  copy: Stored | null,
  { keyring, home, hasRuns, sealedUnder }: Opening,
): Promise<string | null> {
  const name = await sealedUnder();
  if (name === null && (copy === null || keyring !== null || !hasRuns)) return null;
  const isHeld = keyring?.some(({ id }) => id === idOf(copy?.key ?? '')) === true;
  if (copy === null || copy.name !== name || !isHeld)
    throw new UsageError(
      `The entry ${STORED} is missing in this Redis, though its runs or ${home} ` +
        'are sealed: keys would count as new, so nothing is read or sent. ' +
        `Expected ${KEY.name}, and an ONBOARD_HOME that has worked with ` +
        `this Redis: any command puts the entry back from its ${FILE}.`,
    );
  await redis.hsetnx(STORED, FIELD, JSON.stringify(copy));
  return redis.hget(STORED, FIELD);
}

/** In place of a ledger key: who has a key is refused, and who has none goes on. */
const CLEAR_MARK = 'clear';

async function begunInClear(redis: RedisConnection): Promise<void> {
  await redis.hsetnx(STORED, FIELD, CLEAR_MARK);
  const stored = await readStored(redis);
  if (stored !== null) throw missingKey(idOf(stored.key), null);
}

async function readStored(redis: RedisConnection): Promise<Stored | null> {
  return parseStored(await redis.hget(STORED, FIELD));
}

function parseStored(text: string | null): Stored | null {
  return text === null || text === CLEAR_MARK ? null : storedSchema.parse(JSON.parse(text));
}

/** Of a wrapped key. */
function idOf(text: string): string {
  return text.split(' ')[0] ?? '';
}

const LEDGER_KEY = 'ledger key';
const NAME_CHARACTERS = 12;

function newLedgerKey([current]: Keyring): Stored {
  const key = randomBytes(KEY_BYTES);
  return { name: keyedDigest(key)('name', NAME_CHARACTERS), key: wrapped(current, LEDGER_KEY, key) };
}

function begunWithout(): UsageError {
  return new UsageError(
    `The ledger in this Redis was begun without ${KEY.name}, and stays so: expected none to be set. ` +
      'Sealed ledgers begin in an ONBOARD_HOME or a REDIS_URL of ' +
      'their own; keys that are known here are not known there.',
  );
}

function anotherLedger(home: string): UsageError {
  return new UsageError(
    `${home} is of another sealed ledger than the one in this Redis, so nothing ` +
      `is sent from here: expected an ONBOARD_HOME of this ledger's own. ` +
      `Where this Redis was emptied, and another machine began anew: what ${home} ` +
      'knows is lost there, and the rows at the service say what was created.',
  );
}

async function readCopy(home: string): Promise<Stored | null> {
  const text = await readFile(join(home, FILE), 'utf8').catch(insteadOf('ENOENT', null));
  return text === null ? null : storedSchema.parse(JSON.parse(text));
}

async function writeCopy(home: string, stored: Stored): Promise<void> {
  const draft = join(home, `${FILE}.${randomUUID()}.tmp`);
  await writeFile(draft, JSON.stringify(stored), { mode: 0o600, flush: true });
  await rename(draft, join(home, FILE));
}

/** Of a run's record: the name of its file. */
export const FILE_PLACE = 'file';

const WHOLE = 43;
/** Runs whose data keys are at hand. */
const RUNS_REMEMBERED = 1_000;

type Kept = { readonly known: Stored | null; readonly home: string };

function createSealing(redis: RedisConnection, keyring: Keyring, { known, home }: Kept): Sealing {
  const open = ({ key }: Stored) => keyedDigest(unwrapped(keyring, LEDGER_KEY, key));
  let own = known ?? newLedgerKey(keyring);
  let isKnown = known !== null;
  let copied = '';
  let digest = open(own);
  const seals = createRecentMap<string, { readonly seal: Seal; readonly key: string }>(RUNS_REMEMBERED);
  const remember = (run: string, dataKey: Buffer, key: string) => {
    const seal = createSeal(dataKey, run);
    seals.set(run, { seal, key });
    return seal;
  };
  const openRun = (run: string, key: string | undefined) => {
    if (key === undefined) return withoutKey(run);
    const known = seals.get(run);
    if (known?.key === key) return known.seal;
    try {
      return remember(run, unwrapped(keyring, dataKeyOf(run), key), key);
    } catch (error) {
      // Wrapped anew under a key that this process lacks, it still is the same one.
      if (known !== undefined) return known.seal;
      // One run must not keep all others from being listed.
      return unreadable(
        error instanceof UsageError ? error : new Error(`the data key of run ${run} is damaged`),
      );
    }
  };
  return {
    keyId: keyring[0].id,
    digest: (text, length) => digest(text, length),
    saltOf: (key) => digest(key, WHOLE),
    begin(run) {
      const begun = seals.get(run);
      if (begun !== undefined) return begun.key;
      const dataKey = randomBytes(KEY_BYTES);
      const key = wrapped(keyring[0], dataKeyOf(run), dataKey);
      remember(run, dataKey, key);
      return key;
    },
    name: () => own.name,
    open: openRun,
    sealOf: async (run, record) =>
      seals.get(run)?.seal ?? openRun(run, (await redis.hget(record, FIELD)) ?? undefined),
    async begun() {
      await redis.hsetnx(STORED, FIELD, JSON.stringify(own));
      const stored = await readStored(redis);
      if (stored === null) throw begunWithout();
      if (stored.name !== own.name) {
        if (isKnown) throw anotherLedger(home);
        // Two processes began it at the same time.
        [own, digest] = [stored, open(stored)];
      }
      isKnown = true;
      if (copied !== stored.key) await writeCopy(home, stored);
      copied = stored.key;
    },
  };
}

function dataKeyOf(run: string): string {
  return `data key ${run}`;
}

type Rekeyed = { readonly from: readonly string[]; readonly to: string; readonly runs: number };

const replace = script(REPLACE, z.number());

/**
 * Wraps the data keys of these runs anew, then the ledger key, with the audit's entries; rows are
 * not touched, and workers may run meanwhile. Killed, it goes on when it is called again.
 * `records`: each run's, by its id; `chains`: the entry's stub, by the chain.
 */
export async function rekey(
  redis: RedisConnection,
  keyring: Keyring,
  { records, chains }: Record<'records' | 'chains', ReadonlyMap<string, string>>,
): Promise<Rekeyed> {
  const [current] = keyring;
  const from = new Set<string>();
  let runs = 0;
  const anew = (place: string, text: string) => {
    if (idOf(text) !== current.id) from.add(idOf(text));
    return wrapped(current, place, unwrapped(keyring, place, text));
  };
  let done = 0;
  for (const [run, record] of records) {
    const key = await redis.hget(record, FIELD);
    done += 1;
    passStep({ doing: 'wrapping the keys of runs', done, all: records.size });
    if (key === null) continue;
    // A run that was purged meanwhile stays without its key.
    const next = anew(dataKeyOf(run), key);
    if (idOf(key) !== current.id) await replaceKey(redis, [record, key, next], NO_ENTRIES);
    runs += 1;
  }
  const stored = await readStored(redis);
  const next = stored === null ? '' : JSON.stringify({ ...stored, key: anew(LEDGER_KEY, stored.key) });
  if (next !== '' && from.size > 0) {
    const of = JSON.stringify({ from: [...from].join(' '), to: current.id });
    // In a cluster the chains have slots of their own: there the entries come first.
    const isApart = redis instanceof Cluster;
    for (const [chain, stub] of isApart ? chains : [])
      await appendEntry(redis, [chain], [stub, 'key-rotated', of]);
    const entries = isApart ? NO_ENTRIES : { of, chains };
    await replaceKey(redis, [STORED, JSON.stringify(stored), next], entries);
  }
  return { from: [...from], to: current.id, runs };
}

type KeyEntries = { readonly of: string; readonly chains: ReadonlyMap<string, string> };

const NO_ENTRIES: KeyEntries = { of: '', chains: new Map() };

function replaceKey(
  redis: RedisConnection,
  [hash, before, after]: readonly [hash: string, before: string, after: string],
  { of, chains }: KeyEntries,
): Promise<number> {
  const names = [...chains.keys()];
  return appending(redis, names, (links) => {
    const entries = JSON.stringify({ of, links, stubs: [...chains.values()] });
    return replace(redis, [hash, ...names], [FIELD, before, after, entries]);
  });
}

/** Names of files are shown as missing; all else is refused with what is missing. */
function unreadable(error: Error): Seal {
  const refuse = () => {
    throw error;
  };
  const openText = (place: string) => (place === FILE_PLACE ? '(sealed)' : refuse());
  return { isClear: false, text: refuse, openText, bytes: refuse, openBytes: refuse };
}

/** Of a run that was purged, what is left stands in clear; nothing more is kept of it. */
function withoutKey(run: string): Seal {
  const refuse = () => {
    throw new Error(`run ${run} has no data key: nothing can be kept of its rows`);
  };
  return { ...CLEAR, isClear: false, text: refuse, bytes: refuse };
}
