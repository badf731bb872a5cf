import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventBody, type NotifiedEvent } from '../../../src/faces/notify/event.ts';
import { openWebhook } from '../../../src/faces/notify/webhook.ts';
import { ownFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { type Received, startReceiver } from './receiver.ts';

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;
const EVENT: NotifiedEvent = {
  id: 'msg_1',
  type: 'run.finished',
  at: new Date(0),
  data: { run: 'r-1', job: 'Müller & Söhne', target: 'https://api.example.com' },
};
const NEVER = new AbortController().signal;

async function secretFile(text: string): Promise<string> {
  const path = join(await ownFolder(), 'secret');
  await writeFile(path, text);
  return path;
}

async function webhookTo(url: string, secrets = newSecret(), timeoutMs = 20_000) {
  return openWebhook({ url, secretFile: await secretFile(secrets), timeoutMs });
}

function verified({ headers, body }: Received, secret: string): unknown {
  const text = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret).verify(body, Object.fromEntries(text));
}

test('what is sent is accepted by a verifier of Standard Webhooks, and what was changed is not', async () => {
  const secret = newSecret();
  const { url, received } = await startReceiver();
  await (await webhookTo(url, `${secret}\n`)).tell(EVENT, NEVER);
  const [sent] = received;
  if (sent === undefined) throw new Error('nothing was received');
  expect(verified(sent, secret)).toEqual(JSON.parse(eventBody(EVENT)));
  expect(sent.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
  expect(() => verified({ ...sent, body: `${sent.body} ` }, secret)).toThrow(/signature/);
  expect(() => verified(sent, newSecret())).toThrow(/signature/);
});

test('while a secret is changed, receivers with either one accept', async () => {
  const secrets = [newSecret(), newSecret(24)] as const;
  const { url, received } = await startReceiver();
  await (await webhookTo(url, secrets.join('\n'))).tell(EVENT, NEVER);
  const [sent] = received;
  if (sent === undefined) throw new Error('nothing was received');
  for (const secret of secrets) expect(verified(sent, secret)).toEqual(JSON.parse(eventBody(EVENT)));
});

test.each([
  ['seconds', () => '1'],
  ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
])('a try that failed is over when the receiver wants to be asked again, in %s', async (_, after) => {
  const answer = () => ({ status: 429, headers: { 'retry-after': after() } });
  const { url } = await startReceiver(answer);
  const webhook = await webhookTo(url);
  const began = performance.now();
  await expect(webhook.tell(EVENT, NEVER)).rejects.toThrow('it answered 429');
  // Node's timers may fire a millisecond early, and a date has no milliseconds.
  expect(performance.now() - began).toBeGreaterThan(990);
});

test('a redirect is a failure, and where it leads nothing is sent', async () => {
  const other = await startReceiver();
  const { url } = await startReceiver(() => ({ status: 307, headers: { location: other.url } }));
  const tried = (await webhookTo(url)).tell(EVENT, NEVER);
  await expect(tried).rejects.toThrow('it answered 307, and no redirect is followed');
  expect(other.received).toEqual([]);
});

test('a receiver that does not answer is given up in time, and one that is not there is told by its code', async () => {
  const { url } = await startReceiver(() => null);
  await expect((await webhookTo(url, newSecret(), 50)).tell(EVENT, NEVER)).rejects.toThrow(
    'no answer in time',
  );
  const gone = await webhookTo(`http://127.0.0.1:${await freePort()}/`);
  await expect(gone.tell(EVENT, NEVER)).rejects.toThrow('ECONNREFUSED');
});

test.each([
  ['', 'nothing'],
  ['s3cret', 'no prefix'],
  [newSecret(23), 'too short'],
  [newSecret(65), 'too long'],
  [[newSecret(), newSecret(), newSecret()].join('\n'), 'three'],
  [`${newSecret()}\nplain`, 'one that is none'],
])('a secret file with %s is refused (%s), and the words do not hold it', async (text) => {
  const opened = webhookTo('http://127.0.0.1:1/', text);
  await expect(opened).rejects.toThrow(/^ONBOARD_WEBHOOK_SECRET_FILE \S+: expected one line/);
  if (text.length > 6) await expect(opened).rejects.not.toThrow(text.slice(0, 20));
});

test('a secret file that is not there is refused with its name', async () => {
  const opened = openWebhook({ url: 'http://127.0.0.1:1/', secretFile: '/no/such/file' });
  await expect(opened).rejects.toThrow(
    /^ONBOARD_WEBHOOK_SECRET_FILE \/no\/such\/file can't be read \(ENOENT\)/,
  );
});
