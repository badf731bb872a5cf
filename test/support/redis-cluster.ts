import { freePort } from './free-port.ts';
import { type RedisNode, type RedisNodeOptions, startRedisNode } from './redis-node.ts';
import { until } from './until.ts';

/** A cluster of one test's own: masters with an even share of the slots each, and replicas where the test adds them. */
export type RedisCluster = {
  readonly masters: readonly RedisNode[];
  /** `127.0.0.1:<port>,…` of the masters that the cluster began with. */
  readonly hosts: string;
  /** Of the masters that it began with. */
  masterOf(key: string): Promise<RedisNode>;
  /** Adds a replica, and waits until it has all that its master has. */
  addReplica(master: RedisNode): Promise<RedisNode>;
  /** Moves the slot of a key to another master as an operator would, key by key, while it is used. */
  moveSlot(key: string): Promise<void>;
};

const SLOTS = 16_384;
/** Three are the least of which a majority is left when one is killed. */
const MASTERS = 3;
const NODE_TIMEOUT_MS = 1_500;
const KEYS_AT_ONCE = 5;

/** Three masters that have found each other. */
export async function startRedisCluster(options: RedisNodeOptions = {}): Promise<RedisCluster> {
  const masters = await Promise.all(Array.from({ length: MASTERS }, () => startClusterNode(options)));
  await Promise.all(masters.map(({ admin }, i) => admin.call('CLUSTER', 'ADDSLOTSRANGE', ...shareOf(i))));
  const [first] = masters;
  if (first === undefined) throw new Error('a cluster without masters');
  for (const node of masters) if (node !== first) await meet(node, first);
  await Promise.all(masters.map(untilOk));
  const slotOf = async (key: string) => Number(await first.admin.call('CLUSTER', 'KEYSLOT', key));
  const masterOf = async (key: string) => {
    const slot = await slotOf(key);
    return masters.find((_, i) => slot <= shareOf(i)[1]) ?? first;
  };
  return {
    masters,
    hosts: masters.map(({ port }) => `127.0.0.1:${port}`).join(','),
    masterOf,
    async addReplica(master) {
      const replica = await startClusterNode(options);
      await meet(replica, first);
      const id = String(await master.admin.call('CLUSTER', 'MYID'));
      await until(async () => String(await replica.admin.call('CLUSTER', 'NODES')).includes(id));
      await replica.admin.call('CLUSTER', 'REPLICATE', id);
      await until(async () => /^master_link_status:up/m.test(await replica.admin.info('replication')));
      return replica;
    },
    async moveSlot(key) {
      const from = await masterOf(key);
      const to = masters.find((node) => node !== from) ?? from;
      await moveSlot(await slotOf(key), from, to);
    },
  };
}

async function moveSlot(slot: number, from: RedisNode, to: RedisNode): Promise<void> {
  const [source, target] = await Promise.all([from, to].map(({ admin }) => admin.call('CLUSTER', 'MYID')));
  await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(source));
  await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(target));
  for (;;) {
    const keys = await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, KEYS_AT_ONCE);
    if (!Array.isArray(keys) || keys.length === 0) break;
    await from.admin.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys.map(String));
  }
  for (const { admin } of [to, from]) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(target));
}

const busPorts = new WeakMap<RedisNode, number>();

async function startClusterNode(options: RedisNodeOptions): Promise<RedisNode> {
  const busPort = await freePort();
  const lines = [
    'cluster-enabled yes',
    `cluster-port ${busPort}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    'cluster-replica-validity-factor 0',
    'repl-diskless-sync-delay 0',
    ...(options.lines ?? []),
  ];
  const node = await startRedisNode({ ...options, lines });
  busPorts.set(node, busPort);
  return node;
}

async function meet(node: RedisNode, other: RedisNode): Promise<void> {
  await node.admin.call('CLUSTER', 'MEET', '127.0.0.1', other.port, busPorts.get(other) ?? 0);
}

async function untilOk({ admin }: RedisNode): Promise<void> {
  await until(async () => {
    const info = String(await admin.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${MASTERS}`);
  });
}

/** First and last slot of the master with that number. */
function shareOf(i: number): readonly [number, number] {
  return [Math.floor((SLOTS * i) / MASTERS), Math.floor((SLOTS * (i + 1)) / MASTERS) - 1];
}
