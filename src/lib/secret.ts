/**
 * A secret of the environment: a variable's value, a file, or what a command prints. The secret,
 * the command and its output get into no log and no message.
 */
import { constants, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { messageOf } from './errors.ts';
import { runShell } from './shell-command.ts';
import { UsageError } from './usage-error.ts';
import { withDeadline } from './waiting.ts';

export type SecretSource =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string };

/** `what`: how messages call it; `name`: of the variable, without `_FILE` and `_COMMAND`. */
type SecretKind = { readonly name: string; readonly what: string };

/** `source`: how a message about the text begins. */
type Secret = { readonly text: string; readonly source: string; readonly warning: string | null };

/** For the command, and for a file on a file system that doesn't answer. */
const TIMEOUT_MS = 30_000;
/** Anything larger is the wrong file, or a command that prints something else. */
const MAX_BYTES = 64 * 1024;
const OTHERS_MAY_READ = 0o004;

/** A UsageError where it can't be had. */
export async function readSecret(
  origin: SecretSource,
  kind: SecretKind,
  timeoutMs = TIMEOUT_MS,
): Promise<Secret> {
  switch (origin.kind) {
    case 'value':
      return { text: origin.value, source: kind.name, warning: null };
    case 'file':
      return readFileOf(origin.path, kind);
    case 'command': {
      const text = await runCommand(origin.command, kind, timeoutMs);
      return { text, source: `What ${kind.name}_COMMAND prints`, warning: null };
    }
    default:
      return origin satisfies never;
  }
}

async function readFileOf(path: string, kind: SecretKind): Promise<Secret> {
  const { text, mode } = await readWithMode(path, kind);
  const source = `The ${kind.what} file ${path}`;
  const isOpen = (mode & OTHERS_MAY_READ) !== 0;
  const warning = isOpen ? `${source} can be read by every user of this machine: chmod 600 it.` : null;
  return { text, source, warning };
}

async function readWithMode(path: string, kind: SecretKind): Promise<{ text: string; mode: number }> {
  try {
    const read = await withDeadline(readPlainFile(path, kind), TIMEOUT_MS);
    if (read === 'late') throw new Error(`it could not be read within ${TIMEOUT_MS / 1000} s`);
    return read;
  } catch (error) {
    throw new UsageError(
      `The ${kind.what} file ${path} could not be read (${messageOf(error)}): set ${kind.name}_FILE to a readable file that holds the ${kind.what}.`,
    );
  }
}

/** A pipe without a writer is not waited for; only a plain file has an end. */
async function readPlainFile(path: string, { name }: SecretKind): Promise<{ text: string; mode: number }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`it is no plain file; ${name}_COMMAND takes what a command prints`);
    // A file's size says nothing of one that grows, or of one of the system's own.
    const bytes = await buffer(file.createReadStream({ end: MAX_BYTES, autoClose: false }));
    if (bytes.length > MAX_BYTES) throw new Error('it is larger than 64 KiB');
    return { text: bytes.toString('utf8'), mode: found.mode };
  } finally {
    await file.close();
  }
}

async function runCommand(command: string, { name, what }: SecretKind, timeoutMs: number): Promise<string> {
  const ended = await runShell(command, { mostBytes: MAX_BYTES, timeoutMs });
  if ('text' in ended) return ended.text;
  throw new UsageError(
    `${name}_COMMAND ${ended.problem}: run it by hand to see why; it has to print the ${what} and end with status 0.`,
  );
}
