/**
 * The bearer token, read at the first use and again when the service refuses it. Whoever renews it
 * may be late: its source is asked for another one for a while, with growing pauses.
 */
import pRetry from 'p-retry';
import { readSecret, type SecretSource } from '../../lib/secret.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { LEGAL_TOKEN } from './attempt.ts';

export type Credentials = {
  /** The token, loaded at the first call; throws a UsageError that says what to correct. */
  current(): Promise<string>;
  /**
   * A token other than the stale one; callers at the same time share one reading. `null`: the
   * source is fixed, gave the same token, or failed (then `whyRefused` says why).
   */
  refresh(stale: string): Promise<string | null>;
  /** The same, for as long as whoever renews it may take; `null`: none came, or nobody waits. */
  another(stale: string, waiting: TokenWait): Promise<string | null>;
  /** The source gives a token that was not refused, and for which this was not true before. */
  mayBeAnother(): Promise<boolean>;
  /** Of a token that the service has just refused: the last reading failed, or it was new. */
  whyRefused(): string | null;
  /** What about the source is worth a warning, such as a token file that everybody can read. */
  warning(): string | null;
};

export type TokenWait = {
  /** How long the source is asked. */
  readonly forMs: number;
  /** False: whoever waits is to wait no longer. */
  wait(ms: number): Promise<boolean>;
  /** The source has no other token yet. */
  begun(): void;
  /** To be told to people. */
  warn(words: string): void;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/** A token that is refused so soon after it came is no good, or somebody else ends it. */
const NEW_FOR_MS = 60_000;
const RIVALS =
  'A token was refused moments after it came: it is ' +
  'not valid, or another process or machine gets ' +
  'tokens for the same user, and each ends the one ' +
  'before. Then give all of them one MSB_TOKEN_FILE, ' +
  'which one of them renews.';

export function createCredentials(origin: SecretSource, timeoutMs?: number): Credentials {
  let refused: string | null = null;
  let offered: string | null = null;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let loaded: LoadedToken | null = null;
  let loading: Promise<string> | null = null;
  let problem: string | null = null;

  const load = async () => {
    try {
      const before = loaded?.token ?? null;
      loaded = await loadToken(origin, timeoutMs);
      const isAnother = before !== null && before !== loaded.token;
      if (isAnother) renewedAt = performance.now();
      problem = null;
      return loaded.token;
    } catch (error) {
      if (error instanceof UsageError) problem = error.message;
      throw error;
    } finally {
      loading = null;
    }
  };
  const loadOnce = () => {
    loading ??= load();
    return loading;
  };
  const reload = async (stale: string) => {
    try {
      const token = await loadOnce();
      return token === stale ? null : token;
    } catch (error) {
      if (error instanceof UsageError) return null;
      throw error;
    }
  };

  const isFixed = origin.kind === 'value';
  const hasFailed = () => origin.kind === 'command' && problem !== null;
  const refresh = async (stale: string) => {
    refused = stale;
    if (loaded !== null && loaded.token !== stale) return loaded.token;
    return isFixed ? null : reload(stale);
  };
  const hasRivals = () => performance.now() - renewedAt < NEW_FOR_MS;

  return {
    current: async () => loaded?.token ?? loadOnce(),
    refresh,
    async another(stale, { forMs, wait, begun, warn }) {
      if (hasRivals()) warn(RIVALS);
      const until = performance.now() + forMs;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        const token = await refresh(stale);
        const leftMs = until - performance.now();
        const isOver = hasFailed() || leftMs <= 0;
        if (token !== null || isFixed || isOver) return token;
        if (pauseMs === FIRST_PAUSE_MS) begun();
        if (!(await wait(Math.min(pauseMs, leftMs)))) return null;
      }
    },
    async mayBeAnother() {
      const token = await reload(refused ?? '');
      const isNew = token !== null && token !== offered;
      offered = token ?? offered;
      return isNew;
    },
    whyRefused: () => problem ?? (hasRivals() ? RIVALS : null),
    warning: () => loaded?.warning ?? null,
  };
}

type LoadedToken = { readonly token: string; readonly warning: string | null };

/** A command may fail once or twice where what it asks is busy. */
const COMMAND_TRIES = 3;

async function loadToken(origin: SecretSource, timeoutMs?: number): Promise<LoadedToken> {
  const kind = { name: 'MSB_TOKEN', what: 'token' };
  const retries = origin.kind === 'command' ? COMMAND_TRIES - 1 : 0;
  const read = () => readSecret(origin, kind, timeoutMs);
  const { text, source, warning } = await pRetry(read, {
    retries,
    minTimeout: FIRST_PAUSE_MS,
    factor: 1,
  });
  return { token: legalToken(text, source), warning };
}

function legalToken(text: string, source: string): string {
  const token = text.trim();
  if (LEGAL_TOKEN.test(token)) return token;
  const found = token === '' ? 'is empty' : 'is not one line of printable ASCII without spaces';
  throw new UsageError(
    `${source} ${found}: expected the bearer token and nothing else (without the word "Bearer").`,
  );
}
