import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReceiver } from '../faces/notify/receiver.ts';
import type { Ended, Flow } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { type InboxFlow, startInboxFlow } from '../support/inbox.ts';
import { askPage, checkUpload, enterPage, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { newestRun, statusOf } from '../support/run-control.ts';
import { newKey } from '../support/sealing.ts';
import { until } from '../support/until.ts';
import {
  argumentsBelow,
  filesIn,
  kindsIn,
  mark,
  startMarkedService,
  valuesIn,
  wordsAround,
} from './support/marked.ts';
import { TIMEOUT_MS, TIMES } from './support/times.ts';

const JOBS = {
  payees: `
operation: counterparty.draft
files: "payees*"
key: Ref
fields: { firstName: Answer, lastName: Last, email: Mail, address1: Street, isSelf: Self, accounts.0.iban: Account }
ignore: [Tax, Note]
checks: { accounts: warn }
lookup: { path: "/v1/find?ref={key}", match: /items, id: /id }
send: { concurrency: 1, attempts: 2, canary: 0 }
`,
  companies: 'operation: subclient.create\nkey: externalId\n',
  attachments: 'operation: payment.documents\nkey: paymentId\n',
  things: `
operation: custom
request: { name: example.add, method: POST, path: "/v0/example/{Place}/things", id: /id }
key: Ref
fields: { nick: Nick }
`,
};

const ANSWERS = 'ok refuse deny ok bad lose break unnamed ok ok hold ok ok refuse refuse hold ok ok';

/** A row for each answer; one has a cell that is no boolean, one doesn't fit the header, one has another's key. */
function payees(): string {
  const lines = ANSWERS.split(' ').map((answer, i) => {
    const n = i + 1;
    if (n === 10) return Array.from({ length: 12 }, (_, at) => mark('torn', at)).join();
    const self = n === 9 ? mark('wrong', n) : '';
    const [name, mail, street, ...rest] = 'name mail street account tax ignored'
      .split(' ')
      .map((kind) => mark(kind, n));
    const key = mark('key', n === 13 ? 1 : n);
    return [key, answer, name, `${mail}@example.com`, street, self, ...rest].join();
  });
  return ['Ref,Answer,Last,Mail,Street,Self,Account,Tax,Note', ...lines, ''].join('\n');
}

const KEYS = mark('key', 0).slice(0, -2);
const BARE = `${[1, 2, 3].map((n) => mark('bare', n)).join()}\n`;

/** What was said or left where, by sink. */
type Sinks = Map<string, (string | Buffer)[]>;

function createSinks() {
  const sinks: Sinks = new Map();
  const add = (sink: string, ...texts: readonly (string | Buffer)[]) =>
    void sinks.set(sink, [...(sinks.get(sink) ?? []), ...texts]);
  return {
    sinks,
    add,
    /** A command's log, and what it told whoever gave it. */
    said([name = '']: readonly string[], { stdout, stderr }: Ended) {
      const lines = stderr.split('\n');
      add('log', ...lines.filter((line) => line.startsWith('{')));
      add(`told by ${name}`, stdout, ...lines.filter((line) => !line.startsWith('{')));
    },
  };
}

/** Everything that can befall rows, and everything that people do with them; `env`: of all commands. */
async function walk(env: Readonly<Record<string, string>>) {
  const server = await startRedisServer({ 'slowlog-log-slower-than': '0', 'slowlog-max-len': '100000' });
  const service = await startMarkedService();
  const times = { ...TIMES, lockMs: 2_000, graceMs: 2_000, lookUpAfterMs: 100 };
  const inbox = await startInboxFlow(JOBS, { redis: server.url, times, env });
  const { flow } = inbox;
  const events = await startReceiver();
  const own = { ...(await settings(flow, { service: service.url, events: events.url })), ...env };
  const { sinks, add, said } = createSinks();
  const tell = async (...args: readonly string[]) => said(args, await flow.onboard(args, own));
  /** Their arguments are the test's own. */
  const started = new Set<number | undefined>();
  const look = () => argumentsBelow(process.pid, started).then((found) => add('arguments', ...found));
  const watching = setInterval(() => void look(), 20);

  const file = await flow.file(`payees ${mark('file', 1)}.csv`, payees());
  const bare = await flow.file('bare.csv', BARE);
  await tell('preview', file);
  await tell('check', 'payees', file);
  await tell('map', file, '--operation', 'counterparty.draft');
  await tell('doctor');
  await tell('run', 'payees', bare);

  const run = ['run', 'payees', file];
  const killed = flow.start(run, own);
  started.add(killed.child.pid);
  await until(() => service.held() === 1);
  killed.child.kill('SIGKILL');
  said(run, await killed.ended);
  service.letGo();
  const second = flow.begin(run, own);
  await until(() => service.held() === 1);
  const id = await newestRun(flow);
  const cancelling = tell('cancel', id, '--reason', 'enough');
  await until(async () => (await statusOf(flow, id)).state === 'cancelled');
  service.letGo();
  await cancelling;
  said(run, await second.ended);

  const { outcomes } = await statusOf(flow, id);
  await tell('resolve', id, '6', '--created', 'id-600');
  await tell('resolve', id, '--file', await decide(flow, id));
  await tell('status', id);
  await tell('status', id, '--json');
  await tell('runs');
  await tell('account', id);
  await tell('account', id, '--open', join(flow.home, 'open.csv'));
  await tell('rerun', id, '--only', 'failed,rejected,denied,invalid,cancelled');
  await tell('write-off', id, '2', '--reason', 'not ours');
  await tell('run', 'attachments', await flow.file('a.csv', `paymentId\n${mark('key', 40)}\n`));
  const thing = [mark('key', 41), mark('path', 1), mark('name', 41)].join();
  await tell('run', 'things', await flow.file('t.csv', `Ref,Place,Nick\n${thing}\n`));
  await keepRunning(inbox, { id, own, started, add, said });
  await tell('report', id);
  await tell('reply', id);
  clearInterval(watching);

  add('events', ...events.received.map(({ body, headers }) => `${JSON.stringify(headers)} ${body}`));
  add('redis', ...(await valuesIn(server.redis)));
  add('append-only file', ...(await filesIn(join(server.folder, 'appendonlydir'))).values());
  add('slow log', JSON.stringify(await server.redis.call('SLOWLOG', 'GET', '-1')));
  for (const [path, bytes] of await filesIn(flow.home)) add(sinkOf(path), path, bytes);
  return { sinks, outcomes };
}

/** One row in doubt was not created, the others stay. */
async function decide({ home }: Flow, run: string): Promise<string> {
  const path = join(home, 'reports', run, 'in-doubt.csv');
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, lines.map((line, i) => (i === 1 ? `${line}not-created` : line)).join('\n'));
  return path;
}

