import { type RedisNode, type RedisNodeOptions, startRedisNode } from './redis-node.ts';
import { until } from './until.ts';

/** A master with two replicas, watched by a Sentinel that needs nobody's consent; all of one test's own. */
export type RedisGroup = {
  readonly master: RedisNode;
  readonly replicas: readonly RedisNode[];
  readonly sentinel: RedisNode;
  /** The port of the server that the Sentinel takes for the master. */
  masterPort(): Promise<number>;
};

export type RedisGroupOptions = {
  /** Of the servers that hold the data. */
  readonly server?: Omit<RedisNodeOptions, 'isSentinel'>;
  readonly sentinel?: Pick<RedisNodeOptions, 'lines' | 'password'>;
};

/** The name by which the Sentinel knows the master. */
export const MASTER_NAME = 'mymaster';
const DOWN_AFTER_MS = 1_000;

/** Starts them, and waits until the Sentinel knows all of them. */
export async function startRedisGroup({
  server = {},
  sentinel = {},
}: RedisGroupOptions): Promise<RedisGroup> {
  const lines = ['min-replicas-to-write 1', 'repl-diskless-sync-delay 0', ...(server.lines ?? [])];
  const master = await startRedisNode({ ...server, lines });
  const following = [...lines, `replicaof 127.0.0.1 ${master.port}`];
  const replicas = await Promise.all([1, 2].map(() => startRedisNode({ ...server, lines: following })));
  await Promise.all(replicas.map(untilFollowing));
  const watch = [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
    ...(server.password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${server.password}`]),
    ...(sentinel.lines ?? []),
  ];
  const isEncrypted = server.isEncrypted === true;
  const watcher = await startRedisNode({ ...sentinel, lines: watch, isEncrypted, isSentinel: true });
  await until(async () => /slaves=2/.test(await watcher.admin.info('sentinel')));
  return {
    master,
    replicas,
    sentinel: watcher,
    async masterPort() {
      const found = await watcher.admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME);
      return Array.isArray(found) ? Number(found[1]) : 0;
    },
  };
}

async function untilFollowing({ admin }: RedisNode): Promise<void> {
  await until(async () => /^master_link_status:up/m.test(await admin.info('replication')));
}
