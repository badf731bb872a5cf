/**
 * The bearer token, read at the first use and again when the service refuses it.
 */
import { readSecret, type SecretSource } from '../lib/secret.ts';
import { UsageError } from '../lib/usage-error.ts';
import { LEGAL_TOKEN } from './attempt.ts';

export type Credentials = {
  /** The token, loaded at the first call; throws a UsageError that says what to correct. */
  current(): Promise<string>;
  /**
   * A token other than the stale one; callers at the same time share one reading. `null`: the
   * source is fixed, gave the same token, or failed (then `problem` says why).
   */
  refresh(stale: string): Promise<string | null>;
  /** Why the last reading failed; `null` after a reading that did not. */
  problem(): string | null;
  /** What about the source is worth a warning, such as a token file that everybody can read. */
  warning(): string | null;
};

export function createCredentials(origin: SecretSource, timeoutMs?: number): Credentials {
  let loaded: LoadedToken | null = null;
  let loading: Promise<string> | null = null;
  let problem: string | null = null;

  const load = async () => {
    try {
      loaded = await loadToken(origin, timeoutMs);
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

  return {
    current: async () => loaded?.token ?? loadOnce(),
    refresh: async (stale) => {
      if (loaded !== null && loaded.token !== stale) return loaded.token;
      return origin.kind === 'value' ? null : reload(stale);
    },
    problem: () => problem,
    warning: () => loaded?.warning ?? null,
  };
}

type LoadedToken = { readonly token: string; readonly warning: string | null };

async function loadToken(origin: SecretSource, timeoutMs?: number): Promise<LoadedToken> {
  const { text, source, warning } = await readSecret(origin, { name: 'MSB_TOKEN', what: 'token' }, timeoutMs);
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
