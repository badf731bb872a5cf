import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAssets } from '../../src/faces/web/assets.ts';
import { startPage } from '../../src/faces/web/server.tsx';
import type { Reply, Route } from '../../src/faces/web/visit.ts';
import { cut, Text } from '../../src/lib/html-text.tsx';
import { atTestEnd } from '../support/at-test-end.ts';
import { hindrances, useBrowser } from './support/browser.ts';
import { example, liveExample } from './support/example.tsx';

const SHARED = 'a-token-that-several-know';
const { open } = useBrowser(/^Failed to load resource: (net::ERR_|the server responded with a status of 4)/);

type Shown = { live: string; text: string };

async function served(shown: Shown = { live: '', text: '' }, port = 0) {
  const route = (path: string, reply: () => Reply): Route => ({
    method: 'GET',
    path,
    role: 'viewer',
    isLive: true,
    answer: async () => reply(),
  });
  const server = await startPage({
    page: {
      standing: async () => ({
        target: 'sandbox',
        service: { words: 'no outage known', isWell: true },
        version: '1',
      }),
      ask: null,
      recordEntry: async () => undefined,
    },
    routes: [
      route('/', () => ({
        kind: 'page',
        title: 'Overview',
        body: example(),
        live: liveExample(shown.live),
      })),
      route('/text', () => ({
        kind: 'page',
        title: shown.text,
        body: Text({ of: shown.text, bytes: 5_000 }),
      })),
    ],
    access: { origin: null, sharedToken: SHARED, proxy: null, people: async () => [] },
    name: 'onboard-0a1b.localhost',
    assets: readAssets(),
    log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
    host: '127.0.0.1',
    port,
    mayMove: false,
  });
  atTestEnd(() => server.close());
  return server;
}

test('a printed link lets somebody in, leaves no key in the address, and works once', async () => {
  const server = await served();
  const link = server.link('ops-1');
  const page = await open(link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  expect(await page.title()).toBe('[SANDBOX] Overview · onboard');
  expect(await page.locator('.who').innerText()).toContain('ops-1 (by link) operator');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  const again = await open(link);
  expect(await again.getByRole('alert').innerText()).toContain('no token or link');
  expect(again.url()).not.toContain('#');
});

test('by the keyboard alone, and without a script, a token leads to the page that was asked for', async () => {
  const server = await served({ live: 'here', text: 'asked for' });
  const page = await open(`${server.url}/text`, { javaScriptEnabled: false });
  await page.getByLabel('Your name').focus();
  await page.keyboard.type('ops-1');
  await page.keyboard.press('Tab');
  await page.keyboard.type(SHARED);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/text`);
  expect(await page.locator('main').innerText()).toBe('asked for');
});

test('what changes comes in once a second, and nothing that is unfolded or selected is lost', async () => {
  const shown = { live: 'first', text: '' };
  const page = await open((await served(shown)).link('ops-1'));
  await page.getByText('Unfold', { exact: true }).click();
  await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#selected'))`);
  shown.live = 'second';
  await page.getByText('second').waitFor();
  expect(await page.locator('details').getAttribute('open')).not.toBeNull();
  expect(await page.evaluate('getSelection().toString()')).toBe('selected text');
});

test('a page that is held still, or that nobody sees, asks for nothing', async () => {
  const server = await served({ live: 'x', text: '' });
  const page = await open(`${server.url}/enter`);
  await page.clock.install();
  await page.goto(server.link('ops-1'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/live')) asked += 1;
  });
  const answered = page.waitForResponse((response) => response.url().endsWith('/live'));
  await page.clock.runFor(1_000);
  await answered;
  await page.keyboard.press('h');
  const held = asked;
  await page.clock.runFor(60_000);
  expect(asked).toBe(held);
  expect(await page.getByRole('button', { name: 'Pause updates' }).getAttribute('aria-pressed')).toBe('true');
  const anew = page.waitForResponse((response) => response.url().endsWith('/live'));
  await page.keyboard.press('h');
  await anew;
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'))`);
  const hidden = asked;
  await page.clock.runFor(60_000);
  expect(asked).toBe(hidden);
});

test('a page that hears nothing says since when, and goes on when the server is back; who is out is led to the log-in', async () => {
  const shown = { live: 'before', text: '' };
  const server = await served(shown);
  const page = await open(server.link('ops-1'));
  await page.getByText('before').waitFor();
  await server.close();
  await page.getByText(/Not connected since \d\d:\d\d:\d\d/).waitFor();
  // A new server knows none of the sessions.
  await served(shown, Number(new URL(server.url).port));
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(new URL(page.url()).search).toBe('?to=%2F');
});

test('times are told in the zone of who looks', async () => {
  const page = await open((await served()).link('ops-1'), { timezoneId: 'Asia/Tokyo' });
  const time = page.locator('time').first();
  await page.getByText('23 Nov 2026, 19:03').waitFor();
  expect(await time.getAttribute('title')).toBe('2026-11-23 10:03:10 UTC');
});

test('/ goes to the search', async () => {
  const page = await open((await served()).link('ops-1'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  expect(await page.evaluate(`document.activeElement.getAttribute('type')`)).toBe('search');
  await page.keyboard.type('h/');
  expect(await page.getByRole('searchbox').inputValue()).toBe('h/');
});

test.each([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 320, height: 700 } }],
] as const)('nothing keeps anybody from using the log-in and a page, %s', async (_, options) => {
  const server = await served();
  const page = await open(`${server.url}/enter`, options);
  expect(await hindrances(page)).toEqual([]);
  await page.goto(server.link('ops-1'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await hindrances(page)).toEqual([]);
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wide).toBeLessThanOrEqual(0);
});

test('whatever somebody wrote is text to a browser', async () => {
  const shown = { live: '', text: 'x' };
  const server = await served(shown);
  const page = await open(server.link('ops-1'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const hostile = fc.array(
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '&lt;',
      '</title>',
      '</bdi>',
      '<img src=x onerror=throw>',
      '<!--',
      '\0',
      '\u202e',
      '\n',
      '😀',
      'a',
    ),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (parts) => {
      shown.text = parts.join('');
      await page.goto(`${server.url}/text`);
      expect(await page.locator('main').textContent()).toBe(cut(shown.text, 5_000));
      expect(await page.locator('main *').count()).toBe(1);
    }),
    { numRuns: 30 },
  );
});

test('style and script are small', () => {
  const assets = readAssets();
  const text = (path: string) => assets.find(path)?.text ?? '';
  const [style, script] = [text(assets.paths.style), text(assets.paths.script)];
  expect(style.length).toBeLessThanOrEqual(16_384);
  expect(script.length).toBeLessThanOrEqual(24_576);
  // A page has the rest of 25 kB.
  expect(gzipSync(style).length + gzipSync(script).length).toBeLessThanOrEqual(12_000);
});
