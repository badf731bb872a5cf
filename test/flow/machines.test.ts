import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { MACHINE_ROUTES } from '../../src/faces/page/machine-routes.ts';
import { addPerson } from '../../src/faces/web/people.ts';
import { createJob } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { startInboxFlow } from '../support/inbox.ts';
import { askPage, enterPage, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { serveHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

const started = z.object({ run: z.string().nullable(), words: z.string() });
const JSON_TYPE = { 'content-type': 'application/json' };
const JOB = createJob();
const DUAL = `${JOB}approval: required\n`;

/** The page over a service, a machine of each role and the name of who added them. */
async function serve(
  jobs: Readonly<Record<string, string>> = { plain: JOB, dual: DUAL },
  env: Readonly<Record<string, string>> = {},
) {
  const inbox = await startInboxFlow(jobs);
  const { flow, start } = inbox;
  const port = await freePort();
  start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN, ...env });
  const origin = await originOfPage(port);
  const machine = async (name: string, role: 'viewer' | 'operator', maker = 'bea@host') => {
    const token = await addPerson(flow.home, name, role, maker);
    const authorization = `Bearer ${token}`;
    const ask = async (method: string, path: string, body?: unknown, own: Record<string, string> = {}) => {
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { authorization, ...(method === 'POST' && JSON_TYPE), ...own };
      const answered = await askPage(origin, `/api${path}`, { method, headers, body: text });
      return { ...answered, json: JSON.parse(answered.text) };
    };
    return { token, ask };
  };
  return { ...inbox, origin, port, machine };
}

const csv = (prefix: string, rows: number) =>
  [
    'externalId,details.name',
    ...Array.from({ length: rows }, (_, i) => `${prefix}${i},${i % 10 === 0 ? '' : `Co ${i}`}`),
    '',
  ].join('\n');

test('a load from upload to report by a machine; the same Idempotency-Key begins it once', async () => {
  const { flow, origin, machine } = await serve({ plain: `${JOB}required: [details.name]\n` });
  const { ask } = await machine('ci', 'operator');
  const put = await ask('PUT', '/uploads?name=march.csv', csv('A', 50));
  expect(put.status).toBe(201);
  const { upload } = put.json;
  await until(async () => (await ask('POST', `/uploads/${upload}/plan`, { job: 'plain' })).status === 200);
  const checked = await ask('POST', `/uploads/${upload}/check`, { job: 'plain' });
  expect(checked.json).toMatchObject({ state: 'done', file: 'march.csv', rows: 50, invalid: 5 });

  const once = { 'idempotency-key': 'march' };
  const unnamed = await ask('POST', `/uploads/${upload}/start`, { job: 'plain' }, once);
  expect([unnamed.status, unnamed.json.detail]).toEqual([409, expect.stringContaining('"host"')]);
  const host = new URL(flow.sandbox.url).host;
  const begin = () => ask('POST', `/uploads/${upload}/start`, { job: 'plain', host }, once);
  const [one, other] = await Promise.all([begin(), begin()]);
  const later = await begin();
  const { run } = started.parse(one.json);
  expect([one.status, other.json.run, later.json.run]).toEqual([202, run, run]);
  const changed = await ask('POST', `/uploads/${upload}/start`, { job: 'plain', again: true }, once);
  expect([changed.status, changed.json.detail]).toEqual([409, expect.stringContaining('another start')]);

  await until(async () => (await ask('GET', `/runs/${run}`)).json.state === 'finished');
  expect(flow.sandbox.stats().made.subclients).toBe(45);
  expect((await ask('GET', '/runs?state=finished')).json.runs.map((one: { run: string }) => one.run)).toEqual(
    [run],
  );
  const bad = await ask('GET', `/runs/${run}/rows?outcome=invalid&cells=true`);
  expect(bad.json.rows).toHaveLength(5);
  expect(bad.json.rows[1]).toMatchObject({
    row: 11,
    key: 'A10',
    cells: { externalId: 'A10', 'details.name': '' },
  });
  const told = await flow.onboard(['account', String(run), '--json']);
  expect((await ask('GET', `/runs/${run}/account`)).json).toMatchObject({
    ...JSON.parse(told.stdout),
    openRows: expect.anything(),
  });
  await until(async () => (await ask('GET', `/runs/${run}/causes`)).json.read === 50);

  // A viewer sees no cell, and a token that was taken back nothing.
  const looks = await machine('eye', 'viewer');
  expect((await looks.ask('GET', `/runs/${run}/rows?cells=true`)).status).toBe(403);
  expect((await looks.ask('GET', `/runs/${run}/rows`)).json.rows[1]).not.toHaveProperty('cells');
  expect((await looks.ask('POST', `/runs/${run}/rerun`, {})).status).toBe(403);
  await flow.onboard(['web', '--remove', 'eye']);
  expect((await looks.ask('GET', '/runs')).status).toBe(401);
  // Its token is no log-in at the page, and a person's none here.
  const page = await askPage(origin, '/enter', { method: 'POST', body: `token=${looks.token}` });
  expect(page.status).toBe(401);
  const entered = await enterPage(origin);
  expect(await entered.look('/api/runs')).toContain('Expected Authorization: Bearer TOKEN.');
});

