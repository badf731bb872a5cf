/**
 * What the doctor says of what the user sets: the environment, the service's address, the
 * credentials and the jobs.
 */
import { stat } from 'node:fs/promises';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import {
  type Environment,
  type NotifySettings,
  readEnvironment,
  type TokenSource,
} from '../config/environment.ts';
import { listJobs } from '../config/load-job.ts';
import { redisVariables } from '../config/redis-address.ts';
import { countOf, type Io } from '../lib/terminal.ts';
import { programVersion } from '../lib/version.ts';
import type { Reply } from '../model/request.ts';
import { openWebhook } from '../notify/webhook.ts';
import { loadFittingJob } from '../runs/input.ts';
import { createClient } from '../service/attempt.ts';
import { type BaseUrl, parseBaseUrl } from '../service/base-url.ts';
import { createCredentials } from '../service/credentials.ts';
import { codeOf, codeOfNetworkError, NETWORK_SENTENCES } from '../service/network-error.ts';
import { type Finding, ok, problem, problemsOf, warning } from './doctor-finding.ts';

type ExaminedEnvironment = {
  readonly env: Environment;
  /** False: what it says of the service is malformed. */
  readonly knowsService: boolean;
  /** False: what it says of Redis is malformed. */
  readonly knowsRedis: boolean;
  readonly findings: readonly Finding[];
};

const PLACES = ['ONBOARD_HOME', 'ONBOARD_JOBS'] as const;
const REDIS = Object.keys(redisVariables);
const ADVICE = 'Correct or unset that variable; every command refuses to start with it.';

/** Reads the environment; where a value is malformed, only what depends on it is not checked. */
export function examineEnvironment(variables: Io['env']): ExaminedEnvironment {
  try {
    const env = readEnvironment(variables);
    const findings = [ok('environment', 'every value is well-formed')];
    return { env, knowsService: true, knowsRedis: true, findings };
  } catch (error) {
    const findings = problemsOf('environment', error, ADVICE);
    return { ...withoutService(variables), knowsService: false, findings };
  }
}

function withoutService(variables: Io['env']): Pick<ExaminedEnvironment, 'env' | 'knowsRedis'> {
  try {
    return { env: readEnvironment(only(variables, [...PLACES, ...REDIS])), knowsRedis: true };
  } catch {
    return { env: readEnvironment(only(variables, PLACES)), knowsRedis: false };
  }
}

function only(variables: Io['env'], names: readonly string[]): Io['env'] {
  return Object.fromEntries(names.map((name) => [name, variables[name]]));
}

const REHEARSE = 'or rehearse with --sandbox.';

/** Connects and asks nothing, since no call is documented as harmless. */
export async function checkService(baseUrl: string | null): Promise<Finding[]> {
  if (baseUrl === null) {
    const advice = `Set it to the address of the service, such as https://api.example.com, ${REHEARSE}`;
    return [problem('service', 'MSB_BASE_URL is not set', advice)];
  }
  try {
    return [await tryConnection(parseBaseUrl(baseUrl))];
  } catch (error) {
    return problemsOf('service', error, `Correct MSB_BASE_URL, ${REHEARSE}`);
  }
}

async function tryConnection({ origin }: BaseUrl): Promise<Finding> {
  const { hostname, port, protocol } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    await openConnection({ host, port: Number(port) || (isEncrypted ? 443 : 80), isEncrypted });
    const kind = isEncrypted ? 'encrypted connections' : 'connections';
    return ok('service', `${origin} takes ${kind} (no request was sent)`);
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : String(error);
    const finding = `${origin}: ${NETWORK_SENTENCES[codeOfNetworkError(code)]} (${code})`;
    const advice = `Check MSB_BASE_URL, the network and, for a certificate of your own, NODE_EXTRA_CA_CERTS.`;
    return problem('service', finding, advice);
  }
}

const NAMES: Readonly<Record<TokenSource['kind'], string>> = {
  none: '',
  token: 'MSB_TOKEN',
  file: 'MSB_TOKEN_FILE',
  command: 'MSB_TOKEN_COMMAND',
};

/** `baseUrl`: one that takes connections, `null` where there is none. */
type TokenTrial = { readonly baseUrl: string | null; readonly path: string };

/** Whether there is a token, and whether the service takes it where a call is named. */
export async function checkCredentials(
  source: TokenSource,
  trial: TokenTrial | null = null,
): Promise<Finding[]> {
  if (source.kind === 'none') {
    const advice = `Set one of MSB_TOKEN, MSB_TOKEN_FILE and MSB_TOKEN_COMMAND, ${REHEARSE}`;
    return [problem('credentials', 'no token is set', advice)];
  }
  const credentials = createCredentials(source);
  let token: string;
  try {
    token = await credentials.current();
  } catch (error) {
    return problemsOf('credentials', error, 'Correct it, or set another of the token variables.');
  }
  const how = trial === null ? '--call <path> tries it' : 'there is no connection to it';
  const baseUrl = trial?.baseUrl ?? null;
  const untried = baseUrl === null ? `; whether the service takes it was not tried (${how})` : '';
  const known = ok('credentials', `${NAMES[source.kind]} gives a token${untried}`);
  const text = credentials.warning();
  return [
    known,
    ...(text === null ? [] : [warning('credentials', text, 'chmod 600 the token file.')]),
    ...(trial === null || baseUrl === null ? [] : [await tryToken(baseUrl, trial.path, token)]),
  ];
}

