import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeHomeFolder } from '../config/environment.ts';
import type { Releasers } from '../lib/releasers.ts';
import { UsageError } from '../lib/usage-error.ts';
import { createCredentials } from '../service/credentials.ts';
import type { Service } from '../session.ts';

/** What the sandbox process tells its parent once it listens. */
const sandboxHelloSchema = z.object({ url: z.string(), token: z.string() });

/** The ledger's name for the sandbox, apart from every base URL. */
export const SANDBOX_TARGET = 'sandbox';

/**
 * The built-in stand-in as a process of its own, which ends with this one. It remembers what was made in `<home>/sandbox`,
 * so that a rehearsal of several runs fits together, and agrees with the ledger about known keys.
 */
export async function startSandboxChild(
  home: string,
  faults: readonly string[],
  releasers: Releasers,
): Promise<Service> {
  const folder = await makeHomeFolder(home, 'sandbox');
  const args = ['sandbox', '--port', '0', '--data-file', join(folder, 'data.ndjson')];
  for (const fault of faults) args.push('--fault', fault);
  // By the package's own name: the bundle lies elsewhere than the source.
  const root = dirname(createRequire(import.meta.url).resolve('onboard/package.json'));
  const main = join(root, 'dist', 'main.js');
  const child = fork(main, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  releasers.push(() => stopChild(child));
  const { url, token } = sandboxHelloSchema.parse(await firstMessage(child));
  return { target: SANDBOX_TARGET, baseUrl: url, credentials: createCredentials({ kind: 'token', token }) };
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const failed = once(child, 'exit').then(() => {
    throw new UsageError('The sandbox did not start; its own words are above.');
  });
  const [message] = await Promise.race([once(child, 'message'), failed]);
  return message;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}
