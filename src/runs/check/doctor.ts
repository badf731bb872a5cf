/**
 * The doctor: what is wrong with all that a run stands on, the machine, the settings, Redis and the
 * service. A problem keeps rows from being sent, a warning doesn't. Nothing is changed, and nothing
 * is asked of the service: a connection is opened and closed.
 */
import { existsSync } from 'node:fs';
import { access, constants, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import {
  type Environment,
  type NotifySettings,
  readEnvironment,
  type TokenSource,
} from '../../config/environment.ts';
import { listJobs, loadJob } from '../../config/load-job.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import { parseBaseUrl } from '../../delivery/service/base-url.ts';
import { createCredentials } from '../../delivery/service/credentials.ts';
import { codeOf, codeOfNetworkError, NETWORK_SENTENCES } from '../../delivery/service/network-error.ts';
import { openRoute, type Route, tryConnection } from '../../delivery/service/route.ts';
import { baseUrlOf } from '../../delivery/target.ts';
import { keyWarning } from '../../engine/ledger/sealing.ts';
import {
  type DataServer,
  dataServers,
  judgeSettings,
  type RedisSettings,
  readSettings,
  type SettingsFinding,
} from '../../engine/redis/settings.ts';
import { openWebhook } from '../../faces/notify/webhook.ts';
import { messageOf } from '../../lib/errors.ts';
import { createLog } from '../../lib/log.ts';
import { freeBytes, isUserTold, systemUser } from '../../lib/machine.ts';
import { OTHERS_MAY_ANYTHING } from '../../lib/make-folder.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { createReleasers, type Releasers } from '../../lib/releasers.ts';
import { countOf, type Io, shellWord } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { inMegabytes, judgeSpace, type Ledger, openLedger } from '../../session.ts';
import { serviceWords } from '../service-notice.ts';
import { serviceReport } from '../status.ts';

export type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
};

export async function examine(io: Io): Promise<readonly Finding[]> {
  const node = checkNode(process.versions.node);
  let env: Environment;
  try {
    env = readEnvironment(io.env);
  } catch (error) {
    const advice = 'Correct or unset that variable; every command refuses to start with it.';
    return [node, ...problemsOf('environment', error, advice)];
  }
  const ofHome = await checkHome(env.home);
  // The embedded Redis fails for the same cause.
  const isHomeBroken = env.redis === null && ofHome.some(({ status }) => status === 'problem');
  const ofLedger = await checkLedger(env);
  return [
    node,
    ok('environment', 'every value is well-formed'),
    ...(isUserTold() ? [] : [ok('approval', `${systemUser().name} ${TELLS_NOBODY}`)]),
    ...ofHome,
    ...ofLedger.filter(({ check, status }) => !isHomeBroken || check !== 'redis' || status !== 'problem'),
    ...(await checkService(env)),
    ...(await checkCredentials(env.tokenSource)),
    ...(await checkNotify(env.notify)),
    ...(await checkJobs(env.jobsDirectory)),
  ];
}

const TELLS_NOBODY =
  "is a container's or has no name, and tells nobody apart: what " +
  'asks for approval is approved at the page alone, by people ' +
  'with tokens of their own';

function ok(check: string, finding: string): Finding {
  return { check, status: 'ok', finding, advice: null };
}

function warning(check: string, finding: string, advice: string): Finding {
  return { check, status: 'warning', finding, advice };
}

function problem(check: string, finding: string, advice: string): Finding {
  return { check, status: 'problem', finding, advice };
}

/** The problems that an error names; messages of errors hold no secret. */
function problemsOf(check: string, error: unknown, advice: string): Finding[] {
  if (error instanceof UsageError) return error.problems.map((text) => problem(check, text, advice));
  return [problem(check, messageOf(error), advice)];
}