/** Sends one GET with the token; of the answer's body nothing is shown. */
async function tryToken(baseUrl: string, path: string, token: string): Promise<Finding> {
  const version = programVersion();
  const client = createClient({ baseUrl, concurrency: 1, timeoutMs: CALL_TIMEOUT_MS, version });
  try {
    return judgeTokenCall(path, await client.attempt({ method: 'GET', path, body: null }, token));
  } finally {
    await client.close();
  }
}

const CALL_TIMEOUT_MS = 15_000;
const OTHER_CALL =
  "Name another GET with --call: one that the token's user may make, and that changes nothing.";

/** What the answer to the call says of the token; only a 2xx says that it is taken. */
export function judgeTokenCall(path: string, reply: Reply): Finding {
  const call = `GET ${path}`;
  if (reply.kind === 'no-response') {
    const code = codeOfNetworkError(reply.code);
    const advice = 'Check MSB_BASE_URL and the network, then try again.';
    return problem('token', `${call}: ${NETWORK_SENTENCES[code]}`, advice);
  }
  const { status } = reply;
  const said = `${call} was answered with ${status}`;
  if (status >= 200 && status < 300) return ok('token', `${said}: the service takes the token`);
  if (status === 401) {
    const advice = 'Get a valid token, and set it by MSB_TOKEN, MSB_TOKEN_FILE or MSB_TOKEN_COMMAND.';
    return problem('token', `${said}: the service refuses the token`, advice);
  }
  if (status === 403) {
    const advice = `Have the permission for it granted to the token's user, if that was meant. ${OTHER_CALL}`;
    return warning('token', `${said}: the service forbids this call with this token`, advice);
  }
  const later = status === 429 || status >= 500;
  const advice = later ? 'Try again later.' : `Check MSB_BASE_URL and the path. ${OTHER_CALL}`;
  return warning('token', `${said}, which says nothing of the token`, advice);
}

/** Where people are told of events, if they want to be; nothing is sent there. */
export async function checkNotify({ webhook, command }: NotifySettings): Promise<Finding[]> {
  const ofCommand = command === null ? [] : [ok('events', 'ONBOARD_NOTIFY_COMMAND is given each event')];
  if (webhook === null) return ofCommand;
  try {
    await openWebhook(webhook);
    const { mode } = await stat(webhook.secretFile);
    const { host } = new URL(webhook.url);
    const known = ok('events', `sent to ${host}, signed`);
    if ((mode & OTHERS_MAY_READ) === 0) return [known, ...ofCommand];
    const text = `every user of this machine can read ${webhook.secretFile}, and so sign as this program`;
    return [known, warning('events', text, `chmod 600 ${webhook.secretFile}`), ...ofCommand];
  } catch (error) {
    return [...problemsOf('events', error, 'Correct it, or unset ONBOARD_WEBHOOK_URL.'), ...ofCommand];
  }
}

const OTHERS_MAY_READ = 0o004;

const TIMEOUT_MS = 5_000;

type Endpoint = { readonly host: string; readonly port: number; readonly isEncrypted: boolean };

/** Opens a connection and closes it; throws what Node says. */
function openConnection({ host, port, isEncrypted }: Endpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    // TLS takes a server's name, never an address, for its name (RFC 6066, section 3).
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket = isEncrypted ? connectEncrypted({ host, port, ...named }) : connectPlain({ host, port });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const late = Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const timer = setTimeout(() => end(() => reject(late)), TIMEOUT_MS);
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
  });
}

export async function checkJobs(folder: string): Promise<Finding[]> {
  try {
    const names = await listJobs(folder);
    const found = await Promise.all(names.map((name) => checkJob(name, folder)));
    return [...judgeCount(names.length, folder, found), ...found.flat()];
  } catch (error) {
    return problemsOf('jobs', error, 'Set ONBOARD_JOBS to a folder that this user may read.');
  }
}

async function checkJob(name: string, folder: string): Promise<Finding[]> {
  try {
    await loadFittingJob(name, folder);
    return [];
  } catch (error) {
    return problemsOf('jobs', error, 'Correct the definition; `onboard schema` says what may stand in it.');
  }
}

function judgeCount(count: number, folder: string, found: readonly (readonly Finding[])[]): Finding[] {
  if (count === 0) {
    const advice = 'Set ONBOARD_JOBS, or name a definition with --job-file.';
    return [warning('jobs', `${folder} has no job definitions`, advice)];
  }
  const valid = found.filter((one) => one.length === 0).length;
  return valid === 0 ? [] : [ok('jobs', `${countOf(valid, 'valid definition')} in ${folder}`)];
}