test('a machine begins what asks for approval in the name of its maker, and lets nothing go itself', async () => {
  const { flow, origin, machine } = await serve();
  const { ask } = await machine('ci', 'operator');
  const { upload } = (await ask('PUT', '/uploads?name=dual.csv', csv('B', 20))).json;
  const host = new URL(flow.sandbox.url).host;
  const begun = await ask(
    'POST',
    `/uploads/${upload}/start`,
    { job: 'dual', host },
    { 'idempotency-key': 'b' },
  );
  const { run } = started.parse(begun.json);
  await until(async () => (await ask('GET', `/runs/${run}`)).json.state === 'paused');
  const resumed = await ask('POST', `/runs/${run}/resume`, {});
  expect([resumed.status, resumed.json.detail]).toEqual([
    409,
    expect.stringContaining('expected another person than who loaded it, ci,'),
  ]);
  // Rows of one that was cancelled wait as a run of their own, too.
  const { upload: other } = (await ask('PUT', '/uploads?name=other.csv', csv('C', 20))).json;
  const second = { 'idempotency-key': 'c' };
  const given = (await ask('POST', `/uploads/${other}/start`, { job: 'dual', host }, second)).json.run;
  // It has its id before it is registered.
  await until(async () => (await ask('POST', `/runs/${given}/cancel`, {})).status === 202);
  let own = '';
  await until(async () => {
    const { status, json } = await ask('POST', `/runs/${given}/rerun`, {});
    own = json.run;
    return status === 202;
  });
  expect((await ask('GET', `/runs/${own}`)).json).toMatchObject({ state: 'paused', reason: 'approval' });
  const person = async (name: string) => {
    return enterPage(origin, { name: '', token: await addPerson(flow.home, name, 'operator') });
  };
  const plan = (await ask('GET', `/runs/${run}`)).json.plan;
  const approve = { seen: 'paused', plan };
  const bea = await person('bea');
  expect(await bea.post(`/runs/${run}/approve`, approve)).toContain('who can&#39;t approve it');
  const cem = await person('cem');
  expect(await cem.post(`/runs/${run}/approve`, approve)).toContain('is approved');
  await until(async () => (await ask('GET', `/runs/${run}`)).json.state === 'finished');
  const audit = (await flow.onboard(['audit', '--json'])).stdout.split('\n').filter(Boolean);
  const registered = audit
    .map((line) => JSON.parse(line))
    .find(({ what, run: of }) => what === 'registered' && of === run);
  expect(registered).toMatchObject({ actor: 'ci', via: 'machine', user: 'bea@host' });
});

