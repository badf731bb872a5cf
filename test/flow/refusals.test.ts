import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { csvRecords } from '../runs/report/make-report.ts';
import { createJob, startFlow } from '../support/flow.ts';
import { serveHttp } from '../support/server.ts';

type Answer = { readonly status: number; readonly type: string; readonly body: string | Buffer };
/** By the row's name, and the authorization that came with it. */
type Answering = (name: string, authorization: string) => Answer;

/** Rows of which each is answered so, and what was said of each of them in the report. */
async function refused(names: readonly string[], answering: Answering, env: Record<string, string> = {}) {
  const flow = await startFlow();
  const url = await serveHttp(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    const { status, type, body } = answering(
      JSON.parse(text).details.name,
      request.headers.authorization ?? '',
    );
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const csv = ['externalId,details.name', ...names.map((name, i) => `K${i + 1},${name}`), ''].join('\n');
  const job = `${createJob('concurrency: 4')}stopAfter: 100%\n`;
  const { summary } = await flow.load(job, csv, { MSB_BASE_URL: url, ...env });
  const lines = (await flow.report(summary, 'rejections.jsonl')).trim().split('\n');
  return { flow, summary, url, rejections: lines.map((line) => JSON.parse(line)) };
}

const json = (status: number, body: object): Answer => {
  return { status, type: 'application/problem+json', body: JSON.stringify(body) };
};
const pageOf = (title: string, rest = ''): string => `<html><title>${title}</title><p>${rest}</p></html>`;

const ANSWERS: ReadonlyMap<string, readonly [answer: Answer, sentence: string]> = new Map([
  ['a', [json(400, { message: 'The tax number is short' }), 'The tax number is short']],
  ['b', [json(402, { error: 'limit', error_description: 'Pay first' }), 'limit: Pay first']],
  ['c', [json(403, { title: 'Forbidden', detail: 'No such role' }), 'Forbidden: No such role']],
  ['d', [{ status: 404, type: 'text/html', body: pageOf('404 Not Found') }, '404 Not Found']],
  ['e', [{ status: 405, type: 'text/plain', body: 'POST is not\nallowed' }, 'POST is not allowed']],
  ['f', [json(409, { errors: [{ field: 'crmId', message: 'is taken' }] }), 'crmId: is taken']],
  [
    'g',
    [
      { status: 410, type: 'text/html; charset=ISO-8859-1', body: iconv.encode(pageOf('Größe'), 'latin1') },
      'Größe',
    ],
  ],
  [
    'h',
    [
      { status: 413, type: 'text/plain; charset=utf-16', body: iconv.encode('\uFEFFzu groß', 'utf-16le') },
      'zu groß',
    ],
  ],
  ['i', [{ status: 415, type: 'text/plain', body: '' }, 'The service refused the request (415).']],
  ['j', [json(418, { message: 'The name is odd' }), 'The name is odd']],
  ['k', [json(421, { detail: 'Ask elsewhere' }), 'Ask elsewhere']],
  ['l', [json(422, { errors: { name: ['is required'] } }), 'name: is required']],
  ['m', [json(451, { title: 'Barred' }), 'Barred']],
]);

test('what the service said of a refused row stands beside it, whatever the refusal, and is kept as it came', async () => {
  const names = [...ANSWERS.keys()];
  const { flow, summary, rejections } = await refused(
    names,
    (name) => ANSWERS.get(name)?.[0] ?? json(400, {}),
  );
  expect(summary.outcomes).toMatchObject({ rejected: 1, denied: 1, failed: 11 });
  const files = await Promise.all(['failed.csv', 'rejected.csv'].map((name) => flow.report(summary, name)));
  const said = files.flatMap((text) => {
    const [head = [], ...rows] = csvRecords(text);
    return rows.map((row) => [row[1], row[head.indexOf('onboard_message')]]);
  });
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries([...ANSWERS].map(([name, [, sentence]]) => [name, sentence])),
  );
  expect(rejections.map(({ row, status }) => [row, status])).toEqual(
    [...ANSWERS.values()].map(([{ status }], i) => [i + 1, status]),
  );
  expect(rejections.map(({ body }) => body)).toEqual(
    [...ANSWERS.values()].map(([{ body }, sentence]) => {
      if (typeof body === 'string') return body === '' ? null : body;
      return sentence === 'Größe' ? pageOf(sentence) : sentence;
    }),
  );
  // The service may name a person: nothing of it is where everybody reads.
  const open = ['results.csv', 'summary.json', 'digest.json', 'report.html'];
  const texts = await Promise.all(open.map((name) => flow.report(summary, name)));
  for (const text of texts) expect(text).not.toMatch(/tax number|Pay first|\btaken\b|elsewhere|Barred/);
});

test('rows that were refused in the same words are one cause, which page and terminal tell', async () => {
  const names = ['a', 'b', 'c', 'x', 'd', 'e', 'f'];
  const { flow, summary } = await refused(names, (name) =>
    name < 'd'
      ? json(422, {
          message: `The name ${name}${name}${name} of 2026-01-01 is odd`,
          requestId: `req-${name}x`,
        })
      : name === 'x'
        ? { status: 404, type: 'text/html', body: pageOf('Alone') }
        : { status: 404, type: 'text/html', body: pageOf('No such place', name) },
  );
  const shown = await flow.look(['report', summary.run]);
  const page = await flow.report(summary, 'report.html');
  for (const text of [shown, page, JSON.stringify(summary.causes)]) {
    expect(text).toContain('No such place');
    expect(text).not.toContain('Alone');
  }
});

test('equal pages are kept once, of different ones 64 whole and the beginning of each other, and no token in them', async () => {
  const names = [...Array.from({ length: 70 }, (_, i) => `p${i + 1}`), 'same', 'same', 'same'];
  const large = 'ä'.repeat(3_000);
  const { rejections } = await refused(names, (name, authorization) => {
    const body = pageOf(`Blocked ${authorization}`, name.padStart(3, '0') + large);
    return { status: name === 'same' ? 409 : 400, type: 'text/html', body };
  });
  const bytes = (one: { readonly body: string }) => Buffer.byteLength(one.body);
  const whole = rejections.filter((one) => one.restBytes === undefined);
  expect(whole.map(({ status }) => status).sort()).toEqual([...Array<number>(64).fill(400), 409]);
  const cut = rejections.filter((one) => one.restBytes !== undefined && one.sameAs === undefined);
  expect(cut.map(bytes)).toEqual(Array(6).fill(expect.toSatisfy((n: number) => n === 1_023 || n === 1_024)));
  for (const one of cut) expect(bytes(one) + one.restBytes).toBe(bytes(whole[0]));
  const [first, ...others] = rejections.filter(({ status }) => status === 409);
  expect(others.map(({ sameAs }) => sameAs)).toEqual([first.row, first.row]);
  for (const one of others) expect(first.body.startsWith(one.body)).toBe(true);
  expect(JSON.stringify(rejections)).not.toContain('flow-token');
  expect(first.body).toContain('Blocked Bearer [blotted out]');
});
