/** The environment variables of the program, and ONBOARD_HOME's folder. */
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../lib/errors.ts';
import { isLoopback, systemUser } from '../lib/machine.ts';
import { makeFolder, syncFolder } from '../lib/make-folder.ts';
import type { SecretSource } from '../lib/secret.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Actor } from '../model/audit.ts';
import { homeOf, isForeignHome } from '../model/home.ts';
import { redisAddressOf, redisConflicts, redisVariables } from './redis-address.ts';
import { routeConflicts, routeSettingsOf, routeVariables } from './service-route.ts';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

const WEBHOOK_EXPECTED =
  'expected the address that events are sent to, https (or http on this machine), without a user name';

/** One that is no URL at all is told already. */
function isSafeWebhook(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { protocol, hostname, username, password } = new URL(text);
  return (protocol === 'https:' || isLoopback(hostname)) && username === '' && password === '';
}

const TYPED_CHARACTERS = 200;
export const ONE_LINE = `up to ${TYPED_CHARACTERS} characters in one line, without control characters`;

export function isOneLine(text: string): boolean {
  return text !== '' && text.length <= TYPED_CHARACTERS && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const environmentSchema = z.object({
  MSB_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'expected an http(s) URL such as https://api.example.com' })
    .optional(),
  MSB_TOKEN: z.string().optional(),
  MSB_TOKEN_FILE: z.string().optional(),
  MSB_TOKEN_COMMAND: z.string().optional(),
  ...routeVariables,
  ...redisVariables,
  ONBOARD_ACTOR: z.string().trim().refine(isOneLine, `expected ${ONE_LINE}`).optional(),
  ONBOARD_HOME: z.string().optional(),
  ONBOARD_JOBS: z.string().optional(),
  ONBOARD_ENCRYPTION_KEY: z.string().optional(),
  ONBOARD_ENCRYPTION_KEY_FILE: z.string().optional(),
  ONBOARD_ENCRYPTION_KEY_COMMAND: z.string().optional(),
  ONBOARD_ENCRYPTION_KEY_OLD: z.string().optional(),
  ONBOARD_ENCRYPTION_KEY_OLD_FILE: z.string().optional(),
  ONBOARD_RETENTION: z
    .string()
    .refine((text) => ageOf(text) !== null, 'expected days, such as 90d')
    .optional(),
  ONBOARD_WEB_TOKEN: z.string().optional(),
  ONBOARD_WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: WEBHOOK_EXPECTED })
    .refine(isSafeWebhook, WEBHOOK_EXPECTED)
    .optional(),
  ONBOARD_WEBHOOK_SECRET_FILE: z.string().optional(),
  ONBOARD_NOTIFY_COMMAND: z.string().optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).optional(),
});

/** Where a bearer token comes from; `none` is enough for commands that don't call the service. */
export type TokenSource = { readonly kind: 'none' } | SecretSource;

const NO_TOKEN: TokenSource = { kind: 'none' };

export type NotifySettings = {
  readonly webhook: { readonly url: string; readonly secretFile: string } | null;
  readonly command: string | null;
};

export type Environment = ReturnType<typeof readEnvironment>;

