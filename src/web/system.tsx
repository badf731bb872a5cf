/**
 * What all of it runs on: the service, Redis, the queue, the workers, the disk and the versions.
 * Nothing can be done here.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import { Time, Wide } from '../report/html/parts.tsx';
import { runPath } from './runs.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { Empty } from './words.tsx';

export type SystemShown = {
  readonly target: string;
  readonly service: string;
  readonly redis: { readonly address: string; readonly roundTripMs: number };
  readonly chunks: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
    /** How long the next one has waited. */
    readonly oldestSeconds: number;
  };
  /** Processes that are registered with the ledger. */
  readonly registered: number;
  readonly workers: ReadonlyArray<{
    readonly worker: string;
    readonly at: string;
    readonly inFlight: number;
    readonly limit: number;
    readonly rate: number;
    readonly runs: readonly string[];
  }>;
  readonly home: string;
  /** `null`: not known. */
  readonly freeGib: number | null;
  readonly version: string;
  readonly node: string;
  /** What `onboard doctor` says, line by line; empty where nobody can be asked. */
  readonly doctor: readonly string[];
};

export type SystemPart = { system(): Promise<SystemShown> };

export const systemRoutes: readonly Route<SystemPart>[] = [
  { method: 'GET', path: '/system', role: 'viewer', answer: show },
  { method: 'GET', path: '/system/live', role: 'viewer', answer: live },
];

async function show({ page }: Visit<SystemPart>): Promise<Reply> {
  const system = await page.system();
  const body = (
    <>
      <h1>System</h1>
      <div data-live="/system/live">
        <System system={system} />
      </div>
    </>
  );
  return { kind: 'page', title: 'System', body };
}

async function live({ page }: Visit<SystemPart>): Promise<Reply> {
  return { kind: 'fragment', body: <System system={await page.system()} /> };
}

const TENTH = 10;

function tenths(n: number): string {
  return String(Math.round(n * TENTH) / TENTH);
}

function System({ system }: { readonly system: SystemShown }) {
  const { redis, chunks, workers, doctor } = system;
  return (
    <>
      <dl>
        <dt>service</dt>
        <dd>
          <Text of={system.target} />: <Text of={system.service} />
        </dd>
        <dt>Redis</dt>
        <dd>
          <Text of={redis.address} />, answers in {tenths(redis.roundTripMs)} ms
        </dd>
        <dt>chunks</dt>
        <dd>
          {numberShown(chunks.waiting)} waiting
          {chunks.waiting === 0 ? '' : `, the next for ${tenths(chunks.oldestSeconds)} s`} ·{' '}
          {numberShown(chunks.active)} in work · {numberShown(chunks.delayed)} put back for a while ·{' '}
          {numberShown(chunks.failed)} failed
        </dd>
        <dt>processes</dt>
        <dd>{countOf(system.registered, 'process', 'processes')} registered with the ledger</dd>
        <dt>home</dt>
        <dd>
          <Text of={system.home} />
          {system.freeGib === null ? '' : `, ${tenths(system.freeGib)} GiB free`}
        </dd>
        <dt>program</dt>
        <dd>
          onboard {system.version}, Node.js {system.node}
        </dd>
      </dl>
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <Empty>No worker has told of itself within a minute.</Empty>
      ) : (
        <Workers workers={workers} />
      )}
      {doctor.length === 0 ? null : (
        <>
          <h2>What the doctor says</h2>
          {doctor.map((line) => (
            <p>
              <Text of={line} bytes={600} />
            </p>
          ))}
        </>
      )}
    </>
  );
}

function Workers({ workers }: Pick<SystemShown, 'workers'>) {
  return (
    <Wide name="Workers">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">worker</th>
            <th scope="col" class="n">
              in flight
            </th>
            <th scope="col" class="n">
              requests a second
            </th>
            <th scope="col">runs</th>
            <th scope="col">told</th>
          </tr>
        </thead>
        <tbody>
          {workers.map(({ worker, at, inFlight, limit, rate, runs }) => (
            <tr>
              <td>
                <Text of={worker} bytes={100} />
              </td>
              <td class="n">
                {numberShown(inFlight)} of {numberShown(limit)}
              </td>
              <td class="n">{numberShown(rate)}</td>
              <td>
                {runs.map((run) => (
                  <>
                    <a href={runPath(run)}>{run}</a>{' '}
                  </>
                ))}
              </td>
              <td>
                <Time at={at} show="time" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
