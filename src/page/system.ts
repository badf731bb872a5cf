/** What this all runs on, as far as the page can see it: Redis, the workers, the queue, the disk; and what `doctor` says, asked of the parent. */
import { statfs } from 'node:fs/promises';
import { shownAddress } from '../config/redis-address.ts';
import { countWorkers } from '../ledger/census.ts';
import { readDoing } from '../ledger/doing.ts';
import { kept } from '../lib/kept.ts';
import { programVersion } from '../lib/version.ts';
import { watchChunks } from '../queue/chunk-queue.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport } from '../runs/status.ts';
import type { SystemPart } from '../web/system.tsx';
import type { Desk } from './desk.ts';

const EVERY_MS = 5_000;
const DOCTOR_EVERY_MS = 30_000;
const DOCTOR = { name: 'page', role: 'viewer' } as const;
const GIB = 1024 ** 3;

export function createSystemPart(desk: Desk): SystemPart {
  const { ledger, env, target, ask } = desk;
  const { keys } = ledger.of(target);
  const { redis } = ledger;
  const queue = watchChunks(redis, keys.queuePrefix);
  const examined = kept(DOCTOR_EVERY_MS, async () => {
    const answer = await ask?.({ kind: 'doctor' }, DOCTOR);
    return answer?.kind === 'done' ? answer.words.split('\n') : [];
  });
  const seldom = kept(EVERY_MS, async () => {
    const began = performance.now();
    await redis.hlen(keys.epoch);
    const roundTripMs = performance.now() - began;
    const disk = await statfs(env.home).catch(() => null);
    return { roundTripMs, freeGib: disk === null ? null : (disk.bavail * disk.bsize) / GIB };
  });
  return {
    async system() {
      const now = Date.now();
      const [machine, counts, doing, registered, report, doctor] = await Promise.all([
        seldom(),
        queue.counts(),
        readDoing(redis, keys, now),
        countWorkers(redis, keys),
        serviceReport(ledger, target),
        examined().catch(() => []),
      ]);
      return {
        target,
        service: serviceWords(report),
        redis: { address: shownAddress(ledger.address), roundTripMs: machine.roundTripMs },
        chunks: { ...counts.states, oldestSeconds: counts.nextWaitingMs / 1000 },
        registered,
        workers: doing.map(({ worker, at, inFlight, limit, rate, runs }) => ({
          worker,
          at: new Date(at).toISOString(),
          inFlight,
          limit,
          rate,
          runs,
        })),
        home: env.home,
        freeGib: machine.freeGib,
        version: programVersion(),
        node: process.versions.node,
        doctor,
      };
    },
  };
}
