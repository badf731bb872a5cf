import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';
import { eventBody, newEvent } from '../../../src/faces/notify/event.ts';
import { openNotifier } from '../../../src/faces/notify/notifier.ts';
import { createLog } from '../../../src/lib/log.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { MemoryStream, memoryIo } from '../cli/memory-io.ts';
import { startReceiver } from './receiver.ts';

const RUN = '20261121-034512-k3f9';
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const OUTAGE = newEvent('service.away', ['2026-11-21'], { target: 'https://api.example.com' });
const END = newEvent('run.finished', [RUN], { target: 'https://api.example.com', run: RUN });

type Process = {
  readonly url?: string | null;
  readonly command?: string;
  readonly teller?: string;
  /** The processes that are known to be gone. */
  readonly gone?: readonly string[];
  readonly pauseMs?: number;
};

/** A home whose processes tell events. */
async function startHome() {
  const home = await ownFolder();
  const secretFile = join(home, 'secret');
  await writeFile(secretFile, SECRET);
  return {
    home,
    note: join(home, 'reports', RUN, 'told.txt'),
    async process({ url = null, command = '', teller = 'a', gone = [], pauseMs = 1 }: Process) {
      const interruption = new AbortController();
      const env = {
        PATH: process.env.PATH,
        ONBOARD_HOME: home,
        ONBOARD_NOTIFY_COMMAND: command,
        ...(url !== null && { ONBOARD_WEBHOOK_URL: url, ONBOARD_WEBHOOK_SECRET_FILE: secretFile }),
      };
      const io = memoryIo({ env, interrupted: interruption.signal });
      const tries: string[] = [];
      const notifier = await openNotifier({
        ...readEnvironment(env),
        io,
        log: createLog('debug', new MemoryStream(), Date.now),
        teller,
        isDead: (other) => gone.includes(other),
        onTry: (channel, result) => void tries.push(`${channel} ${result}`),
        pauseMs,
      });
      if (notifier === null) throw new Error('nobody wants to be told');
      return { ...notifier, tries, io, interruption };
    },
  };
}

test('without a channel nobody tells', async () => {
  const { process } = await startHome();
  await expect(process({})).rejects.toThrow('nobody wants to be told');
});

describe('an event is told', () => {
  test('once, signed and by one id, to a receiver that fails three times', async () => {
    const { url, received } = await startReceiver((n) => ({ status: n > 3 ? 204 : 503 }));
    const { process } = await startHome();
    const one = await process({ url });
    one.tell(OUTAGE);
    await one.close();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(OUTAGE.id));
    for (const { headers, body } of received) {
      const text = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const verified = new Webhook(SECRET).verify(body, Object.fromEntries(text));
      expect(verified).toEqual(JSON.parse(eventBody(OUTAGE)));
    }
    expect(one.tries).toEqual([...Array(3).fill('webhook failed'), 'webhook delivered']);
    expect(one.io.stderr.text).toBe('');
  });

  test('after the one before it, however many there are', async () => {
    const { process, home } = await startHome();
    // A command that runs beside another one finds its mark.
    const one = await process({ command: `mkdir ${home}/mark && sleep 0.02 && rmdir ${home}/mark` });
    for (let n = 1; n <= 10; n += 1) one.tell(newEvent('file.refused', [String(n)], { target: 'sandbox' }));
    await one.close();
    expect(one.tries).toEqual(Array(10).fill('command delivered'));
  });

  test('once, where it is handed over again while it is told', async () => {
    const { url, received } = await startReceiver();
    const { process } = await startHome();
    const one = await process({ url });
    for (let n = 1; n <= 3; n += 1) one.tell(OUTAGE);
    await one.close();
    expect(received).toHaveLength(1);
  });
});

describe('an event is given up, with words', () => {
  test.each([
    [410, 1, /service\.away is not told by the webhook: it answered 410: nobody wants this\./],
    [500, 7, /warning: service\.away is not told by the webhook: it answered 500\./],
  ])('after %i answers %i', async (status, tries, words) => {
    const { url, received } = await startReceiver(() => ({ status }));
    const { process } = await startHome();
    const one = await process({ url });
    one.tell(OUTAGE);
    await one.close();
    expect(received).toHaveLength(tries);
    expect(one.tries.at(-1)).toBe('webhook given-up');
    expect(one.io.stderr.text).toMatch(words);
  });

  test.each([
    ['the receiver takes its time', null, 1],
    ['a pause is under way', { status: 500 }, 100_000],
  ])('when its process is interrupted while %s', async (_, answer, pauseMs) => {
    const { url, received } = await startReceiver(() => answer);
    const { process } = await startHome();
    const one = await process({ url, pauseMs });
    one.tell(OUTAGE);
    await until(() => received.length === 1);
    one.interruption.abort();
    await one.close();
    expect(one.io.stderr.text).toMatch(/service\.away is not told by the webhook: there was no time left\./);
  });
});

describe('an event of a run', () => {
  const failing = (n: number) => ({ status: n > 1 ? 204 : 410 });

  /** A process that follows the run and can't tell its end by the webhook. */
  async function leave(home: Awaited<ReturnType<typeof startHome>>, given: Process) {
    const killed = await home.process({ ...given, teller: 'killed' });
    await killed.follow(RUN);
    killed.tell(END);
    await killed.close();
  }

  test('that was left untold the next process tells by the same id, and no other one again', async () => {
    const { url, received } = await startReceiver(failing);
    const home = await startHome();
    await leave(home, { url });
    for (const teller of ['next', 'last']) {
      const next = await home.process({ url, teller, gone: ['killed', 'next'] });
      next.tell(END);
      await next.close();
    }
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([END.id, END.id]);
    expect((await stat(home.note)).mode & 0o077).toBe(0);
  });

  test('is told by the channel alone that was not', async () => {
    const { url, received } = await startReceiver(failing);
    const home = await startHome();
    const out = join(home.home, 'out');
    const command = `cat >> ${out}`;
    await leave(home, { url, command });
    const next = await home.process({ url, command, teller: 'next', gone: ['killed'] });
    next.tell(END);
    await next.close();
    expect(received).toHaveLength(2);
    expect(await readFile(out, 'utf8')).toBe(`${eventBody(END)}\n`);
  });

  test('is told by the process that took the run up last', async () => {
    const { url, received } = await startReceiver();
    const home = await startHome();
    const [first, last] = [
      await home.process({ url, teller: 'a' }),
      await home.process({ url, teller: 'b' }),
    ];
    for (const one of [first, last]) await one.follow(RUN);
    for (const one of [first, last]) one.tell(END);
    await Promise.all([first.close(), last.close()]);
    expect([first.tries, last.tries]).toEqual([[], ['webhook delivered']]);
    expect(received).toHaveLength(1);
  });

  test('is not told where the run was under way when nobody wanted to be told', async () => {
    const { url, received } = await startReceiver();
    const home = await startHome();
    const one = await home.process({ url });
    one.tell(END);
    await one.close();
    expect(received).toEqual([]);
  });
});
