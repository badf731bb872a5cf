/**
 * A connection to the ledger's Redis that waits out an outage, a failover or a moved slot, under the name of its process
 * where that is allowed. How an address becomes ioredis' options is in client-options.ts; whether it answers at all before
 * a run begins, in reach.ts; what its settings promise, in settings.ts; the server of our own, in embedded.ts.
 */
import { Cluster, Redis } from 'ioredis';
import { nodeOptions, singleOptions } from './client-options.js';
const RECONNECT_STEP_MS = 50;
const RECONNECT_MAX_MS = 1000;
/** A server that refuses writes for now: as a replica that was a master before, or as a master that has lost its replicas. */
const REFUSES_WRITES = /^(READONLY|NOREPLICAS) /;
const REFUSED_PAUSE_MS = 250;
/** How often the cluster is asked for its slots: a master that is silent, rather than gone, is noticed by what others say. */
const LOOK_AT_SLOTS_MS = 2_000;
const SLOTS_ANSWER_MS = 2_000;
const MOVED_PAUSE_MS = 50;
export function connectRedis(address, onError) {
    return address.kind === 'cluster' ? connectCluster(address, onError) : connectSingle(address, onError);
}
function connectSingle(address, onError) {
    const redis = new PatientRedis({
        ...singleOptions(address),
        ...patience(onError),
        // A silent master keeps its connection: it is left when a Sentinel names another master.
        failoverDetector: address.kind === 'sentinel',
    });
    redis.on('error', onError);
    return redis;
}
function connectCluster(address, onError) {
    const { retryStrategy, ...nodePatience } = patience(onError);
    const cluster = new Cluster(address.nodes.map((node) => ({ ...node })), {
        redisOptions: { ...nodeOptions(address), ...nodePatience },
        clusterRetryStrategy: retryStrategy,
        // A slot that is being moved, or has no master for a while, is an outage like any other.
        maxRedirections: Number.POSITIVE_INFINITY,
        retryDelayOnMoved: MOVED_PAUSE_MS,
        slotsRefreshInterval: LOOK_AT_SLOTS_MS,
        slotsRefreshTimeout: SLOTS_ANSWER_MS,
        // Names are kept: certificates are made out to them.
        dnsLookup: (name, found) => found(null, name),
    });
    cluster.on('error', onError);
    cluster.on('node error', onError);
    cluster.on('+node', letManyLeave);
    return cluster;
}
/** Guards against ioredis' habit to leave a connection once per command that was refused on it: at the eleventh Node warns of a leak. */
class PatientRedis extends Redis {
    disconnect(reconnect) {
        const isLeaving = reconnect === true && this.stream?.writableEnded === true;
        if (!isLeaving)
            super.disconnect(reconnect);
    }
}
/** The same guard for a cluster's nodes, whose connections ioredis makes. */
function letManyLeave(node) {
    node.on('connect', () => node.stream.setMaxListeners(0));
}
function patience(onError) {
    let isRefused = false;
    return {
        maxRetriesPerRequest: null,
        enableReadyCheck: true,
        // A master that has become a replica keeps its connections: the command is sent again over a new one.
        reconnectOnError(error) {
            if (!REFUSES_WRITES.test(error.message))
                return false;
            if (!isRefused)
                onError(error);
            isRefused = true;
            return 2;
        },
        retryStrategy(times) {
            const pause = isRefused ? REFUSED_PAUSE_MS : 0;
            isRefused = false;
            return Math.max(pause, Math.min(times * RECONNECT_STEP_MS, RECONNECT_MAX_MS));
        },
    };
}
/**
 * Names this process at every server that it is connected to, also after each reconnect, until the answered function is
 * called. A Redis user without that permission stays nameless.
 */
export function nameConnections(redis, name) {
    const stops = new Map();
    const add = (server) => {
        stops.get(server)?.();
        stops.set(server, nameConnection(server, name));
    };
    if (!(redis instanceof Cluster)) {
        add(redis);
        return () => stops.get(redis)?.();
    }
    const remove = (server) => {
        stops.get(server)?.();
        stops.delete(server);
    };
    for (const server of redis.nodes())
        add(server);
    redis.on('+node', add);
    redis.on('-node', remove);
    return () => {
        redis.off('+node', add);
        redis.off('-node', remove);
        for (const stop of stops.values())
            stop();
    };
}
function nameConnection(server, name) {
    const setName = () => void server.client('SETNAME', name).catch(() => undefined);
    server.on('ready', setName);
    // A command would connect a replica that nobody has needed yet.
    if (server.options.readOnly !== true)
        setName();
    return () => server.off('ready', setName);
}
/** The names of all connections to the servers that hold the ledger; none where this Redis user may not ask. */
export async function connectionNames(redis) {
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    try {
        const lists = await Promise.all(servers.map((server) => server.client('LIST')));
        return lists.flatMap((list) => [...String(list).matchAll(/ name=(\S+)/g)].map(([, name = '']) => name));
    }
    catch {
        return [];
    }
}
//# sourceMappingURL=connection.js.map