import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Times } from '../../../src/lib/times.ts';
import type { Summary } from '../../../src/runs/report/summary.ts';
import { type Ended, type Flow, keysOf, startFlow, subclientsCsv, withSummary } from '../../support/flow.ts';
import type { RecordingOptions } from '../../support/recording-sandbox.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import { whileSlow } from '../../support/while-slow.ts';
import { type KeptProcess, keepProcess } from './killing.ts';
import { startProxy, type TcpProxy } from './proxy.ts';
import { type ServiceWatch, watchService } from './service-watch.ts';
import { TIMES } from './times.ts';
import { assertTruth } from './truth.ts';

/** One process of a crew; a killed one starts again with the same command. */
export type Member = KeptProcess & {
  /** Its `ONBOARD_HOME`. */
  readonly home: string;
  /** Its own way to Redis; `null` where nothing is between. */
  readonly redisProxy: TcpProxy | null;
};

/** Commands of the program at work for one service, as separate processes: mostly `onboard run` on one file, and `onboard work` beside it. */
export type Crew = {
  readonly flow: Flow;
  readonly file: string;
  /** The file's keys, row by row. */
  readonly keys: readonly string[];
  /** In the order of their commands: the `run` first, then the workers. */
  readonly members: readonly Member[];
  /** `null`: the embedded one. */
  readonly redis: RedisServer | null;
  readonly service: ServiceWatch;
  /** Entities made so far. */
  made(): number;
  /** The first one's own end; an Error where it printed no summary. */
  readonly finished: Promise<Ended & { readonly summary: Summary }>;
};

export type CrewOptions = {
  readonly rows: number;
  readonly sandbox?: RecordingOptions;
  /** `one`: all in one home, with its embedded Redis. `each`: a home for each, and a Redis on TCP between them. */
  readonly homes: 'one' | 'each';
  /** `url`: one home, too, has a Redis on TCP. */
  readonly redis?: 'url';
  /** How many `onboard work`; default 1. */
  readonly workers?: number;
  /** The workers are no more than a name until `end` and `revive`. */
  readonly lateWorkers?: boolean;
  /** Puts a proxy between each member and a Redis on TCP. */
  readonly proxyRedis?: boolean;
  /** The job definition (YAML); default: the shipped `subclients-create`. */
  readonly job?: string;
  /** Default: those of this part of the tests. */
  readonly times?: Times;
  /** Beside those of every member. */
  readonly env?: Readonly<Record<string, string>>;
};

const JOB = 'subclients-create';

/** Starts a crew of one test's own; everything of it ends with the test. */
export async function startCrew(options: CrewOptions): Promise<Crew> {
  return (await prepareCrew(options)).start();
}

/** What a crew needs, for a test that has something to do before it starts, or commands of its own: as many as the options say. */
export async function prepareCrew(options: CrewOptions) {
  const names = ['run', ...Array.from({ length: options.workers ?? 1 }, (_, i) => `work-${i + 1}`)];
  const redis = options.homes === 'each' || options.redis === 'url' ? await startRedisServer() : null;
  const flow = await startFlow({
    ...options.sandbox,
    times: options.times ?? TIMES,
    tokens: names.map(tokenOf),
    redis: redis?.url ?? 'embedded',
  });
  const service = watchService(flow.sandbox);
  const file = await flow.file('rows.csv', subclientsCsv(options.rows));
  const job = options.job === undefined ? [JOB] : ['--job-file', await flow.file('job.yaml', options.job)];
  const keys = keysOf(options.rows);
  const made = () => flow.sandbox.stats().made.subclients;
  const usual = names.map((name) => (name === 'run' ? ['run', ...job, file, '--json'] : ['work']));
  const start = async (commands: ReadonlyArray<readonly string[]> = usual): Promise<Crew> => {
    const members: Member[] = [];
    for (const [index, name] of names.entries()) {
      const args = commands[index] ?? [];
      members.push(await startMember({ flow, redis, options, name, args, index }));
    }
    const [run] = members;
    if (run === undefined) throw new Error('a crew has a member');
    const finished = run.ownEnd.then(withSummary);
    // A test that fails before it waits for the end has its own words for it.
    finished.catch(() => undefined);
    return { flow, file, keys, members, redis, service, made, finished };
  };
  return { flow, file, keys, start };
}

/** Its end, with what became of the rows in doubt; an Error where the report is not true. */
export async function truthOf({ flow, keys, finished }: Crew) {
  const { exitCode, stderr, summary } = await finished;
  const { sandbox, home } = flow;
  return { exitCode, stderr, summary, truth: await assertTruth({ sandbox, home, summary, keys }) };
}

/** The crew's Redis on TCP, where it has one. */
export function redisOf({ redis }: Pick<Crew, 'redis'>): RedisServer {
  if (redis === null) throw new Error('expected a Redis by URL');
  return redis;
}

/** How many workers the ledger's registry has. */
export async function registered(crew: Pick<Crew, 'redis'>): Promise<number> {
  const { redis } = redisOf(crew);
  const [epoch = ''] = await redis.keys('onboard:{*}:epoch');
  return (await redis.hkeys(epoch)).filter((field) => field.startsWith('m:')).length;
}

/**
 * Resolves when every member has sent something: none comes too late for its share of the rows, however long its process takes to start.
 * To be asked for at once; the file has more rows than one takes in hand, and `faults` are the service's from then on.
 */
export function allSend({ flow, members }: Crew, faults: readonly string[]): Promise<void> {
  const work = () => until(() => members.every((member) => member.requests() > 0));
  return whileSlow(flow.sandbox, { after: faults, latency: '1s' }, work);
}

type MemberParts = {
  readonly flow: Flow;
  readonly redis: RedisServer | null;
  readonly options: CrewOptions;
  readonly name: string;
  readonly args: readonly string[];
  /** Its place among the members, and of its token among the sandbox's. */
  readonly index: number;
};

async function startMember(parts: MemberParts): Promise<Member> {
  const { flow, redis, options, name, index } = parts;
  const redisProxy = redis !== null && options.proxyRedis === true ? await ownProxy(redis.port) : null;
  // The first one's is the flow's, where the report is looked for.
  const home = options.homes === 'one' || name === 'run' ? flow.home : join(flow.home, `home-of-${name}`);
  const env = {
    MSB_TOKEN: tokenOf(name),
    ONBOARD_HOME: home,
    ...(redisProxy !== null && { REDIS_URL: `redis://127.0.0.1:${redisProxy.port}` }),
    ...options.env,
  };
  let args = options.lateWorkers === true && index > 0 ? ['--version'] : parts.args;
  const start = () => {
    const started = flow.start(args, env);
    args = parts.args;
    return started;
  };
  // Each has a token of its own: so the service knows who sent what.
  const kept = keepProcess(name, start, () => flow.sandbox.stats().tokens[index]?.requests ?? 0);
  return { ...kept, home, redisProxy };
}

async function ownProxy(port: number): Promise<TcpProxy> {
  const proxy = await startProxy(port);
  onTestFinished(proxy.close);
  return proxy;
}

function tokenOf(name: string): string {
  return `token-of-${name}`;
}
