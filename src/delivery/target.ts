/**
 * The service that runs are sent to, and its target: `sandbox`, or the base URL in one spelling.
 * Each target has its own ledger, so that a rehearsal never marks a key as created.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { type Environment, makeHomeFolder } from '../config/environment.ts';
import type { Releasers } from '../lib/releasers.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programFile } from '../lib/version.ts';
import { parseBaseUrl } from './service/base-url.ts';
import { type Credentials, createCredentials } from './service/credentials.ts';
import { DIRECT, openRoute, type Route } from './service/route.ts';

export type Service = {
  readonly target: string;
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly route: Route;
};

export const SANDBOX_TARGET = 'sandbox';

export async function serviceReady(env: Environment, io: Io): Promise<Service> {
  const service = serviceFromEnvironment(env);
  await service.credentials.current();
  const warning = service.credentials.warning();
  if (warning !== null) tell(io, `warning: ${warning}`);
  return service;
}

/** A UsageError says what is missing. */
export function serviceFromEnvironment(env: Environment): Service {
  const problems: string[] = [];
  if (env.baseUrl === null) problems.push(NO_ADDRESS);
  if (env.tokenSource.kind === 'none') problems.push(NO_CREDENTIALS);
  if (env.baseUrl === null || env.tokenSource.kind === 'none') throw new UsageError(problems);
  // Refused before a run is registered: a worker could only fail at it again and again.
  const baseUrl = baseUrlOf(env.baseUrl);
  const route = openRoute(baseUrl, env.route);
  return { target: baseUrl, baseUrl, credentials: createCredentials(env.tokenSource), route };
}

const NO_ADDRESS =
  'MSB_BASE_URL is not set: expected the address of the service, ' +
  'such as https://api.example.com, or --sandbox.';
const NO_CREDENTIALS =
  'No credentials: expected one of MSB_TOKEN, MSB_TOKEN_FILE, MSB_TOKEN_COMMAND, or --sandbox.';

/** In one spelling: one service under two names would be sent everything twice. */
export function baseUrlOf(text: string): string {
  const { origin, basePath } = parseBaseUrl(text);
  return `${origin}${basePath}`;
}

type ServiceParts = { readonly env: Environment; readonly io: Io; readonly releasers: Releasers };

/** A UsageError where the environment names another service. */
export async function serviceOf(target: string, { env, io, releasers }: ServiceParts): Promise<Service> {
  if (target === SANDBOX_TARGET) return startSandboxChild(env.home, releasers);
  const service = await serviceReady(env, io);
  if (service.target === target) return service;
  throw new UsageError(
    `The run goes to ${target}, but MSB_BASE_URL is ${service.target}: expected the same service.`,
  );
}

/** A service that is never called: no chunk is taken, no intent granted. */
export function nowhere(target: string): Service {
  const refuse = async () => {
    throw new Error('this command sends nothing');
  };
  const credentials = {
    current: refuse,
    refresh: async () => null,
    another: async () => null,
    mayBeAnother: async () => false,
    whyRefused: () => null,
    warning: () => null,
  };
  const baseUrl = target === SANDBOX_TARGET ? 'http://127.0.0.1' : target;
  return { target, baseUrl, credentials, route: DIRECT };
}

const sandboxHelloSchema = z.object({ url: z.string(), token: z.string() });

/** The sandbox as a child process. What was made is kept, as the ledger keeps its known keys. */
export async function startSandboxChild(home: string, releasers: Releasers): Promise<Service> {
  const folder = await makeHomeFolder(home, 'sandbox');
  const args = ['sandbox', '--port', '0', '--data-file', join(folder, 'data.ndjson')];
  const child = fork(programFile(), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  releasers.push(() => stopChild(child));
  const { url, token } = sandboxHelloSchema.parse(await firstMessage(child));
  return {
    target: SANDBOX_TARGET,
    baseUrl: url,
    credentials: createCredentials({ kind: 'value', value: token }),
    route: DIRECT,
  };
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const failed = once(child, 'exit').then(() => {
    throw new UsageError('The sandbox did not start; its own message is above.');
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
