import { UsageError } from '../lib/usage-error.ts';
import type { LoadedToken, TokenOrigin } from './token-source.ts';
import { loadToken } from './token-source.ts';

/** The bearer token in use; never logged, never in a message. */
export type Credentials = {
  /** The token, loaded at the first call; throws a UsageError that says what to mend. */
  current(): Promise<string>;
  /**
   * A token other than the stale one, from its source again; callers at the same time share one reading.
   * `null` where there is none: the source is fixed, gave the same token, or failed (then `problem` says why).
   */
  refresh(stale: string): Promise<string | null>;
  /** Why the last reading failed; `null` after one that did not. */
  problem(): string | null;
  /** What about the source is worth a warning, such as a token file that everybody can read. */
  warning(): string | null;
};

/** Tokens from the environment, a file or a command (DESIGN.md, section 4). */
export function createCredentials(origin: TokenOrigin): Credentials {
  let loaded: LoadedToken | null = null;
  let loading: Promise<string> | null = null;
  let problem: string | null = null;

  const load = async () => {
    try {
      loaded = await loadToken(origin);
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
      return origin.kind === 'token' ? null : reload(stale);
    },
    problem: () => problem,
    warning: () => loaded?.warning ?? null,
  };
}
