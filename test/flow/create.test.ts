import { describe, expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { summaryFrom } from '../support/run-control.ts';

describe('a file of subclients', () => {
  test('every row is created once, in file order in the report, and the service’s ids are in it', async () => {
    const flow = await startFlow();
    const file = await flow.file('a.csv', subclientsCsv(250));
    const { exitCode, summary } = await flow.run(['subclients-create', file]);
    expect(exitCode).toBe(0);
    expect(summary).toMatchObject({ state: 'finished', rows: 250, settled: 250, open: 0, exitCode: 0 });
    expect(summary.outcomes.created).toBe(250);
    const results = await flow.results(summary);
    expect(results.map((r) => r.row)).toEqual(Array.from({ length: 250 }, (_, i) => String(i + 1)));
    const made = new Map([...flow.sandbox.entities('subclient')].map(({ key, id }) => [key, id]));
    for (const result of results) expect(made.get(result.key ?? '')).toBe(result.id);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 250 }, duplicateKeys: 0 });
  });

  test('the same file again sends nothing, names the earlier run and gives its exit status', async () => {
    const flow = await startFlow();
    const file = await flow.file('a.csv', `${subclientsCsv(5)},No Key Ltd\n`);
    const first = await flow.run(['subclients-create', file]);
    expect(first.exitCode).toBe(1);
    const again = await flow.run(['subclients-create', file]);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain(first.summary.run);
    expect(flow.sandbox.stats().made.subclients).toBe(5);
  });

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
});

test('a totals line becomes no record: not of the file, not of its report, and not in a rerun', async () => {
  const flow = await startFlow();
  const rows = subclientsCsv(250).trimEnd();
  const { exitCode, summary } = await flow.load('subclients-create', `${rows}\nSumme,250 Kunden\n`);
  expect([exitCode, summary.outcomes]).toMatchObject([1, { created: 250, invalid: 1 }]);
  const [last] = (await flow.results(summary)).slice(-1);
  expect(last).toMatchObject({ row: '251', code: 'totals_row' });
  expect(summary.topErrors).toMatchObject([{ code: 'totals_row', column: 'externalId', count: 1 }]);

  const file = await flow.file('failed.csv', await flow.report(summary, 'failed.csv'));
  const again = await flow.run(['subclients-create', file]);
  expect(again.summary.outcomes).toMatchObject({ created: 0, invalid: 1 });
  const rerun = await summaryFrom(flow, ['rerun', summary.run, '--only', 'invalid']);
  expect(rerun.summary.outcomes).toMatchObject({ created: 0, invalid: 1 });
  expect(flow.sandbox.stats().made.subclients).toBe(250);
});

describe('keys', () => {
  test('the later row with a key is invalid, however far apart they are and whatever became of the first', async () => {
    const flow = await startFlow();
    const rows = [
      ...subclientsCsv(300).trimEnd().split('\n'),
      'K1,Again Ltd',
      'BAD,',
      'BAD,Now With A Name',
      '',
    ];
    const { exitCode, summary } = await flow.load(
      'operation: subclient.create\nkey: externalId\nrequired: [details.name]\nfields: {additionalInformation.crmId: externalId}\n',
      rows.join('\n'),
    );
    expect(exitCode).toBe(1);
    expect(summary.outcomes).toMatchObject({ created: 300, invalid: 3 });
    const results = await flow.results(summary);
    expect(results.slice(300).map((r) => r.code)).toEqual([
      'duplicate_key',
      'missing_required',
      'duplicate_key',
    ]);
    expect(results[300]?.message).toContain('row 1 ');
  });
});

