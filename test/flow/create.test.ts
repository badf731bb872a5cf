import { expect, test } from 'vitest';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';

test('with --again, known keys are skipped', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', subclientsCsv(5));
  const first = await flow.run(['subclients-create', file]);
  const again = await flow.run(['subclients-create', file, '--again']);
  expect(again).toMatchObject({ exitCode: 0, summary: { outcomes: { skipped: 5, created: 0 } } });
  const ids = async (run: typeof first) => (await flow.results(run.summary)).map((r) => r.id);
  expect(await ids(again)).toEqual(await ids(first));
  expect(flow.sandbox.stats().made.subclients).toBe(5);
});

test('an empty file of rows is finished with nothing sent', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', 'externalId,details.name\n');
  expect(await flow.run(['subclients-create', file])).toMatchObject({
    exitCode: 0,
    summary: { rows: 0, state: 'finished' },
  });
});

test('twenty keys of which a spreadsheet has taken the zeros, and twenty in small letters, are found in one file, and in a later one', async () => {
  const numbers = Array.from({ length: 20 }, (_, i) => i + 1);
  const first = numbers.flatMap((n) => [String(n).padStart(5, '0'), `CL-${String(n).padStart(4, '0')}`]);
  const others = numbers.flatMap((n) => [String(n), `cl-${String(n).padStart(4, '0')}`]);
  const flow = await startFlow();
  for (const [keys, created] of [[[...first, ...others], 40] as const, [others, 0] as const]) {
    const rows = keys.map((key, i) => `${key},Name ${i % 40}\n`);
    const { summary } = await flow.load('subclients-create', `externalId,details.name\n${rows.join('')}`);
    expect(summary.outcomes).toMatchObject({ created, invalid: 40 });
    expect(summary.topErrors).toMatchObject([{ code: 'key_alike', count: 40 }]);
  }
  expect(flow.sandbox.stats().made.subclients).toBe(40);
});

test.each([
  ['loose', 'loose', 'create'],
  ['loose', 'exact', 'create'],
  ['exact', 'loose', 'create'],
  ['loose', 'exact', 'upsert'],
])(
  'a delivery under keyForm: %s, then as pandas writes it under %s (%s): each row is told, nothing is made twice',
  async (first, second, how) => {
    const flow = await startFlow();
    const monday = 'externalId,details.name\n1001,Foo\n1002,Bar\n00123,Baz\n"1,234",Qux\n';
    const tuesday = 'externalId,details.name\n1001.0,Foo\n"=""1002""",Bar\n\'00123,Baz\n1234,Qux\n';
    const job = (form: string) => `${createJob()}keyForm: ${form}\n`;
    expect((await flow.load(job(first), monday)).summary.outcomes).toMatchObject({ created: 4 });
    const later = await flow.file('later.yaml', job(second).replace('create', how));
    const file = await flow.file('tuesday.csv', tuesday);
    const checked = await flow.onboard(['check', '--job-file', later, file, '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      causes: [{ code: 'key_alike', count: 4 }],
      sendable: 0,
    });
    const { summary } = await flow.run(['--job-file', later, file]);
    expect(summary.topErrors).toMatchObject([{ code: 'key_alike', count: 4 }]);
    expect(flow.sandbox.stats().made.subclients).toBe(4);
  },
);

const HEADER = 'externalId,alias,name,email,accounts.0.accountNumber\n';

test('refused drafts are in rejected.csv as they were, with the body verbatim; mended there, only they are sent', async () => {
  const flow = await startFlow({ recordRequests: 20 });
  const rows =
    'P1,P1,Payee One,a@example.com,0012\nP2,P2,"=SUM(A1) ""quoted"", 1",broken,0034\nP3,P3,"\'Quoted Payee",broken,-056\n';
  const first = await flow.load('counterparty-drafts', HEADER + rows);
  expect(first).toMatchObject({ exitCode: 1, summary: { outcomes: { drafted: 1, rejected: 2 } } });

  const bodies = (await flow.report(first.summary, 'rejections.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // The sandbox's answer as its socket carries it, for the same request.
  const answered = await fetch(`${flow.sandbox.url}/v3/counterparties/draft`, {
    method: 'POST',
    headers: { authorization: 'Bearer flow-token', 'content-type': 'application/json' },
    body: flow.sandbox.requests().find(({ body }) => body.includes('SUM'))?.body ?? '',
  });
  const verbatim = await answered.text();
  expect(answered.status).toBe(418);
  expect(bodies.map(({ body }) => body)).toEqual([verbatim, verbatim]);

  const rejected = await flow.report(first.summary, 'rejected.csv');
  const mended = await flow.file('mended.csv', rejected.replaceAll('broken', 'mended@example.com'));
  const second = await flow.run(['counterparty-drafts', mended]);
  expect(second).toMatchObject({ exitCode: 0, summary: { rows: 2, outcomes: { drafted: 2 } } });
  expect(flow.sandbox.stats()).toMatchObject({ made: { drafts: 3 }, duplicateKeys: 0 });
  const sent = flow.sandbox
    .requests()
    .slice(-2)
    .map(({ body }) => JSON.parse(body));
  expect(sent.map((b) => [b.name, b.accounts[0].accountNumber]).sort()).toEqual([
    ["'Quoted Payee", '-056'],
    ['=SUM(A1) "quoted", 1', '0034'],
  ]);
});

test('several files are taken in order and the worst exit status is given', async () => {
  const flow = await startFlow();
  const one = await flow.file('1.csv', 'externalId,details.name\nA,One\n,Keyless\n');
  const two = await flow.file('2.csv', 'externalId,details.name\nB,Two\n');
  const ended = await flow.onboard(['run', 'subclients-create', one, two, '--json']);
  expect(ended.exitCode).toBe(1);
  const files = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).file);
  expect(files.map((f) => f.split('/').at(-1))).toEqual(['1.csv', '2.csv']);
});