test('what waits since it is refused alike goes on by no machine: not by its file again, nor by its rerun', async () => {
  let asked = 0;
  const url = await serveHttp(async (incoming, outgoing) => {
    await text(incoming);
    asked += 1;
    outgoing.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"title":"a twin exists"}');
  });
  const jobs = { plain: JOB, whole: `${JOB}stopAfter: 100%\n` };
  const { flow, machine } = await serve(jobs, { MSB_BASE_URL: url });
  const { ask } = await machine('ci', 'operator');
  const upload = async (rows: string): Promise<string> =>
    (await ask('PUT', '/uploads?name=a.csv', rows)).json.upload;
  const begin = async (job: string, file: string): Promise<string> => {
    const asking = { job, host: new URL(url).host };
    return (await ask('POST', `/uploads/${file}/start`, asking, { 'idempotency-key': file })).json.run;
  };
  const hasCome = (run: string, reason: string | null, state = 'paused') =>
    until(async () => {
      const { json } = await ask('GET', `/runs/${run}`);
      return json.state === state && json.reason === reason && json.owner === 'none';
    });
  const run = await begin('plain', await upload(csv('A', 400)));
  await hasCome(run, 'same-refusal');
  const parent = await begin('whole', await upload(csv('B', 1_100)));
  await hasCome(parent, null, 'finished');
  const { open, openRows } = (await ask('GET', `/runs/${parent}/account`)).json;
  expect([open, openRows]).toEqual([1_100, null]);
  await writeFile(join(flow.home, 'jobs', 'whole.yaml'), JOB);
  const rerun = (await ask('POST', `/runs/${parent}/rerun`, { corrected: true })).json.run;
  await hasCome(rerun, 'same-refusal');

  // What is on its way as a run is paused ends a moment later.
  const failedIn = async (one: string) => (await ask('GET', `/runs/${one}`)).json.outcomes.failed;
  await until(async () => {
    const failed = await Promise.all([run, parent, rerun].map(failedIn));
    return asked === failed.reduce((sum, of) => sum + of, 0);
  });
  const before = asked;
  const told = async (path: string) => String((await ask('POST', path, {})).json.detail);
  expect(await told(`/runs/${run}/resume`)).toContain('no machine may let it go');
  // Its report is still written.
  await until(async () => !(await told(`/runs/${parent}/rerun`)).includes('under way already'));
  expect(await told(`/runs/${parent}/rerun`)).toContain('no machine may let it go');
  const same = await upload(csv('A', 400));
  // It is answered once its run would have begun.
  begin('plain', same).catch(() => null);
  await until(async () => (await ask('POST', `/uploads/${same}/check`, { job: 'plain' })).status === 404);
  const later = await begin('plain', await upload(csv('C', 400)));
  await hasCome(later, 'same-refusal');
  // Nothing else went out.
  await until(async () => asked - before === (await failedIn(later)));
});

test('an upload is started once, by whoever is told so; no answer says where anything lies', async () => {
  const { flow, origin, machine } = await serve();
  const machines = [await machine('ci-1', 'operator'), await machine('ci-2', 'operator')];
  const [{ ask }] = [await machine('ci', 'operator')];
  const host = new URL(flow.sandbox.url).host;
  const said: string[] = [];
  const begun = new Map<string, string>();
  for (let i = 0; i < 6; i += 1) {
    const { upload } = (await ask('PUT', '/uploads?name=a.csv', csv(`A${i}-`, 5))).json;
    const starts = machines.flatMap((one, by) =>
      ['a', 'b', 'c'].map(async (key) => {
        const once = { 'idempotency-key': `${i}${key}` };
        const told = await one.ask('POST', `/uploads/${upload}/start`, { job: 'plain', host }, once);
        said.push(told.text);
        return told.status === 202 ? [[String(told.json.run), `ci-${by + 1}`] as const] : [];
      }),
    );
    const done = (await Promise.all(starts)).flat();
    expect(done).toHaveLength(1);
    for (const [run, name] of done) begun.set(run, name);
  }
  expect(said.join('\n')).not.toMatch(/ENOENT|\/proc\//);
  for (const [run, name] of begun)
    expect((await ask('GET', `/runs/${run}`)).json).toMatchObject({ registeredBy: name });

  const { upload } = (await ask('PUT', '/uploads?name=a.xlsx', 'no workbook')).json;
  await until(async () => (await ask('POST', `/uploads/${upload}/check`, { job: 'plain' })).status === 409);
  said.push((await ask('POST', `/uploads/${upload}/check`, { job: 'plain' })).text);
  await writeFile(join(flow.home, 'jobs', 'broken.yaml'), 'operation: [');
  said.push((await ask('GET', '/jobs')).text);
  await writeFile(join(flow.home, 'web', 'people.json'), '{');
  const broken = await askPage(origin, '/api/jobs', { headers: { authorization: 'Bearer x' } });
  expect([broken.status, broken.headers['content-type']]).toEqual([500, 'application/problem+json']);
  said.push(broken.text);
  expect(said.join('\n')).toContain('file.xlsx: is no Excel workbook');
  expect(said.join('\n')).not.toContain(flow.home);
});

const describedSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
});