export function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const parsed = environmentSchema.safeParse(withoutEmpty(env));
  const problems = parsed.success ? [] : parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
  problems.push(...secretConflicts(env, 'MSB_TOKEN'), ...secretConflicts(env, 'ONBOARD_ENCRYPTION_KEY'));
  problems.push(...secretConflicts(env, 'ONBOARD_ENCRYPTION_KEY_OLD'));
  problems.push(...routeConflicts(env), ...redisConflicts(env), ...webhookConflicts(env));
  if (problems.length > 0 || !parsed.success) throw new UsageError(problems);
  const e = parsed.data;
  const home = e.ONBOARD_HOME === undefined ? foundHome(process.cwd()) : resolve(e.ONBOARD_HOME);
  return {
    /** Who acts where nobody is logged in. */
    actor: actorOf(e.ONBOARD_ACTOR),
    baseUrl: e.MSB_BASE_URL ?? null,
    tokenSource: secretOf(e.MSB_TOKEN, e.MSB_TOKEN_FILE, e.MSB_TOKEN_COMMAND) ?? NO_TOKEN,
    route: routeSettingsOf(e),
    /** Of what the ledger keeps of rows; `null`: it stands in clear. */
    encryptionKey: secretOf(
      e.ONBOARD_ENCRYPTION_KEY,
      e.ONBOARD_ENCRYPTION_KEY_FILE,
      e.ONBOARD_ENCRYPTION_KEY_COMMAND,
    ),
    /** One or more, apart by white space or commas. */
    formerKeys: secretOf(e.ONBOARD_ENCRYPTION_KEY_OLD, e.ONBOARD_ENCRYPTION_KEY_OLD_FILE),
    /** `null` for the embedded server. */
    redis: redisAddressOf(e),
    /** Absolute, as is `jobsDirectory`. */
    home,
    jobsDirectory: e.ONBOARD_JOBS === undefined ? jobsBeside(home) : resolve(e.ONBOARD_JOBS),
    notify: notifySettingsOf(e),
    /** After that a watcher purges runs that are over; `null`: never. */
    retentionMs: ageOf(e.ONBOARD_RETENTION ?? ''),
    logLevel: e.LOG_LEVEL ?? null,
  };
}

function actorOf(name: string | undefined): Actor {
  const user = systemUser();
  return name === undefined ? user : { name, via: 'ONBOARD_ACTOR', user: user.name };
}

/** In ms; `null`: it is no number of days, such as `90d`. */
export function ageOf(text: string): number | null {
  const [, days] = /^([1-9]\d{0,4})d$/.exec(text) ?? [];
  return days === undefined ? null : Number(days) * 86_400_000;
}

function foundHome(folder: string): string {
  const home = homeOf(folder);
  if (!isForeignHome(home, folder)) return home;
  throw new UsageError(
    `${home} is above this folder, and another user's: expected a ` +
      'home of your own. Set ONBOARD_HOME to the one that is meant.',
  );
}

/** Of the current folder, or else those beside the home. */
function jobsBeside(home: string): string {
  const here = resolve('jobs');
  return existsSync(here) ? here : join(dirname(home), 'jobs');
}

/** `NAME=` in a shell or a compose file means "not set". */
function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function secretConflicts(env: Readonly<Record<string, string | undefined>>, name: string): string[] {
  const set = [name, `${name}_FILE`, `${name}_COMMAND`].filter((one) => env[one]);
  return set.length > 1 ? [`${set.join(' and ')} are both set: expected one of them`] : [];
}

/** `null`: none of the three is set. */
function secretOf(value?: string, file?: string, command?: string): SecretSource | null {
  if (value !== undefined) return { kind: 'value', value };
  if (file !== undefined) return { kind: 'file', path: resolve(file) };
  return command === undefined ? null : { kind: 'command', command };
}

function webhookConflicts({
  ONBOARD_WEBHOOK_URL: url,
  ONBOARD_WEBHOOK_SECRET_FILE: file,
}: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (Boolean(url) === Boolean(file)) return [];
  const names = 'ONBOARD_WEBHOOK_URL and ONBOARD_WEBHOOK_SECRET_FILE';
  return [`${names}: expected both or neither to be set`];
}

function notifySettingsOf(e: z.infer<typeof environmentSchema>): NotifySettings {
  const { ONBOARD_WEBHOOK_URL: url, ONBOARD_WEBHOOK_SECRET_FILE: file } = e;
  return {
    webhook: url === undefined || file === undefined ? null : { url, secretFile: resolve(file) },
    command: e.ONBOARD_NOTIFY_COMMAND ?? null,
  };
}

/** Or the home itself; a UsageError where it can't. */
export async function makeHomeFolder(home: string, ...names: readonly string[]): Promise<string> {
  const path = join(home, ...names);
  try {
    await makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    await syncFolder(path);
    return path;
  } catch (error) {
    throw new UsageError(
      `ONBOARD_HOME ${home} can't be used: ${messageOf(error)}. Expected a folder that ` +
        'this user may write to, on a file system that has fsync: set ONBOARD_HOME to one.',
      { cause: error },
    );
  }
}
