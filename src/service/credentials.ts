/**
 * The bearer token, read at the first use and again when the service refuses it. The token, the
 * command and its output get into no log and no message.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { TokenSource } from '../config/environment.ts';
import { messageOf } from '../lib/errors.ts';
import { runShell } from '../lib/shell-command.ts';
import { UsageError } from '../lib/usage-error.ts';
import { withDeadline } from '../lib/waiting.ts';
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

export function createCredentials(origin: TokenOrigin, timeoutMs = TIMEOUT_MS): Credentials {
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
      return origin.kind === 'token' ? null : reload(stale);
    },
    problem: () => problem,
    warning: () => loaded?.warning ?? null,
  };
}

type TokenOrigin = Exclude<TokenSource, { kind: 'none' }>;

type LoadedToken = { readonly token: string; readonly warning: string | null };

/** For the command, and for a file on a file system that doesn't answer. */
const TIMEOUT_MS = 30_000;
/** Anything larger is the wrong file, or a command that prints something else. */
const MAX_TOKEN_BYTES = 64 * 1024;
const OTHERS_MAY_READ = 0o004;

/** A UsageError never holds the token, the command or its output. */
async function loadToken(origin: TokenOrigin, timeoutMs: number): Promise<LoadedToken> {
  switch (origin.kind) {
    case 'token':
      return { token: legalToken(origin.token, 'MSB_TOKEN'), warning: null };
    case 'file':
      return readTokenFile(origin.path);
    case 'command':
      return {
        token: legalToken(await runCommand(origin.command, timeoutMs), 'What MSB_TOKEN_COMMAND prints'),
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
    const read = await withDeadline(readPlainFile(path), TIMEOUT_MS);
    if (read === 'late') throw new Error(`it could not be read within ${TIMEOUT_MS / 1000} s`);
    return read;
  } catch (error) {
    throw new UsageError(
      `The token file ${path} could not be read (${messageOf(error)}): set MSB_TOKEN_FILE to a readable file that holds the token.`,
    );
  }
}

/** A pipe without a writer is not waited for; only a plain file has an end. */
async function readPlainFile(path: string): Promise<{ text: string; mode: number }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (!found.isFile())
      throw new Error('it is no plain file; MSB_TOKEN_COMMAND takes what a command prints');
    return { text: await readBounded(file), mode: found.mode };
  } finally {
    await file.close();
  }
}

/** A file's size says nothing of one that grows, or of one of the system's own. */
async function readBounded(file: FileHandle): Promise<string> {
  const bytes = Buffer.alloc(MAX_TOKEN_BYTES + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.toString('utf8', 0, length);
    length += bytesRead;
  }
  throw new Error('it is larger than 64 KiB');
}

/** A UsageError holds neither the command line nor what it printed. */
async function runCommand(command: string, timeoutMs: number): Promise<string> {
  const ended = await runShell(command, { mostBytes: MAX_TOKEN_BYTES, timeoutMs });
  if ('text' in ended) return ended.text;
  throw new UsageError(
    `MSB_TOKEN_COMMAND ${ended.problem}: run it by hand to see why; it has to print the token and end with status 0.`,
  );
}
