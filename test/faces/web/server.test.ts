import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ROUTES } from '../../../src/faces/page/open.ts';
import type { WebAccess } from '../../../src/faces/web/access.ts';
import { createAssets } from '../../../src/faces/web/assets.ts';
import { livePath } from '../../../src/faces/web/reply.tsx';
import { startPage } from '../../../src/faces/web/server.tsx';
import type { Core, Reply, Route } from '../../../src/faces/web/visit.ts';
import { Text } from '../../../src/lib/html-text.tsx';
import type { Log } from '../../../src/lib/log.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import { atTestEnd } from '../../support/at-test-end.ts';
import { deferred } from '../../support/deferred.ts';
import { freePort } from '../../support/free-port.ts';
import { type Answered, type Asking, askPage } from '../../support/page.ts';
import { until } from '../../support/until.ts';
import { told } from './told.tsx';

const SILENT: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const SHARED = 'a-token-that-several-know';
const PAGE: Core = {
  standing: async () => ({
    target: 'https://api.example.com',
    service: { words: 'service well', isWell: true },
    version: '1.2.3',
  }),
  ask: null,
  recordEntry: async () => undefined,
};
const ASSETS = createAssets('p{color:red}', 'start()');

const NAME = 'onboard-0a1b.localhost';

async function served(routes: readonly Route<Core>[], over: Partial<WebAccess> = {}, command = 'onboard') {
  const access: WebAccess = {
    origin: null,
    sharedToken: SHARED,
    proxy: null,
    people: async () => [],
    ...over,
  };
  const port = await freePort();
  const server = await startPage({
    page: { ...PAGE, command },
    routes,
    access,
    name: NAME,
    assets: ASSETS,
    log: SILENT,
    host: '127.0.0.1',
    port,
    mayMove: false,
  });
  atTestEnd(() => server.close());
  const ask = (path: string, asking: Asking = {}) => askPage(server.url, path, asking, port);
  const enter = async (token: string, to = '/') =>
    ask('/enter', { method: 'POST', body: String(new URLSearchParams({ token, to })) });
  const cookie = async (token = SHARED) => cookieOf(await enter(token));
  return { ask, enter, cookie, server };
}

function cookieOf({ headers }: Answered): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

function route(path: string, reply: () => Reply | Promise<Reply>, over: Partial<Route> = {}): Route {
  return { method: 'GET', path, role: 'viewer', answer: async () => reply(), ...over };
}

const SECRET = 'a-secret-that-the-proxy-knows';
const BY_PROXY = { 'x-onboard-proxy-secret': SECRET };

const PEOPLE = [
  { name: 'eva', role: 'viewer', digest: 'hI6Zv5SXTQfwkjcKZlsu-sZkJyTzwLbKpvTcfrJFLlM' },
  { name: 'ops-1', role: 'operator', digest: 'x' },
] as const;

test('each page asks for a log-in, and for the role that its route says', async () => {
  const routes = ROUTES.map(({ path, answer: _, ...own }) =>
    route(path, () => ({ kind: 'json', value: 'shown' }), own),
  );
  const proxy = { header: 'x-user', addresses: ['127.0.0.1'], secret: SECRET };
  const { ask } = await served(routes, { proxy, people: async () => PEOPLE });
  expect(routes).not.toEqual([]);
  const lives = routes.flatMap((one) => (one.isLive ? [{ ...one, path: livePath(one.path) }] : []));
  expect(lives).not.toEqual([]);
  for (const { method, path, role } of [...routes, ...lives]) {
    const asked = path.replaceAll(/:\w+/g, 'x');
    const nobody = await ask(asked, { method });
    expect([401, 303], `${method} ${path} as nobody`).toContain(nobody.status);
    const viewer = await ask(asked, { method, headers: named('eva') });
    expect(viewer.status, `${method} ${path} as viewer`).toBe(role === 'viewer' ? 200 : 403);
    const operator = await ask(asked, { method, headers: named('ops-1') });
    expect(operator.text, `${method} ${path} as operator`).toBe('"shown"');
    const foreign = { ...named('ops-1'), origin: 'https://evil.example' };
    if (method !== 'GET') expect((await ask(asked, { method, headers: foreign })).status).toBe(403);
  }
});

