import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { openWebhook } from '../../src/notify/webhook.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { ownFolder } from '../support/folder.ts';
import { type Received, startReceiver } from './receiver.ts';

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;
const MESSAGE = { id: 'msg_1', body: '{"type":"onboard.run.finished","data":{"job":"Müller & Söhne"}}' };

async function secretFile(text: string): Promise<string> {
  const path = join(await ownFolder(), 'secret');
  await writeFile(path, text);
  return path;
}

async function webhookTo(url: string, secrets: string, timeoutMs = 20_000) {
  return openWebhook({ url, secretFile: await secretFile(secrets), version: '0.0.0', timeoutMs });
}

function verified({ headers, body }: Received, secret: string): unknown {
  const text = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret).verify(body, Object.fromEntries(text));
}

test('what is sent is accepted by a verifier of Standard Webhooks, and what was changed is not', async () => {
  const secret = newSecret();
  const { url, received } = await startReceiver(atTestEnd);
  expect(await (await webhookTo(url, `${secret}\n`)).tell(MESSAGE)).toEqual({ kind: 'told' });
  const [sent] = received;
  if (sent === undefined) throw new Error('nothing was received');
  expect(verified(sent, secret)).toEqual(JSON.parse(MESSAGE.body));
  expect(sent.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
  expect(() => verified({ ...sent, body: `${sent.body} ` }, secret)).toThrow(/signature/);
  expect(() => verified(sent, newSecret())).toThrow(/signature/);
});

test('while a secret is changed, receivers with either one accept', async () => {
  const secrets = [newSecret(), newSecret(24)] as const;
  const { url, received } = await startReceiver(atTestEnd);
  await (await webhookTo(url, secrets.join('\n'))).tell(MESSAGE);
  const [sent] = received;
  if (sent === undefined) throw new Error('nothing was received');
  for (const secret of secrets) expect(verified(sent, secret)).toEqual(JSON.parse(MESSAGE.body));
});

test.each([
  [{ status: 200 }, { kind: 'told' }],
  [{ status: 500 }, { kind: 'failed', why: 'it answered 500', afterMs: null }],
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'failed', why: 'it answered 429', afterMs: 7_000 },
  ],
  [{ status: 410 }, { kind: 'off', why: 'it answered 410: nobody wants events there any more' }],
])('an answer %j counts as %j', async (answer, told) => {
  const { url } = await startReceiver(atTestEnd, () => answer);
  expect(await (await webhookTo(url, newSecret())).tell(MESSAGE)).toEqual(told);
});

test('a redirect is a failure, and where it leads nothing is sent', async () => {
  const other = await startReceiver(atTestEnd);
  const { url } = await startReceiver(atTestEnd, () => ({ status: 307, headers: { location: other.url } }));
  const told = await (await webhookTo(url, newSecret())).tell(MESSAGE);
  expect(told).toEqual({
    kind: 'failed',
    why: 'it answered 307, and no redirect is followed',
    afterMs: null,
  });
  expect(other.received).toEqual([]);
});

test('a receiver that does not answer is given up in time, and one that is not there is told by its code', async () => {
  const { url } = await startReceiver(atTestEnd, () => null);
  const late = await (await webhookTo(url, newSecret(), 50)).tell(MESSAGE);
  expect(late).toEqual({ kind: 'failed', why: 'no answer in time', afterMs: null });
  const gone = await (await webhookTo('http://127.0.0.1:1/', newSecret())).tell(MESSAGE);
  expect(gone).toEqual({ kind: 'failed', why: 'ECONNREFUSED', afterMs: null });
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
  const opened = openWebhook({ url: 'http://127.0.0.1:1/', secretFile: '/no/such/file', version: '0.0.0' });
  await expect(opened).rejects.toThrow(
    /^ONBOARD_WEBHOOK_SECRET_FILE \/no\/such\/file can't be read \(ENOENT\)/,
  );
});
