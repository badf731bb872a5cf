import type { Worker } from 'bullmq';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { chooseGuests } from './choose-guests.ts';
import { scored } from './turns.ts';

/** Chunks that one process works on at once beyond its seats, one or two per run that has none else. */
const GUESTS_MAX = 56;
/** Seats that are all taken for so long give a new run no way in. */
const LOOK_MS = 200;
/** From when a guest has left until the next look. */
const LOOK_AGAIN_MS = 50;
/** The last of the waiting chunks that are looked through: new runs stand before those that have had their turns. */
const LAST_LOOKED_AT = '127';

/** The takes of chunks that a worker has in hand. */
export type Seats = {
  /** To be called once at the take's end: a chunk that was lost for a while and taken anew has a seat for each of its takes. */
  take(id: string): () => void;
  /** Opens no more seats. */
  close(): void;
};

type Waiting = {
  readonly redis: RedisConnection;
  /** The sorted set of BullMQ's waiting jobs. */
  readonly key: string;
};

/**
 * Sees to it that no run waits for the chunks of others to end, which takes long where the service is slow: while all seats
 * are taken, one more is opened for a run that has hardly anything in hand here. Rows share the requests in flight by weight
 * whatever chunk they are in, so that more chunks in hand are not more requests.
 */
export function createSeats(
  options: Waiting & { readonly worker: Worker; readonly onError: (error: Error) => void },
): Seats {
  const { worker } = options;
  const seats = worker.concurrency;
  const inHand = new Set<{ readonly id: string }>();
  let takenAt = 0;
  let isLooking = false;
  let isClosed = false;
  const canOpen = () => !isClosed && inHand.size >= worker.concurrency;

  const look = async () => {
    const ids = [...inHand].map(({ id }) => id);
    const guests = await bringForward(options, ids, seats + GUESTS_MAX - worker.concurrency);
    if (guests === 0 || !canOpen()) return;
    worker.concurrency += guests;
    wake(worker);
  };
  const lookNow = () => {
    if (isLooking || !canOpen()) return;
    isLooking = true;
    const done = () => {
      isLooking = false;
    };
    void look().catch(options.onError).finally(done);
  };
  const timer = setInterval(() => {
    if (performance.now() - takenAt >= LOOK_MS) lookNow();
  }, LOOK_MS);
  timer.unref();

  return {
    take(id) {
      const own = { id };
      inHand.add(own);
      takenAt = performance.now();
      return () => {
        inHand.delete(own);
        if (worker.concurrency <= seats) return;
        // A guest's seat is not for whoever is next, but it may be for another guest.
        worker.concurrency -= 1;
        setTimeout(lookNow, LOOK_AGAIN_MS).unref();
      };
    },
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Puts the chunks that are to get a seat before all others, since a worker takes what is first; answers how many. */
async function bringForward(
  { redis, key }: Waiting,
  inHand: readonly string[],
  room: number,
): Promise<number> {
  const waiting = scored(await redis.zrange(key, 0, LAST_LOOKED_AT, 'WITHSCORES'));
  const ids = waiting.map(({ id }) => id);
  const guests = chooseGuests(ids, inHand, room);
  const [first] = waiting;
  if (first === undefined || guests.length === 0) return 0;
  const moved = guests.flatMap((id, i) => [first.score - guests.length + i, id]);
  // Only what still waits: another worker may have taken it.
  await redis.zadd(key, 'XX', 'LT', ...moved);
  return guests.length;
}

/**
 * A worker whose seats are all taken looks at its concurrency only when one is free: it notices a new one when it is resumed.
 * Nothing is paused meanwhile, since both happen before anything else can.
 */
function wake(worker: Worker): void {
  void worker.pause(true);
  void worker.resume();
}