const named = (name: string) => ({ ...BY_PROXY, 'x-user': name });

test.each<[string, Record<string, string>, string, string?]>([
  ['with the secret of the proxy, from its address', named('ops-1'), 'ops-1'],
  ['with spaces around it', named(' ops-1 '), 'ops-1'],
  ['from another address', named('ops-1'), '', '10.0.0.5'],
  ['without a secret, as any user of this machine can send it', { 'x-user': 'ops-1' }, ''],
  ['with an empty secret', { ...named('ops-1'), 'x-onboard-proxy-secret': '' }, ''],
  ['with half of the secret', { ...named('ops-1'), 'x-onboard-proxy-secret': SECRET.slice(0, -1) }, ''],
  ['that is empty', named(''), ''],
  ['that is (null)', named('(null)'), ''],
  ['that is not there', BY_PROXY, ''],
])('a header with a name %s', async (_, headers, who, address = '127.0.0.1') => {
  const proxy = { header: 'x-user', addresses: [address], secret: SECRET };
  const shown: Route = {
    ...route('/', () => ({ kind: 'json', value: 1 })),
    answer: async ({ visitor }) => ({ kind: 'json', value: visitor.name }),
  };
  const { ask } = await served([shown], { proxy, people: async () => PEOPLE });
  const { status, text } = await ask('/', { headers });
  expect([status, text]).toEqual(who === '' ? [303, ''] : [200, JSON.stringify(who)]);
});