type Keeping = Pick<ReturnType<typeof createSinks>, 'add' | 'said'> & {
  readonly id: string;
  readonly own: Readonly<Record<string, string>>;
  readonly started: Set<number | undefined>;
};

/** `onboard start`: files of an inbox, one from the page, and what is to be seen there. */
async function keepRunning({ flow, start, drop }: InboxFlow, keeping: Keeping): Promise<void> {
  const { id, own, started, add, said } = keeping;
  const [web, metrics] = [await freePort(), await freePort()];
  const others = payees().replaceAll('hold', 'ok').replaceAll(KEYS, `${KEYS}5`);
  await drop(`payees ${mark('file', 2)}.csv`, others);
  await drop(`payees ${mark('file', 3)}.csv`, BARE);
  await drop(`${mark('file', 4)}.csv`, 'a\n1\n');
  const args = ['start', '--web', `127.0.0.1:${web}`, '--metrics', `127.0.0.1:${metrics}`];
  const { child, ended } = start(args, own);
  started.add(child.pid);
  const kept: string[] = [];
  const page = await enterPage(await originOfPage(web), undefined, (path, { headers }) => {
    add('headers of the page', JSON.stringify(headers));
    if (headers['cache-control'] !== 'no-store') kept.push(path);
  });
  await loadByPage(page);
  const rows = ['', '/rows', '/rows/2', '/doubts', '/report', '/rows.csv', '/files/failed.csv'];
  for (const path of [...rows, `/rows?key=${mark('key', 2)}`]) await page.look(`/runs/${id}${path}`);
  for (const path of ['/', '/runs', '/jobs/payees', '/system', '/upload']) await page.look(path);
  for (const folder of ['failed', 'done'])
    await until(async () => (await filesIn(join(flow.home, folder))).size === 4);
  const { text, headers } = await askPage(`http://127.0.0.1:${metrics}`, '/metrics');
  add('metrics', text, JSON.stringify(headers));
  expect(kept, 'answers that a browser may keep').toEqual([]);
  child.kill('SIGTERM');
  said(args, await ended);
}

