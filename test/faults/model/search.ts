import type { Redis } from 'ioredis';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { shortDigest } from '../../../src/lib/digest.ts';
import { createRecentMap, type RecentMap } from '../../../src/lib/recent.ts';
import { setEpoch } from '../../support/stored.ts';
import { applyEvent } from './apply-event.ts';
import { canonicalText } from './canonical.ts';
import { drain } from './drain.ts';
import { isEnabled, type Limits } from './enabled.ts';
import { allEvents, describeEvent, type Event } from './events.ts';
import { cloneState, SLOTS, type State, viewOf } from './state.ts';
import { look, type View } from './view.ts';
import { openSteadyWorkers } from './workers.ts';
import { type Bench, type Bend, claimAll, createWorld, type World } from './world.ts';

type SearchOptions = {
  /** One lane for each; each has a database of its own. */
  readonly connections: readonly Redis[];
  readonly depth: number;
  readonly limits: Limits;
  /** Every so many new states one is brought to its end by a fresh worker. */
  readonly drainEvery: number;
  readonly isKeyed?: boolean;
  readonly bend?: Bend;
};

/** What was seen: distinct states, and events that were tried from them. */
export type Found = { depth: number; states: number; transitions: number; drained: number };

/** How a state was reached; the states on the way are not kept. */
type Path = { readonly event: Event; readonly before: Path } | null;
type Node = { readonly state: State; readonly path: Path };

/** 96 bits: among a million states two share one with a chance below one in 10^16. */
const DIGEST_CHARACTERS = 16;

const VIEWS_KEPT = 100_000;

type Lane = { readonly bench: Bench; readonly events: readonly Event[] };
type Search = Pick<SearchOptions, 'limits' | 'drainEvery'> & {
  readonly seen: Set<string>;
  readonly views: RecentMap<string, View>;
  readonly found: Found;
};

/**
 * Every path of so many events of one row and two workers, on the real scripts: breadth first, paths that lead to the same
 * state once. Some of the new states are also brought to their end. Throws with the path where something is wrong.
 */
export async function searchAll(options: SearchOptions): Promise<Found> {
  const { crashes, losses } = options.limits;
  if (crashes > 1 && losses > 0) throw new Error('the order of the journals that are left would not be seen');
  const lanes = await Promise.all(options.connections.map((redis) => openLane(redis, options)));
  const search: Search = {
    limits: options.limits,
    drainEvery: options.drainEvery,
    seen: new Set(),
    views: createRecentMap(VIEWS_KEPT),
    found: { depth: 0, states: 1, transitions: 0, drained: 0 },
  };
  try {
    let nodes = [await rootOf(lanes)];
    while (search.found.depth < options.depth && nodes.length > 0) {
      nodes = await expandAll(nodes, lanes, search);
      search.found.depth += 1;
    }
    return search.found;
  } finally {
    for (const { bench } of lanes) await bench.workers.close();
  }
}

async function openLane(redis: Redis, { bend = {}, isKeyed = false }: SearchOptions): Promise<Lane> {
  await redis.flushdb();
  const keys = ledgerKeys('http://127.0.0.1/model');
  const small = { rows: 1, processes: 2, epoch: false, goesOn: true } as const;
  const world: World = await createWorld({ redis, keys, ...small, isKeyed, bend });
  const bench = Object.assign(world, { workers: await openSteadyWorkers(world), claimed: 'o0' });
  return { bench, events: allEvents(1).flatMap(variantsOf) };
}

/** States that differ in nothing but the slots are one: what befalls both of them comes in either order. */
function variantsOf(event: Event): Event[] {
  if (event.kind === 'half') return SLOTS.map((first) => ({ ...event, first }));
  if (event.kind === 'copied' && event.events === 0 && event.lost !== 1)
    return event.lost === null ? [true, false].map((noticed) => ({ ...event, noticed })) : [event];
  return event.kind === 'back' || event.kind === 'copied' ? [] : [event];
}

async function rootOf([lane]: readonly Lane[]): Promise<Node> {
  if (lane === undefined) throw new Error('a search needs a connection');
  const { bench } = lane;
  await claimAll(bench);
  bench.state.view = await look(bench);
  return { state: bench.state, path: null };
}

/** One event further from each of the nodes; answers the states that were not seen before. */
async function expandAll(nodes: readonly Node[], lanes: readonly Lane[], search: Search): Promise<Node[]> {
  const next: Node[] = [];
  const left = nodes.values();
  const work = async ({ bench, events }: Lane) => {
    try {
      for (const from of left) {
        const possible = events.filter((event) => isEnabled(from.state, event, search.limits));
        for (const event of possible) next.push(...(await step(bench, { from, event, search })));
      }
    } finally {
      // After a failure nothing is left for the others.
      for (const _ of left);
    }
  };
  const ended = await Promise.allSettled(lanes.map(work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return next;
}

type Step = { readonly from: Node; readonly event: Event; readonly search: Search };

async function step(bench: Bench, { from, event, search }: Step): Promise<Node[]> {
  const { seen, found, drainEvery } = search;
  const path = { event, before: from.path };
  try {
    await enter(bench, from);
    await applyEvent(bench, event);
    found.transitions += 1;
    const digest = shortDigest(canonicalText(bench.state), DIGEST_CHARACTERS);
    if (seen.has(digest)) return [];
    seen.add(digest);
    found.states += 1;
    const node = { state: { ...cloneState(bench.state), view: viewToKeep(search, bench.state) }, path };
    if (found.states % drainEvery === 0) {
      found.drained += 1;
      await drain(bench, found.drained % 2 === 0 ? 0 : 1);
    }
    return [node];
  } catch (error) {
    const events = eventsOf(path).map(describeEvent).join('\n');
    throw new Error(`after\n${events}\n(and then, to its end)\n${bench.trail.slice(1).join('\n')}`, {
      cause: error,
    });
  }
}

/** One for all states with the same ledger, and not within the bytes that came from Redis at once: there are many states. */
function viewToKeep({ views }: Search, state: State): View {
  const view = viewOf(state);
  const digest = shortDigest(
    view.snapshot.map((value) => value?.toString('latin1')).join(),
    DIGEST_CHARACTERS,
  );
  const known = views.get(digest);
  if (known !== undefined) return known;
  const kept = { ...view, snapshot: view.snapshot.map((value) => value && Buffer.from(value)) };
  views.set(digest, kept);
  return kept;
}

async function enter(bench: Bench, { state }: Node): Promise<void> {
  const { losses } = bench.state;
  bench.state = cloneState(state);
  bench.trail.length = 0;
  await bench.keyspace.restore(viewOf(state).snapshot);
  if (losses !== state.losses) await setEpoch(bench.redis, bench.keys, { opened: `o${state.losses}` });
}

function eventsOf(path: Path): Event[] {
  return path === null ? [] : [...eventsOf(path.before), path.event];
}