test('whatever is answered, nothing of others may run in it, and no browser keeps it', async () => {
  const routes = [
    route('/fails', () => Promise.reject(new Error('a secret'))),
    route('/wrong', () => Promise.reject(new UsageError('rows: expected a number'))),
    route('/file', () => ({ kind: 'download', name: 'a "b\r\nc.csv', type: 'text/html', body: '<b>' })),
    route('/fine', () => ({ kind: 'page', title: 'Fine', body: Text({ of: 'Fine' }) })),
  ];
  const { ask, cookie } = await served(routes);
  const headers = { cookie: await cookie() };
  const others = ['/nowhere', '/enter', '/healthz', '//fine', '/assets/x'];
  for (const path of [...routes.map((one) => one.path), ...others]) {
    const { headers: got } = await ask(path, { headers });
    expect(got['x-content-type-options'], path).toBe('nosniff');
    expect(got['cache-control'], path).toBe('no-store');
    expect(got['referrer-policy'], path).toBe('same-origin');
    const own =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    expect(got['content-security-policy'], path).toBe(path === '/file' ? 'sandbox' : own);
  }
  expect((await ask('/file', { headers })).headers['content-disposition']).toBe(
    'attachment; filename="a__b__c.csv"',
  );
  const fails = await ask('/fails', { headers });
  expect([fails.status, fails.text.includes('a secret')]).toEqual([500, false]);
  const wrong = await ask('/wrong', { headers });
  expect([wrong.status, wrong.text.includes('expected a number')]).toEqual([400, true]);
  expect((await ask('/nowhere', { headers })).status).toBe(404);
  const { text } = await ask('/fine', { headers });
  expect(text).toContain('<title>[api.example.com] Fine · onboard</title>');
  expect(text).not.toMatch(/<script(?! src="\/assets\/)|style=|\son\w+=/);
});

test('a report is shown with no rights and with the style alone whose hash is at its head', async () => {
  const report = (head: string): Reply => ({ kind: 'report', html: Buffer.from(`<meta content="${head}">`) });
  const { ask, cookie } = await served([
    route('/a', () => report("default-src 'none'; style-src 'sha256-aB+/9='")),
    route('/b', () => report("style-src 'unsafe-inline'; script-src *")),
  ]);
  const headers = { cookie: await cookie() };
  const policy = async (path: string) => (await ask(path, { headers })).headers['content-security-policy'];
  expect(await policy('/a')).toMatch(/^sandbox; default-src 'none'; style-src 'sha256-aB\+\/9='; /);
  expect(await policy('/b')).toMatch(/^sandbox; default-src 'none'; style-src 'none'; /);
});

test('a log-in sets a cookie that no script reads, leads on to a page of its own, and ends by leaving', async () => {
  const { ask, enter, server } = await served([route('/', () => ({ kind: 'json', value: 1 }))]);
  const key = server.link('ops-1').split('#k=')[1] ?? '';
  const entered = await enter(key, '/runs?x=1');
  expect([entered.status, entered.headers.location]).toEqual([303, '/runs?x=1']);
  expect(String(entered.headers['set-cookie'])).toMatch(
    /^onboard-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const headers = { cookie: cookieOf(entered) };
  expect((await ask('/', { headers })).status).toBe(200);
  expect((await ask('/leave', { method: 'POST', headers })).headers.location).toBe('/enter');
  expect((await ask('/', { headers })).headers.location).toBe('/enter?to=%2F');
  expect((await enter(key)).status).toBe(401);
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:x', '/a\nb', ''])(
  'a log-in never leads to %j',
  async (to) => {
    const { enter } = await served([]);
    expect((await enter(SHARED, to)).headers.location).toBe('/');
  },
);

test('behind a proxy with TLS the cookie is of that host alone, and links name it', async () => {
  const { ask, server } = await served([], { origin: 'https://onboard.example.com' });
  const entered = await ask('/enter', { method: 'POST', body: `token=${SHARED}` });
  expect(String(entered.headers['set-cookie'])).toMatch(
    /^__Host-onboard=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(server.link('x')).toMatch(/^https:\/\/onboard\.example\.com\/enter#k=[\w-]{43}$/);
});

test('the page is served and linked under the name of its home alone, so that no other server of the machine gets a session', async () => {
  const { ask, server, cookie } = await served([route('/', () => ({ kind: 'json', value: 1 }))]);
  expect(server.url).toMatch(/^http:\/\/onboard-0a1b\.localhost:\d+$/);
  expect(server.link('ops-1').startsWith(`${server.url}/enter#k=`)).toBe(true);
  const headers = { cookie: await cookie(), host: new URL(server.url).host.replace(NAME, '127.0.0.1') };
  const elsewhere = await ask('/', { headers });
  expect([elsewhere.status, elsewhere.text]).toEqual([421, `The page is at ${server.url}/\n`]);
  expect((await ask('/enter', { method: 'POST', headers, body: `token=${SHARED}` })).status).toBe(421);
  expect((await ask('/healthz', { headers })).text).toBe('ok\n');
});

test('failures of all kinds read the same, and soon mean waiting', async () => {
  const { enter } = await served([]);
  const answers = [];
  for (const token of ['', 'x', SHARED.slice(1), ...Array(8).fill('y')]) answers.push(await enter(token));
  expect(new Set(answers.slice(0, 10).map(({ text }) => text)).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
});

test('a look that waits for Redis ends at some time, and one that waits for a file to be read does not', async () => {
  const end = deferred<Reply>();
  const { ask, cookie } = await served([
    route('/run', () => end.promise),
    route('/upload', () => end.promise, { readsFile: true }),
  ]);
  const headers = { cookie: await cookie() };
  const [waiting, late] = [ask('/upload', { headers }), await ask('/run', { headers })];
  expect([late.status, late.text]).toEqual([503, expect.stringContaining('Redis does not answer')]);
  end.resolve({ kind: 'json', value: 'shown' });
  expect((await waiting).text).toBe('"shown"');
}, 30_000);

test('commands are told as they are to be called, but to nobody who is not logged in', async () => {
  const called = 'ONBOARD_HOME=/srv/o npx onboard';
  const routes = [
    route('/told', () => ({ kind: 'page', title: '', body: told(), live: told() }), { isLive: true }),
    route('/refused', () => Promise.reject(new UsageError('Or `onboard status`.'))),
    route('/put', () => Promise.reject(new UsageError(`Or ${called} run.`)), { method: 'PUT' }),
  ];
  const { ask, cookie } = await served(routes, {}, called);
  const headers = { cookie: await cookie() };
  const read = async (path: string, asking: Asking = {}) => (await ask(path, { headers, ...asking })).text;
  const page = await read('/told');
  expect(
    page.match(/<code>ONBOARD_HOME=\/srv\/o npx onboard resume r1<\/code>, as onboard says/g),
  ).toHaveLength(2);
  expect(page).toContain('npx onboard start</code>');
  expect(await read('/told/live')).toContain('/srv/o npx onboard resume r1');
  expect(await read('/refused')).toContain('/srv/o npx onboard status');
  // What another process called so already.
  expect(await read('/put', { method: 'PUT' })).toBe(JSON.stringify({ problem: `Or ${called} run.` }));
  expect((await ask('/enter')).text).not.toContain('ONBOARD_HOME=');
});

test('a live part is made once for all who look with the same rights, and told in a line to who has it', async () => {
  let made = 0;
  const body = Text({ of: 'still' });
  const answer = (): Reply => {
    made += 1;
    return { kind: 'page', title: 'Live', body, live: Text({ of: String(made) }) };
  };
  const live = route('/', answer, { isLive: true });
  const over = route('/over', () => ({ kind: 'page', title: 'Over', body }), { isLive: true });
  const { ask, cookie } = await served([live, over], { people: async () => PEOPLE });
  const [one, other] = [{ cookie: await cookie() }, { cookie: await cookie() }];
  const [first, second] = await Promise.all([
    ask('/live', { headers: one }),
    ask('/live', { headers: other }),
  ]);
  expect(first.text).toMatch(/The service: <bdi>service well<\/bdi>.*<bdi>1<\/bdi>$/);
  expect(second.text).toBe(first.text);
  const etag = String(first.headers.etag);
  expect((await ask('/live', { headers: { ...one, 'if-none-match': etag } })).status).toBe(304);
  expect((await ask('/live?x', { headers: one })).text).toContain('<bdi>2</bdi>');
  expect((await ask('/live')).status).toBe(401);
  const { text } = await ask('/?x', { headers: one });
  expect(text).toMatch(/<div data-live="\/live\?x">.*<bdi>3<\/bdi><\/div>/);
  expect(text.match(/service well/g)).toHaveLength(1);
  expect((await ask('/over', { headers: one })).text).not.toContain('data-live');
  expect((await ask('/over/live?x', { headers: one })).headers.location).toBe('/over?x');
});

test('what was done is told once, on top of the page that comes next, and to nobody else', async () => {
  const body = Text({ of: 'The page' });
  const act = route('/act', () => ({
    kind: 'redirect',
    to: '/?x=1',
    said: 'It is <done>: `onboard status`.',
  }));
  const shown = route('/', () => ({ kind: 'page', title: 'Here', body, live: body }), { isLive: true });
  const proxy = { header: 'x-user', addresses: ['127.0.0.1'], secret: SECRET };
  const { ask } = await served([{ ...act, method: 'POST' }, shown], { proxy, people: async () => PEOPLE });
  const headers = named('ops-1');
  const to = String((await ask('/act', { method: 'POST', headers })).headers.location);
  expect((await ask(to, { headers: named('eva') })).text).not.toContain('done');
  const { text } = await ask(to, { headers });
  expect(text).toMatch(/role="status">.*It is &lt;done&gt;: .*The page/s);
  expect(text).toContain('data-live="/live?x=1"');
  expect((await ask(to, { headers })).text).not.toContain('done');
});

test('assets are known by what they are, and kept for good', async () => {
  const { ask } = await served([]);
  const { headers, text } = await ask(ASSETS.paths.style);
  expect([text, headers['content-type']]).toEqual(['p{color:red}', 'text/css; charset=utf-8']);
  expect(headers['cache-control']).toContain('immutable');
  expect((await ask('/assets/..%2f..%2fpackage.json')).status).toBe(404);
  expect((await ask('/healthz')).text).toBe('ok\n');
});

test('what is too large is not read: headers, forms, and bodies where none belongs', async () => {
  const form = route('/form', () => ({ kind: 'json', value: 1 }), { method: 'POST' });
  const { ask, cookie } = await served([form]);
  const headers = { cookie: await cookie() };
  const post = (bytes: number) => ask('/form', { method: 'POST', headers, body: 'x'.repeat(bytes) });
  expect((await post(65_536)).status).toBe(200);
  expect((await post(65_537)).status).toBe(400);
  expect((await ask('/healthz', { headers: { 'x-long': 'x'.repeat(9_000) } })).status).toBe(431);
  expect((await ask('/healthz', { headers: { 'content-length': '1' }, body: 'x' })).status).toBe(400);
});

/** Connections that are opened anew as soon as they are closed, each with the beginning of something. */
function holdOpen(port: number, count: number, text: string) {
  const open = new Set<Socket>();
  let isOver = false;
  let closed = 0;
  const hold = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      closed += 1;
      if (!isOver) hold();
    });
  };
  for (let n = 0; n < count; n += 1) hold();
  atTestEnd(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
  });
  return { closed: () => closed };
}

const HALF_FORM = `POST /enter HTTP/1.1\r\nhost: ${NAME}:PORT\r\norigin: http://${NAME}:PORT\r\ncontent-length: 90\r\n\r\ntoken=`;

test.each([
  ['without a word', ''],
  ['with half a request', 'GET / HTTP/1.1\r\nhost: x\r\n'],
  ['with half a form', HALF_FORM],
])('who holds all connections of an address %s keeps nobody out and ends no upload', async (_, text) => {
  const ended = deferred<void>();
  const upload: Route = {
    ...route('/upload', () => ({ kind: 'json', value: 1 }), { method: 'PUT' }),
    answer: async ({ bytes }) => {
      let size = 0;
      for await (const piece of bytes ?? []) size += piece.byteLength;
      return { kind: 'json', value: size };
    },
  };
  const slow = async (): Promise<Reply> => {
    await ended.promise;
    return { kind: 'json', value: 'shown' };
  };
  const routes = [upload, route('/slow', slow), route('/slow-form', slow, { method: 'POST' })];
  const { ask, cookie, server } = await served(routes);
  const headers = { cookie: await cookie() };
  const port = Number(new URL(server.url).port);
  const shown = Promise.all([
    ask('/slow', { headers }),
    ask('/slow-form', { method: 'POST', headers, body: 'a=1' }),
  ]);
  const own = { ...headers, host: new URL(server.url).host, origin: server.url };
  const to = { host: '127.0.0.1', port, path: '/upload', method: 'PUT', headers: own, agent: false };
  const coming = request(to);
  coming.write('one');
  const answered = once(coming, 'response');
  await ask('/healthz');

  holdOpen(port, 60, text.replaceAll('PORT', String(port)));
  for (let n = 0; n < 5; n += 1) expect((await ask('/healthz')).text).toBe('ok\n');
  ended.resolve();
  expect((await shown).map(({ text }) => text)).toEqual(['"shown"', '"shown"']);
  coming.end('two');
  const [response] = await answered;
  expect(response.statusCode).toBe(200);
});

test('all who come by a proxy have one address and no bound but that of all, where the longest makes room too', async () => {
  const proxy = { header: 'x-user', addresses: ['127.0.0.1'], secret: SECRET };
  const { ask, server } = await served([], { proxy });
  const port = Number(new URL(server.url).port);
  const open = holdOpen(port, 150, 'GET / HTTP/1.1\r\n');
  for (let n = 0; n < 5; n += 1) expect((await ask('/healthz')).text).toBe('ok\n');
  expect(open.closed()).toBe(0);
  holdOpen(port, 150, 'GET / HTTP/1.1\r\n');
  await until(() => open.closed() > 0);
  for (let n = 0; n < 5; n += 1) expect((await ask('/healthz')).text).toBe('ok\n');
});

test('any text comes out as text, in a page, its title and a message', async () => {
  const given = '</title></bdi><script>alert("1")</script>\u202e\u0007 & é 😀';
  const { ask, cookie } = await served([
    route('/page', () => ({ kind: 'page', title: given, body: Text({ of: given }) })),
    route('/missing', () => ({ kind: 'missing', words: given })),
  ]);
  const headers = { cookie: await cookie() };
  const shown =
    '&lt;/title&gt;&lt;/bdi&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;\\u202e\\u0007 &amp; é 😀';
  const { text } = await ask('/page', { headers });
  expect(text).toContain(`<title>[api.example.com] ${shown} · onboard</title>`);
  expect(text).toContain(`<main id="main"><bdi>${shown}</bdi></main>`);
  expect((await ask('/missing', { headers })).text).toContain(`<p><bdi>${shown}</bdi></p>`);
});