const RUNS = Number(process.env.API_REQUESTS ?? 150);

test('whatever is asked, the answer is one that the description has, and none is a failure of ours', async () => {
  const { machine, origin, port } = await serve();
  const { ask } = await machine('ci', 'operator');
  // Each may ask 600 times a minute.
  const tokens: string[] = [];
  for (let i = 0; i <= RUNS / 400; i += 1) tokens.push((await machine(`ci-${i}`, 'operator')).token);
  let asked = 0;
  const { upload } = (await ask('PUT', '/uploads?name=c.csv', csv('C', 10))).json;
  const { paths } = describedSchema.parse((await ask('GET', '/openapi.json')).json);
  expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(
    MACHINE_ROUTES.length + 1,
  );
  const word = fc.oneof(
    fc.constantFrom(
      '',
      upload,
      'plain',
      '1',
      '-1',
      'true',
      '__proto__',
      '../../x',
      '%00',
      'é',
      'finished',
      'null',
    ),
    fc.string({ maxLength: 300 }),
  );
  const json = fc.oneof(
    fc.record({ job: word }),
    fc.record({ job: fc.constant('plain'), again: fc.boolean(), host: word }, { requiredKeys: ['job'] }),
    fc.record({ seen: fc.constantFrom('running', 'x'), why: word }, { requiredKeys: [] }),
    fc.record({ only: fc.array(word), cause: word }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const request = fc.record({
    route: fc.constantFrom(...MACHINE_ROUTES),
    part: word,
    query: fc.dictionary(
      fc.oneof(fc.constantFrom('state', 'job', 'before', 'after', 'q', 'outcome', 'name', 'cells'), word),
      word,
      { maxKeys: 3 },
    ),
    body: fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ maxLength: 100 }),
      fc.constant('x'.repeat(70_000)),
    ),
    type: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
    key: fc.option(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme-ascii' })),
    isKnown: fc.boolean(),
  });
  const seen = new Set<number>();
  const plain = { part: '', query: {}, body: '', type: '', key: null, isKnown: true } as const;
  const welcome = MACHINE_ROUTES.filter(({ path }) => path === '/api/runs').map((route) => ({
    route,
    ...plain,
  }));
  await fc.assert(
    fc.asyncProperty(request, async ({ route, part, query, body, type, key, isKnown }) => {
      const path = route.path.replace(
        /:id/,
        encodeURIComponent(part === '' ? 'x' : part).replaceAll('.', '%2E'),
      );
      const search = new URLSearchParams(query).toString();
      const headers = {
        authorization: `Bearer ${isKnown ? tokens[asked++ % tokens.length] : 'wrong'}`,
        ...(type !== '' && { 'content-type': type }),
        ...(key !== null && key.trim() === key && { 'idempotency-key': key }),
      };
      const asking = { method: route.method, headers, body: route.method === 'GET' ? '' : body };
      const { status, text, headers: told } = await askPage(origin, `${path}?${search}`, asking, port);
      seen.add(status);
      const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
      const responses = Object.keys(operation?.responses ?? {});
      expect(responses).toContain(String(status));
      expect(status, text).not.toBe(500);
      const kind = status < 400 ? 'application/json' : 'application/problem+json';
      expect(told['content-type']).toContain(kind);
      if (status === 200) expect(route.answers[200]?.safeParse(JSON.parse(text)).error).toBeUndefined();
    }),
    { numRuns: RUNS, examples: welcome.map((one): [typeof one] => [one]) },
  );
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 404]));
});