async function loadByPage(page: Awaited<ReturnType<typeof enterPage>>): Promise<void> {
  const company = [mark('key', 42), mark('name', 42), mark('tax', 42)].join();
  const rows = `externalId,details.name,details.taxId\n${company}\n`;
  const path = await page.upload(`companies ${mark('file', 5)}.csv`, rows);
  await page.look(path);
  await page.look(`${path}/map`);
  const { host } = await checkUpload(page, path, 'companies');
  const run = await page.post(`${path}/start`, { job: 'companies', host });
  await until(async () => (await page.look(run)).includes('finished'));
}

/** Of the home: a folder, of reports each file; beside them lie the files of the test. */
function sinkOf(path: string): string {
  const [folder = '', ...names] = path.split('/');
  if (names.length === 0) return folder === 'told-by-command' ? 'events' : 'given';
  return folder === 'reports' ? (names.at(-1) ?? '') : folder;
}

async function settings(
  flow: Flow,
  { service, events }: { readonly service: string; readonly events: string },
) {
  const secret = await flow.file('webhook-secret', `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  return {
    MSB_BASE_URL: service,
    ONBOARD_JOBS: join(flow.home, 'jobs'),
    LOG_LEVEL: 'trace',
    ONBOARD_WEB_TOKEN: PAGE_TOKEN,
    ONBOARD_WEBHOOK_URL: events,
    ONBOARD_WEBHOOK_SECRET_FILE: secret,
    ONBOARD_NOTIFY_COMMAND: `(cat; env) >> ${join(flow.home, 'told-by-command')}`,
  };
}

/** Kinds by sink, with blanks between; a sink that isn't named has none. */
type Table = Readonly<Record<string, string>>;

const CELLS = 'key name mail street account tax ignored wrong torn path';
const LEDGER = `${CELLS} refused denied bad document file`;
/** The ledger, until it has a key. */
const IN_CLEAR = { redis: LEDGER, journal: LEDGER, 'append-only file': LEDGER, 'slow log': LEDGER };

/** What people gave or asked for. */
const FOR_PEOPLE: Table = {
  given: `${CELLS} bare refused denied bad file`,
  done: `${CELLS} file`,
  failed: 'bare file',
  'summary.json': 'file refused',
  'digest.json': 'key refused',
  'results.csv': 'key',
  'report.html': 'file key refused',
  'reply.xlsx': `${CELLS} file`,
  'failed.csv': `${CELLS} denied bad`,
  'rejected.csv': `${CELLS} refused`,
  'in-doubt.csv': CELLS,
  'rejections.jsonl': 'key refused denied bad',
  'documents.jsonl': 'key document',
  'told by preview': CELLS,
  'told by check': `${CELLS} file`,
  'told by account': 'file key',
  // The names of columns, where none is the job's.
  'told by run': 'bare file refused',
};

/** Of other commands: which file it was, and what the service said of several rows. */
const TOLD = 'file refused';

/** By what all commands have in their environment, and what the ledger may hold then. */
const CASES: readonly (readonly [string, Readonly<Record<string, string>>, Table])[] = [
  ['without a key only the ledger, and files that people gave or asked for, have', {}, IN_CLEAR],
  ['with a key only files that people gave or asked for have', { ONBOARD_ENCRYPTION_KEY: newKey() }, {}],
];

test.each(CASES)(
  '%s values of rows, names of files and words of the service',
  async (_, env, ledger) => {
    const { sinks, outcomes } = await walk(env);
    const allowed: Table = { ...ledger, ...FOR_PEOPLE };
    const found = new Map([...sinks].map(([sink, texts]) => [sink, kindsIn(...texts)] as const));
    const beyond = [...found].flatMap(([sink, kinds]) => {
      const may = allowed[sink] ?? (sink.startsWith('told by ') ? TOLD : '');
      const none = kinds.filter((kind) => !may.split(' ').includes(kind));
      return none.map((kind) => `${sink}: ${kind}, as in ${wordsAround(kind, sinks.get(sink) ?? [])}`);
    });
    expect(beyond, beyond.join('\n')).toEqual([]);
    // The search finds them, and there was something to be searched.
    for (const sink of [...Object.keys(ledger), 'failed.csv']) expect(found.get(sink)).toContain('account');
    for (const sink of ['log', 'arguments', 'events', 'metrics', 'headers of the page'])
      expect(sinks.get(sink)?.join('').length, sink).toBeGreaterThan(0);
    const without = Object.entries(outcomes).flatMap(([outcome, count]) => (count === 0 ? [outcome] : []));
    expect(without).toEqual(['created', 'updated', 'listed', 'adopted', 'skipped']);
  },
  TIMEOUT_MS,
);
