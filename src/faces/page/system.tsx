/**
 * What it all runs on, as far as the page can see: the service, Redis, the queue, the workers, the
 * disk, the versions, and `doctor`, asked of the process that acts. Nothing can be done here.
 */
import type { Child } from 'hono/jsx';
import { shownAddress } from '../../config/redis-address.ts';
import { countWorkers } from '../../engine/ledger/census.ts';
import { readDoing } from '../../engine/ledger/display.ts';
import { Prose, Text } from '../../lib/html-text.tsx';
import { freeBytes } from '../../lib/machine.ts';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { programVersion } from '../../lib/version.ts';
import { type AuditEntry, parseEntry } from '../../model/audit.ts';
import { isAct } from '../../model/story.ts';
import { Facts, Story, Table, Time } from '../../runs/report/html/parts.tsx';
import { serviceAlarm } from '../../runs/service-notice.ts';
import { serviceReport } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Empty } from '../web/words.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { runPath } from './runs.tsx';

export const systemRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/system', role: 'viewer', isLive: true, answer: show },
];

async function show(visit: PageVisit): Promise<Reply> {
  const live = <System page={visit.page} system={await lookAtSystem(visit)} />;
  return { kind: 'page', title: 'System', body: <h1>System</h1>, live };
}

async function lookAtSystem({ page, visitor }: PageVisit) {
  const { env, ledger, target, chunks, doctor } = page;
  const { redis } = ledger;
  const { keys } = ledger.of(target);
  const began = performance.now();
  await redis.zcard(keys.runs);
  const roundTripMs = performance.now() - began;
  const looks = [
    freeBytes(env.home).catch(() => null),
    chunks.counts(),
    readDoing(redis, keys, Date.now()),
    countWorkers(redis, keys),
    serviceReport(ledger, target),
    redis.lrange(keys.audit, -ACTS_SHOWN, -1),
    // Not for viewers: it names folders and credentials.
    visitor.role === 'operator' ? doctor().catch(() => []) : [],
  ] as const;
  const [disk, counts, workers, registered, service, entries, found] = await Promise.all(looks);
  const acts = entries.flatMap((text) => parseEntry(text) ?? []).map(wordsOf);
  acts.reverse();
  const told = { service: serviceAlarm(service, page.clock.date().getTime()).words, acts, doctor: found };
  return { roundTripMs, disk, ...counts, workers, registered, ...told };
}

const ACTS_SHOWN = 20;

function wordsOf({ n, at, what, actor, run }: AuditEntry) {
  const who = isAct(what) ? `${what} by ${actor}` : what;
  return { n, at: Date.parse(at), words: `${who}${run === '' ? '' : `, run ${run}`}` };
}

type System = Awaited<ReturnType<typeof lookAtSystem>>;

const GIB = 1024 ** 3;

function tenths(n: number): string {
  return String(Math.round(10 * n) / 10);
}

function System({ page, system }: { readonly page: PageContext; readonly system: System }) {
  const { workers, acts, doctor } = system;
  return (
    <>
      <Facts of={factsOf(page, system)} />
      <h2>Workers</h2>
      {workers.length > 0 ? <Workers workers={workers} /> : null}
      {workers.length > 0 ? null : <Empty>No worker has told of itself within a minute.</Empty>}
      {acts.length === 0 ? null : <h2>Who did what</h2>}
      <Story story={acts} />
      {doctor.length === 0 ? null : <h2>What the doctor says</h2>}
      {doctor.map((line) => (
        <p>
          <Prose of={line} />
        </p>
      ))}
    </>
  );
}

function factsOf(page: PageContext, system: System): ReadonlyArray<readonly [string, Child]> {
  const { states, nextWaitingMs, disk } = system;
  const chunks = [
    `${numberShown(states.waiting)} waiting${states.waiting === 0 ? '' : `, the next for ${tenths(nextWaitingMs / 1000)} s`}`,
    `${numberShown(states.active)} in work`,
    `${numberShown(states.delayed)} put back for a while`,
    `${numberShown(states.failed)} failed`,
  ];
  const free = disk === null ? '' : `, ${tenths(disk / GIB)} GiB free`;
  const address = shownAddress(page.ledger.address);
  return [
    ['service', <Prose of={`${page.target}: ${system.service}`} bytes={400} />],
    ['Redis', <Text of={`${address}, answers in ${tenths(system.roundTripMs)} ms`} />],
    ['chunks', chunks.join(' · ')],
    ['processes', `${countOf(system.registered, 'process', 'processes')} registered with the ledger`],
    ['home', <Text of={`${page.env.home}${free}`} />],
    ['program', `onboard ${programVersion()}, Node.js ${process.versions.node}`],
  ];
}

function Workers({ workers }: Pick<System, 'workers'>) {
  return (
    <Table
      name="Workers"
      heads={['worker', { n: 'in flight' }, { n: 'requests a second' }, 'runs', 'told']}
      rows={workers.map(({ worker, at, inFlight, limit, rate, runs }) => [
        <Text of={worker} bytes={100} />,
        `${numberShown(inFlight)} of ${numberShown(limit)}`,
        numberShown(rate),
        runs.map((run) => <a href={runPath(run)}>{`${run} `}</a>),
        <Time at={new Date(at).toISOString()} show="time" />,
      ])}
    />
  );
}
