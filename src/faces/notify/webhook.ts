/**
 * Events as webhooks signed by Standard Webhooks (standardwebhooks.com), with each secret of the
 * file, so that a receiver can change its secret. One POST a try: no redirect is followed, TLS is
 * verified, and the address comes from the environment alone.
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AbortError } from 'p-retry';
import type { NotifySettings } from '../../config/environment.ts';
import { errorCode } from '../../lib/errors.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { programVersion } from '../../lib/version.ts';
import { sleep } from '../../lib/waiting.ts';
import { type Channel, eventBody, type NotifiedEvent } from './event.ts';

type WebhookOptions = NonNullable<NotifySettings['webhook']> & {
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 20_000;
/** The longest pause. */
const LONGEST_MS = 120_000;
const GONE = 410;

export async function openWebhook(options: WebhookOptions): Promise<Channel> {
  await readSecrets(options.secretFile);
  return {
    name: 'webhook',
    async tell(event, stop) {
      const { status, headers } = await post(event, options, stop);
      if (status >= 200 && status < 300) return;
      if (status === GONE) throw new AbortError('it answered 410: nobody wants this');
      // This try ends when the receiver wants the next one.
      const afterMs = retryAfterMs(headers.get('retry-after') ?? '');
      await sleep(Math.min(afterMs, LONGEST_MS), stop);
      const redirect = status >= 300 && status < 400 ? ', and no redirect is followed' : '';
      throw new Error(`it answered ${status}${redirect}`);
    },
  };
}

async function post(
  event: NotifiedEvent,
  { url, secretFile, timeoutMs = TIMEOUT_MS }: WebhookOptions,
  stop: AbortSignal,
): Promise<Response> {
  const body = eventBody(event);
  // For each try: a changed secret needs no restart.
  const secrets = await readSecrets(secretFile);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...signedHeaders(event.id, body, secrets),
        'content-type': 'application/json',
        'user-agent': `onboard/${programVersion()}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stop]),
    });
    // The receiver's body is not needed.
    await answer.body?.cancel();
    return answer;
  } catch (error) {
    throw new Error(causeOf(error));
  }
}

/** `fetch` itself says only "fetch failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  return errorCode(error.cause) || error.message;
}

function signedHeaders(id: string, body: string, secrets: readonly Buffer[]) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(signed);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function retryAfterMs(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : 0;
}

const VARIABLE = 'ONBOARD_WEBHOOK_SECRET_FILE';
const FORM = '"whsec_" and the base64 of 24 to 64 bytes, as of openssl rand -base64 32';
/** One secret, or the new one and the old one. */
const SECRETS = /^\s*whsec_([A-Za-z0-9+/]{32,86})={0,2}(?:\s+whsec_([A-Za-z0-9+/]{32,86})={0,2})?\s*$/;

/** The current one first; a UsageError where they can't be used. */
async function readSecrets(path: string): Promise<readonly Buffer[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `${VARIABLE} ${path} can't be read (${errorCode(error)}): expected the receiver's secret.`,
      { cause: error },
    );
  });
  const [, current, former] = SECRETS.exec(text) ?? [];
  if (current === undefined)
    throw new UsageError(
      `${VARIABLE} ${path}: expected one line, or the new secret and the old one on two: ${FORM}.`,
    );
  const secrets = former === undefined ? [current] : [current, former];
  return secrets.map((secret) => Buffer.from(secret, 'base64'));
}
