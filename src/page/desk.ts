/**
 * What the pages are made of: the ledger, which they only read, the folders of the home, the way to
 * the process that acts, and what is remembered from one request to the next.
 */
import { statfs } from 'node:fs/promises';
import { lookOver } from '../inbox/overview.ts';
import { kept } from '../lib/kept.ts';
import { createRecentMap } from '../lib/recent.ts';
import { programVersion } from '../lib/version.ts';
import { watchChunks } from '../queue/chunk-queue.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport } from '../runs/status.ts';
import type { Session } from '../session.ts';
import type { Core } from '../web/visit.ts';
import type { rememberFiles } from './child.ts';
import type { FileOfDecisions } from './decisions.ts';
import { createDigests } from './digests.ts';
import { createPaces } from './pace.ts';

type Means = Pick<Session, 'env' | 'ledger' | 'log' | 'clock'> &
  ReturnType<typeof rememberFiles> & {
    /** `sandbox`, or the service's base URL: whose runs are shown first. */
    readonly target: string;
    /** `null`: the page stands alone. */
    readonly ask: Core['ask'];
  };

export type Desk = Means & ReturnType<typeof createMemory>;

export function createDesk(means: Means): Desk {
  return { ...means, ...createMemory(means) };
}

const FOLDERS_EVERY_MS = 5_000;
const DOCTOR_EVERY_MS = 30_000;
/** The page asks for itself, whoever looks. */
const PAGE = { name: 'page', role: 'operator' } as const;
const FILES_KEPT = 16;
const GIB = 1024 ** 3;

function createMemory(means: Means) {
  const { env, ledger, log, target, ask } = means;
  const { redis } = ledger;
  const { keys } = ledger.of(target);
  return {
    /** Above each page. */
    async standing() {
      const report = await serviceReport(ledger, target);
      const service = { words: serviceWords(report), isWell: report.state === 'well' };
      return { target, service, version: programVersion() };
    },
    digests: createDigests(means),
    paceOf: createPaces(),
    /** A visitor's searches: a new one ends the one before. */
    turnOf: createTurns(),
    /** Edited in-doubt files that were read, until somebody records what they say. */
    decisionFiles: createRecentMap<string, FileOfDecisions>(FILES_KEPT),
    chunks: watchChunks(redis, keys.queuePrefix),
    /** Folders, schedules and what needs somebody. */
    overview: kept(FOLDERS_EVERY_MS, () =>
      lookOver(means, target, (problem) => log.debug('a job definition can not be used', { problem })),
    ),
    machine: kept(FOLDERS_EVERY_MS, async () => {
      const began = performance.now();
      await redis.hlen(keys.epoch);
      const roundTripMs = performance.now() - began;
      const disk = await statfs(env.home).catch(() => null);
      return { roundTripMs, freeGib: disk === null ? null : (disk.bavail * disk.bsize) / GIB };
    }),
    /** What `onboard doctor` says, line by line; empty where nobody can be asked. */
    doctor: kept(DOCTOR_EVERY_MS, async () => {
      const answer = await ask?.({ kind: 'doctor' }, PAGE);
      return answer?.kind === 'done' ? answer.words.split('\n') : [];
    }),
  };
}

/** Answers a signal that fires once the same name asks again. */
function createTurns(): (name: string) => AbortSignal {
  const under = new Map<string, AbortController>();
  return (name) => {
    under.get(name)?.abort();
    const own = new AbortController();
    under.set(name, own);
    return own.signal;
  };
}
