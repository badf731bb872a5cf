/**
 * The bearer token: from the environment, a file or a command, read at the first use and again when the service refuses
 * it. The token, the command and its output get into no log and no message.
 */
import { exec } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { TokenSource } from '../config/environment.ts';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { LEGAL_TOKEN } from './attempt.ts';

export type Credentials = {
  /** The token, loaded at the first call; throws a UsageError that says what to correct. */
  current(): Promise<string>;
  /**
   * A token other than the stale one, from its source again; callers at the same time share one reading.
   * `null` where there is none: the source is fixed, gave the same token, or failed (then `problem` says why).
   */
  refresh(stale: string): Promise<string | null>;
  /** Why the last reading failed; `null` after a reading that did not. */
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

type TokenOrigin = Exclude<TokenSource, { kind: 'none' }>;

type LoadedToken = { readonly token: string; readonly warning: string | null };

const COMMAND_TIMEOUT_MS = 30_000;
/** Far more than a header may carry: anything larger is the wrong file, or a command that prints something else. */
const MAX_TOKEN_BYTES = 64 * 1024;
const OTHERS_MAY_READ = 0o004;

/** Reads the file, runs the command; throws a UsageError that never holds the token, the command or its output. */
async function loadToken(origin: TokenOrigin): Promise<LoadedToken> {
  switch (origin.kind) {
    case 'token':
      return { token: legalToken(origin.token, 'MSB_TOKEN'), warning: null };
    case 'file':
      return readTokenFile(origin.path);
    case 'command':
      return {
        token: legalToken(await runCommand(origin.command), 'What MSB_TOKEN_COMMAND prints'),
        warning: null,
      };
    default:
      return origin satisfies never;
  }
}

function legalToken(text: string, source: string): string {
  const token = text.trim();
  if (LEGAL_TOKEN.test(token)) return token;
  const found = token === '' ? 'is empty' : 'is not one line of printable ASCII without spaces';
  throw new UsageError(
    `${source} ${found}: expected the bearer token and nothing else (without the word "Bearer").`,
  );
}

async function readTokenFile(path: string): Promise<LoadedToken> {
  const { text, mode } = await readWithMode(path);
  const token = legalToken(text, `The token file ${path}`);
  if ((mode & OTHERS_MAY_READ) === 0) return { token, warning: null };
  return {
    token,
    warning: `The token file ${path} can be read by every user of this machine: chmod 600 it.`,
  };
}

async function readWithMode(path: string): Promise<{ text: string; mode: number }> {
  try {
    const file = await open(path, 'r');
    try {
      const { size, mode } = await file.stat();
      if (size > MAX_TOKEN_BYTES) throw new Error('it is larger than 64 KiB');
      return { text: await file.readFile('utf8'), mode };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new UsageError(
      `The token file ${path} could not be read (${messageOf(error)}): set MSB_TOKEN_FILE to a readable file that holds the token.`,
    );
  }
}

/** The error of `exec` is never passed on: it holds the command line and what was printed. */
function runCommand(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_TOKEN_BYTES };
    const child = exec(command, options, (error, stdout) => {
      if (error === null) return resolve(stdout);
      reject(
        new UsageError(
          `MSB_TOKEN_COMMAND ${howItEnded(error)}: run it by hand to see why; it has to print the token and end with status 0.`,
        ),
      );
    });
    // A command that asks for input gets none, so that it can't wait for ever.
    child.stdin?.end();
  });
}

function howItEnded(error: { readonly code?: unknown; readonly killed?: boolean | undefined }): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 64 KiB';
  if (error.killed === true) return `did not end within ${COMMAND_TIMEOUT_MS / 1000} s`;
  return typeof error.code === 'number' ? `ended with status ${error.code}` : 'was ended by a signal';
}