const OLDEST_NODE = [20, 19] as const;
/** `version` as Node gives it: 20.19.0. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', version);
  const finding = `${version}, expected ${OLDEST_NODE.join('.')} or newer`;
  return problem('node', finding, 'Install a newer Node.js: https://nodejs.org');
}

async function checkHome(home: string): Promise<Finding[]> {
  const places = await writtenFolders(home);
  const tried = await Promise.allSettled(places.map((path) => access(path, constants.W_OK | constants.X_OK)));
  const locked = places.filter((_, i) => tried[i]?.status === 'rejected');
  if (locked.length > 0) {
    const finding = `this user may not write to ${locked.join(', ')}`;
    return [problem('home', finding, `\`chown\` it to this user, or set ONBOARD_HOME to another folder.`)];
  }
  return [await judgeReaders(home), diskFinding(await freeBytes(places[0] ?? home))];
}

/** ONBOARD_HOME and the folders in it; where it is not there yet, the one that it is made in. */
async function writtenFolders(home: string): Promise<readonly string[]> {
  if (!existsSync(home)) return [nearestFolder(home)];
  const inside = await readdir(home, { withFileTypes: true }).catch(() => []);
  return [home, ...inside.filter((one) => one.isDirectory()).map(({ name }) => join(home, name))];
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** A home that is closed closes all that lies in it. */
async function judgeReaders(home: string): Promise<Finding> {
  if (!existsSync(home)) return ok('home', `${home} is not there yet; the first run makes it`);
  const { mode } = await stat(home);
  if ((mode & OTHERS_MAY_ANYTHING) === 0) return ok('home', `${home} is writable, and this user's alone`);
  const finding = `other users of this machine may enter ${home}, where personal data lies`;
  return warning('home', finding, `chmod go-rwx ${shellWord(home)}`);
}

export function diskFinding(free: number): Finding {
  const { status, finding } = judgeSpace(free);
  const advice = 'Make room, or set ONBOARD_HOME to a folder on another disk.';
  return { check: 'disk', status, finding, advice: status === 'ok' ? null : advice };
}

/** Where the home has none yet, one is tried in a folder that is gone afterwards. */
async function checkLedger(env: Environment): Promise<Finding[]> {
  const releasers = createReleasers(() => undefined);
  try {
    const log = createLog('silent', { write: () => undefined }, Date.now);
    const home = existsSync(join(env.home, 'redis')) ? env.home : await trialHome(releasers);
    const ledger = await openLedger({ ...env, home }, log, releasers);
    const where = env.redis === null ? 'the embedded server' : ledger.name;
    return [
      ...(await checkRedis(ledger.redis, where)),
      await checkSealing(ledger, env),
      ...(await checkOutage(env, ledger).catch(() => [])),
    ];
  } catch (error) {
    return problemsOf('redis', error, 'No run can start without it.');
  } finally {
    await releasers.release();
  }
}

async function checkSealing({ sealing }: Ledger, { encryptionKey }: Environment): Promise<Finding> {
  const text = encryptionKey === null ? null : await keyWarning(encryptionKey);
  if (text !== null) return warning('encryption', text, 'chmod 600 the key file.');
  if (sealing.keyId !== null)
    return ok('encryption', `what Redis and journals keep of rows is sealed under the key ${sealing.keyId}`);
  const inClear =
    'rows that wait, keys, messages, rows that did not succeed, what the service said, names of files';
  return ok('encryption', `no key is set: Redis, its files and the journals hold in clear ${inClear}`);
}

/** As its runs found it; an address that can't be used is told elsewhere. */
async function checkOutage({ baseUrl }: Environment, ledger: Ledger): Promise<Finding[]> {
  const report = baseUrl === null ? null : await serviceReport(ledger, baseUrlOf(baseUrl));
  if (report === null || report.state === 'well') return [];
  return [warning('service', serviceWords(report), 'Runs wait for it: `onboard status` names them.')];
}

async function trialHome(releasers: Releasers): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'onboard-doctor-'));
  releasers.push(() => rm(home, { recursive: true, force: true }));
  return home;
}

const MEMORY_SHARE_MAX = 0.8;

/** A Redis that answers: settings and memory of each server. */
async function checkRedis(redis: RedisConnection, where: string): Promise<Finding[]> {
  const servers = await dataServers(redis);
  const found = await Promise.all(
    servers.map(async (server) => named(server, await checkServer(server.redis, server.name ?? where))),
  );
  const isCluster = servers.some(({ name }) => name !== null);
  return [
    ...(isCluster ? [ok('redis', `${where} is a cluster of ${countOf(servers.length, 'master')}`)] : []),
    ...found.flat(),
  ];
}

async function checkServer(redis: Redis, where: string): Promise<Finding[]> {
  const settings = await readSettings(redis);
  return [
    ok('redis', `${where} answers, version ${settings.version ?? 'unknown'}`),
    ...judgedSettings(settings),
    ...judgeMemory(settings),
  ];
}

function named({ name }: DataServer, findings: readonly Finding[]): Finding[] {
  return findings.map((one) =>
    name === null || one.check === 'redis' ? one : { ...one, check: `${one.check} of ${name}` },
  );
}

function judgedSettings(settings: RedisSettings): Finding[] {
  const found = judgeSettings(settings);
  if (found.length === 0) return [ok('redis settings', 'append-only with fsync always, noeviction')];
  return found.map(settingsFinding);
}

