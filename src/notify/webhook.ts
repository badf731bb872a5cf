/**
 * Events as signed webhooks, by Standard Webhooks (standardwebhooks.com): id, time and body under HMAC-SHA256, with each secret of the
 * file, so that a receiver can change its secret without missing one. One POST a try, over a connection of its own: no redirect is
 * followed, TLS is verified, and the address comes from the environment alone.
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { errorCode, messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Channel, Message, Told } from './channel.ts';

export type WebhookOptions = {
  /** https, or http on this machine. */
  readonly url: string;
  readonly secretFile: string;
  /** onboard's own version, for the user agent. */
  readonly version: string;
  /** By default for one try 20 s, and a day of further tries. */
  readonly timeoutMs?: number;
  readonly pausesMs?: readonly number[];
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIMEOUT_MS = 20 * SECOND;
const LEASE_MS = 60 * SECOND;
/** Since the first try: 5 s, 5 min, 30 min, then 2, 5, 10, 14, 20 and 24 hours. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE - 5 * SECOND,
  25 * MINUTE,
  1.5 * HOUR,
  3 * HOUR,
  5 * HOUR,
  4 * HOUR,
  6 * HOUR,
  4 * HOUR,
];

/** The webhook of the environment; throws a UsageError where its secret can't be used. */
export async function openWebhook(options: WebhookOptions): Promise<Channel> {
  await readSecrets(options.secretFile);
  const { pausesMs = PAUSES_MS } = options;
  return { name: 'webhook', pausesMs, leaseMs: LEASE_MS, tell: (message) => post(message, options) };
}

async function post(message: Message, options: WebhookOptions): Promise<Told> {
  try {
    // Read for each try, so that a secret that was changed needs no restart.
    const secrets = await readSecrets(options.secretFile);
    const headers = signedHeaders(message, { secrets, now: new Date() });
    return verdictOf(await send(message.body, headers, options));
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const why = timedOut ? 'no answer in time' : errorCode(error) || messageOf(error);
    return { kind: 'failed', why, afterMs: null };
  }
}

type Signing = { readonly secrets: readonly Buffer[]; readonly now: Date };

/** The headers by which a receiver knows the sender, the time of the try, and an event that it was told before. */
export function signedHeaders({ id, body }: Message, { secrets, now }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / SECOND));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

type Answer = { readonly status: number; readonly afterMs: number | null };

function send(body: string, signed: Record<string, string>, options: WebhookOptions): Promise<Answer> {
  const { url, version, timeoutMs = TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...signed,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `onboard/${version}`,
      },
    });
    request.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, afterMs: retryAfterMs(response) });
      // What it says besides is not asked for.
      response.destroy();
    });
    request.on('error', (error) => reject(isTimeout(error) ? error.cause : error));
    request.end(body);
  });
}

/** Node wraps the signal's own reason. */
function isTimeout(error: Error): boolean {
  return error.name === 'AbortError' && error.cause instanceof Error;
}

function retryAfterMs({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

const GONE = 410;

function verdictOf({ status, afterMs }: Answer): Told {
  if (status >= 200 && status < 300) return { kind: 'told' };
  if (status === GONE) return { kind: 'off', why: 'it answered 410: nobody wants events there any more' };
  const why =
    status >= 300 && status < 400
      ? `it answered ${status}, and no redirect is followed`
      : `it answered ${status}`;
  return { kind: 'failed', why, afterMs };
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const SHORTEST_BYTES = 24;
const LONGEST_BYTES = 64;
/** Far more than two secrets. */
const MAX_CHARACTERS = 1_000;

/** The secrets, the current one first; throws a UsageError that holds none of them. */
async function readSecrets(path: string): Promise<readonly Buffer[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `ONBOARD_WEBHOOK_SECRET_FILE ${path} can't be read (${errorCode(error)}): expected a file with the secret that the receiver knows.`,
      { cause: error },
    );
  });
  const secrets = text
    .slice(0, MAX_CHARACTERS)
    .trim()
    .split(/\s*\n\s*/)
    .map(secretOf);
  const usable = secrets.filter((secret) => secret !== null);
  if (usable.length === secrets.length && secrets.length <= 2) return usable;
  throw new UsageError(
    `ONBOARD_WEBHOOK_SECRET_FILE ${path}: expected one line, or the new secret and the old one on two, each "whsec_" and the base64 of ${SHORTEST_BYTES} to ${LONGEST_BYTES} bytes: echo "whsec_$(openssl rand -base64 32)".`,
  );
}

function secretOf(line: string): Buffer | null {
  const secret = Buffer.from(SECRET.exec(line)?.[1] ?? '', 'base64');
  return secret.length >= SHORTEST_BYTES && secret.length <= LONGEST_BYTES ? secret : null;
}
