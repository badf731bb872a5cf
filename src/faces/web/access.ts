/**
 * Who may log in, by the environment. What would let others listen or log in is refused before the
 * page listens.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, insteadOf } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/machine.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { readPeople, writeWebFile } from './people.ts';

export type WebAccess = ReturnType<typeof readAccess>;

const SHORTEST_TOKEN = 16;
const ORIGIN_EXPECTED =
  'expected where browsers see the page, https (or http on this machine) and without a path, such as https://onboard.example.com';

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}

const schema = z.object({
  ONBOARD_WEB_TOKEN: z
    .string()
    .min(SHORTEST_TOKEN, `expected at least ${SHORTEST_TOKEN} characters: openssl rand -hex 32`)
    .optional(),
  ONBOARD_WEB_ORIGIN: z.string().refine(isOrigin, ORIGIN_EXPECTED).optional(),
  ONBOARD_WEB_USER_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'expected the name of a header, such as X-Forwarded-User')
    .optional(),
  ONBOARD_WEB_PROXY: z.string().optional(),
  ONBOARD_WEB_PROXY_SECRET_FILE: z.string().optional(),
});

/** From ONBOARD_WEB_*; a UsageError lists every problem. */
export function readAccess(env: Readonly<Record<string, string | undefined>>, home: string) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  const problems = parsed.success ? [] : parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
  const {
    ONBOARD_WEB_USER_HEADER: header,
    ONBOARD_WEB_PROXY: proxy,
    ONBOARD_WEB_PROXY_SECRET_FILE: file,
  } = given;
  const isComplete = header !== undefined && proxy !== undefined && file !== undefined;
  if (!isComplete && (header ?? proxy ?? file) !== undefined)
    problems.push(
      'ONBOARD_WEB_USER_HEADER, ONBOARD_WEB_PROXY and ONBOARD_WEB_PROXY_SECRET_FILE: expected all three, the header with the name of who is logged in, the addresses of the proxy that sets it, and a file with the secret that the proxy sends as X-Onboard-Proxy-Secret, or none of them',
    );
  if (problems.length > 0 || !parsed.success) throw new UsageError(problems);
  const addresses = (proxy ?? '').split(',').map((address) => address.trim());
  return {
    /** Where browsers see it behind a proxy; `null`: only at this machine. */
    origin: parsed.data.ONBOARD_WEB_ORIGIN ?? null,
    /** An operator's, who is asked for a name; `null`: there is none. */
    sharedToken: parsed.data.ONBOARD_WEB_TOKEN ?? null,
    /** The header with a person's name, and who may set it, with the secret. */
    proxy: isComplete ? { header, addresses, secret: secretIn(file) } : null,
    people: () => readPeople(home),
  };
}

const OTHERS_MAY_READ = 0o004;

/** What any user of this machine can read, any of them can send. */
function secretIn(file: string): string {
  let found = '';
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if ((statSync(file).mode & OTHERS_MAY_READ) !== 0) found = ', and every user of this machine can read it';
    else if (/^[!-~]+$/.test(secret) && secret.length >= SHORTEST_TOKEN) return secret;
  } catch (error) {
    found = ` (${errorCode(error)})`;
  }
  throw new UsageError(
    `ONBOARD_WEB_PROXY_SECRET_FILE ${file}${found}: expected a file that others can't read, with one line of at least ${SHORTEST_TOKEN} characters: openssl rand -hex 32, chmod 600`,
  );
}

const HOST_NAME = /^onboard-[0-9a-f]{20}\.localhost$/;

/**
 * This home's host name at this machine, made once. Cookies ignore ports: under a shared name every
 * server of the machine would receive the session.
 */
export async function hostNameOf(home: string): Promise<string> {
  const known = await readFile(join(home, 'web', 'host'), 'utf8').catch(insteadOf('ENOENT', ''));
  if (HOST_NAME.test(known)) return known;
  const name = `onboard-${randomBytes(10).toString('hex')}.localhost`;
  await writeWebFile(home, 'host', name);
  return name;
}

/** Refuses access from elsewhere without a host name and a lasting way to log in. */
export async function assertSafe(
  { origin, sharedToken, proxy, people }: WebAccess,
  host: string,
): Promise<void> {
  if (isLoopback(host.includes(':') ? `[${host}]` : host)) return;
  const problems: string[] = [];
  const flag = `--web ${host || '::'}`;
  if (origin?.startsWith('https:') !== true)
    problems.push(
      `${flag}: others reach that address, and what they say would go over the wire in clear: expected ONBOARD_WEB_ORIGIN=https://… of a proxy before it, or an address of this machine alone, such as 127.0.0.1.`,
    );
  if (sharedToken === null && proxy === null && (await people()).length === 0)
    problems.push(
      `${flag}: nobody could log in there: add people with \`onboard web --add NAME --role operator\`, or set ONBOARD_WEB_TOKEN.`,
    );
  if (problems.length > 0) throw new UsageError(problems);
}