describe('twenty keys of which a spreadsheet has taken the zeros, and twenty in small letters', () => {
  const keysOf = (write: (n: number) => string) => Array.from({ length: 20 }, (_, i) => write(i + 1));
  const FIRST = [
    ...keysOf((n) => String(n).padStart(5, '0')),
    ...keysOf((n) => `CL-${String(n).padStart(4, '0')}`),
  ];
  const OTHERS = [...keysOf(String), ...keysOf((n) => `cl-${String(n).padStart(4, '0')}`)];
  const csv = (keys: readonly string[]) =>
    `externalId,details.name\n${keys.map((key, i) => `${key},Name ${i % 40}\n`).join('')}`;
  type Flow = Awaited<ReturnType<typeof startFlow>>;
  const codesOf = async (flow: Flow, run: Awaited<ReturnType<Flow['run']>>) => [
    ...new Set((await flow.results(run.summary)).flatMap(({ code }) => code || [])),
  ];

  test('are found in one file, and in a file that is loaded later', async () => {
    const flow = await startFlow();
    const one = await flow.run(['subclients-create', await flow.file('1.csv', csv([...FIRST, ...OTHERS]))]);
    expect(one.summary.outcomes).toMatchObject({ created: 40, invalid: 40 });
    const later = await flow.run(['subclients-create', await flow.file('2.csv', csv(OTHERS))]);
    expect(later.summary.outcomes).toMatchObject({ created: 0, invalid: 40 });
    expect([await codesOf(flow, one), await codesOf(flow, later)]).toEqual([['key_alike'], ['key_alike']]);
    expect(flow.sandbox.stats().made.subclients).toBe(40);
  });

  test('are found while the other run is under way: whichever row comes first is created', async () => {
    const flow = await startFlow();
    const files = [await flow.file('1.csv', csv(FIRST)), await flow.file('2.csv', csv(OTHERS))];
    const runs = await Promise.all(files.map((file) => flow.run(['subclients-create', file])));
    const outcomes = runs.map(({ summary }) => summary.outcomes);
    expect(outcomes.reduce((sum, { created }) => sum + created, 0)).toBe(40);
    expect(outcomes.reduce((sum, { invalid }) => sum + invalid, 0)).toBe(40);
    expect(flow.sandbox.stats().made.subclients).toBe(40);
  });

  test('are records of their own where the job says so', async () => {
    const flow = await startFlow();
    const job =
      'operation: subclient.create\nkey: externalId\nkeyForm: exact\nfields: {additionalInformation.crmId: externalId}\n';
    const { summary } = await flow.load(job, csv([...FIRST, ...OTHERS]));
    expect(summary.outcomes).toMatchObject({ created: 80, invalid: 0 });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 80 }, duplicateKeys: 0 });
  });
});

describe('refused drafts', () => {
  const HEADER = 'externalId,alias,name,email,accounts.0.accountNumber\n';

  test('are in rejected.csv as they were, with the body verbatim; mended there, only they are sent', async () => {
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

describe('a report file of a JSON run', () => {
  test('loads again although no row of it has a member that the definition maps, and its advice names it', async () => {
    const flow = await startFlow();
    const job = await flow.file(
      'j.yaml',
      'operation: subclient.create\nkey: ref\nfields: { details.name: Name, internalInformation.notes: Note }\nrequired: [details.name]\n',
    );
    const first = await flow.run([
      '--job-file',
      job,
      await flow.file('a.json', '[{"ref":"A","Name":"One","Note":"x"},{"ref":"B"}]'),
    ]);
    expect(first.summary.topErrors[0]?.advice).toContain('failed.ndjson');
    const failed = await flow.report(first.summary, 'failed.ndjson');
    const mended = await flow.file('mended.ndjson', failed.replace('{"ref":"B"', '{"ref":"B","Name":"Two"'));
    expect(await flow.run(['--job-file', job, mended])).toMatchObject({
      exitCode: 0,
      summary: { outcomes: { created: 1 } },
    });
  });
});

test.each([
  ['csv', 'externalId,details.name\nA,One,extra\n', 'A,One,extra'],
  ['ndjson', '{"externalId":"A","details":{"name":"One"}}\n{"externalId":\n', '{"externalId":'],
])(
  'the text of an unreadable %s row lives on when its report file is loaded unmended',
  async (type, content, text) => {
    const flow = await startFlow();
    const first = await flow.run(['subclients-create', await flow.file(`a.${type}`, content)]);
    const again = await flow.file(`b.${type}`, await flow.report(first.summary, `failed.${type}`));
    const second = await flow.run(['subclients-create', again]);
    expect(second.summary.outcomes).toMatchObject({ invalid: 1, created: 0 });
    expect(second.summary.topErrors).toMatchObject([{ code: 'unreadable_row' }]);
    expect(await flow.report(second.summary, `failed.${type}`)).toContain(JSON.stringify(text).slice(1, -1));
  },
);