function settingsFinding({ kind, problem: what, advice }: SettingsFinding): Finding {
  if (kind === 'impossible') return problem('redis settings', what, advice);
  if (kind === 'warning') return warning('redis settings', what, advice);
  return problem('redis settings', what, `${advice} Or start with --accept-redis-settings.`);
}

/** No finding where the server doesn't tell its memory. */
export function judgeMemory({ usedMemoryBytes, maxMemoryBytes }: RedisSettings): Finding[] {
  if (usedMemoryBytes === null || maxMemoryBytes === null) return [];
  const used = inMegabytes(usedMemoryBytes);
  if (maxMemoryBytes === 0) return [ok('redis memory', `${used} used, no limit set`)];
  const share = usedMemoryBytes / maxMemoryBytes;
  const finding = `${Math.round(share * 100)} % of maxmemory (${used} of ${inMegabytes(maxMemoryBytes)})`;
  if (share <= MEMORY_SHARE_MAX) return [ok('redis memory', finding)];
  return [warning('redis memory', finding, 'Raise maxmemory: a full Redis makes reading wait.')];
}

const REHEARSE = 'or rehearse with --sandbox.';

/** Connects and asks nothing, since no call is documented as harmless. */
async function checkService({ baseUrl, route }: Environment): Promise<Finding[]> {
  if (baseUrl === null) {
    const advice = `Set it to the address of the service, such as https://api.example.com, ${REHEARSE}`;
    return [problem('service', 'MSB_BASE_URL is not set', advice)];
  }
  try {
    const { origin } = parseBaseUrl(baseUrl);
    return [await judgeConnection(origin, openRoute(origin, route))];
  } catch (error) {
    return problemsOf('service', error, `Correct it, ${REHEARSE}`);
  }
}

const ADVICE = 'Check MSB_BASE_URL, the network, HTTPS_PROXY and the MSB_TLS_ files.';

async function judgeConnection(origin: string, route: Route): Promise<Finding> {
  const way = route.proxy === null ? '' : ` through the proxy ${route.proxy.origin}`;
  try {
    await tryConnection(origin, route);
    const kind = origin.startsWith('https:') ? 'encrypted ' : '';
    return ok('service', `${origin} takes ${kind}connections${way} (no request was sent)`);
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : String(error);
    const finding = `${origin}${way}: ${NETWORK_SENTENCES[codeOfNetworkError(code)]} (${code})`;
    return problem('service', finding, ADVICE);
  }
}

/** Whether the service takes the token shows at the first row, and a refused one costs no row. */
async function checkCredentials(source: TokenSource): Promise<Finding[]> {
  if (source.kind === 'none') {
    const advice = `Set one of MSB_TOKEN, MSB_TOKEN_FILE and MSB_TOKEN_COMMAND, ${REHEARSE}`;
    return [problem('credentials', 'no token is set', advice)];
  }
  const credentials = createCredentials(source);
  try {
    await credentials.current();
  } catch (error) {
    return problemsOf('credentials', error, 'Correct it, or set another of the token variables.');
  }
  const name = { value: 'MSB_TOKEN', file: 'MSB_TOKEN_FILE', command: 'MSB_TOKEN_COMMAND' }[source.kind];
  const given = ok('credentials', `${name} gives a token; whether the service takes it was not tried`);
  const text = credentials.warning();
  return text === null ? [given] : [given, warning('credentials', text, 'chmod 600 the token file.')];
}

/** Nothing is sent there. */
async function checkNotify({ webhook, command }: NotifySettings): Promise<Finding[]> {
  const ofCommand = command === null ? [] : [ok('events', 'ONBOARD_NOTIFY_COMMAND is given each event')];
  if (webhook === null) return ofCommand;
  try {
    await openWebhook(webhook);
    const { mode } = await stat(webhook.secretFile);
    const { host } = new URL(webhook.url);
    const known = ok('events', `sent to ${host}, signed`);
    if ((mode & ANYBODY_MAY_READ) === 0) return [known, ...ofCommand];
    const text = `every user of this machine can read ${webhook.secretFile}, and so sign as this program`;
    return [known, warning('events', text, `chmod 600 ${webhook.secretFile}`), ...ofCommand];
  } catch (error) {
    return [...problemsOf('events', error, 'Correct it, or unset ONBOARD_WEBHOOK_URL.'), ...ofCommand];
  }
}

const ANYBODY_MAY_READ = 0o004;

async function checkJobs(folder: string): Promise<Finding[]> {
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
    await loadJob(name, folder, definitionProblems);
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
