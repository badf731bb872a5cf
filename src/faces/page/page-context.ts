/**
 * What pages are made of: the ledger, which they only read, the home's folders, the way to the
 * process that acts, and memory between requests.
 */

import { type Accounts, createAccountMemory } from '../../engine/ledger/account.ts';
import { recordAct } from '../../engine/ledger/audit.ts';
import { watchChunks } from '../../engine/queue/chunk-queue.ts';
import { createKept, kept } from '../../lib/kept.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { programVersion } from '../../lib/version.ts';
import type { Account } from '../../model/account.ts';
import type { Visitor } from '../../model/ask.ts';
import { atPage } from '../../model/audit.ts';
import type { Run } from '../../model/run.ts';
import { accountsAt, type OpenRow, openRowsOf, rowsToWriteOff } from '../../runs/account.ts';
import { lookOver } from '../../runs/inbox/overview.ts';
import { createPace } from '../../runs/progress.ts';
import type { Digest } from '../../runs/report/digest.ts';
import { serviceAlarm } from '../../runs/service-notice.ts';
import { serviceReport } from '../../runs/status.ts';
import { actingAs, type Session } from '../../session.ts';
import type { Core, Route, Visit } from '../web/visit.ts';
import type { rememberFiles } from './child.ts';
import type { FileOfDecisions } from './decisions.ts';
import { createDigests } from './digests.ts';
import { openByCause } from './open-rows.ts';

type Means = Pick<Session, 'env' | 'ledger' | 'log' | 'clock'> &
  Pick<Core, 'command'> &
  ReturnType<typeof rememberFiles> & {
    /** `sandbox`, or the service's base URL: its runs are shown first. */
    readonly target: string;
    /** `null`: the page stands alone. */
    readonly ask: Core['ask'];
  };

export type PageContext = Means & ReturnType<typeof createMemory>;
export type PageVisit = Visit<PageContext>;
export type PageRoute = Route<PageContext>;

export function createPageContext(means: Means): PageContext {
  return { ...means, ...createMemory(means) };
}

const FOLDERS_EVERY_MS = 5_000;
const DOCTOR_EVERY_MS = 30_000;
/** For the page's own questions. */
const PAGE = { name: 'page', role: 'operator' } as const;
const FILES_KEPT = 16;
const PACES_KEPT = 50;
const ACCOUNTS_KEPT = 50;
const MOST_OPEN = 1_000;

function createMemory(means: Means) {
  const { ledger, log, target, ask, clock } = means;
  const accounts = createAccountMemory();
  const looksKept = createKept<Accounts>(0, 1);
  const accountsKept = createKept<Account>(FOLDERS_EVERY_MS, ACCOUNTS_KEPT);
  const openKept = createKept<readonly OpenRow[]>(FOLDERS_EVERY_MS, ACCOUNTS_KEPT);
  const causesKept = createKept<Awaited<ReturnType<typeof openByCause>>>(FOLDERS_EVERY_MS, ACCOUNTS_KEPT);
  let acts = 0;
  // Who asks at once shares a look: its rows are read once for account and open rows.
  const lookAt = ({ id, target: of }: Run) =>
    looksKept(`${id} ${acts}`, async () => accountsAt(of, ledger, accounts));
  return {
    recordEntry({ name }: Visitor) {
      const { keys } = actingAs(means, atPage(name)).ledger.of(target);
      return recordAct(ledger.redis, keys, { what: 'log-in' });
    },
    async standing() {
      const report = await serviceReport(ledger, target);
      const service = serviceAlarm(report, clock.date().getTime());
      return { target, service, version: programVersion() };
    },
    digests: createDigests(means),
    paceOf: createPaces(),
    /** A visitor's searches: a new one ends the one before. */
    turnOf: createTurns(),
    /** Edited in-doubt files that were read, until what they say is recorded. */
    decisionFiles: createRecentMap<string, FileOfDecisions>(FILES_KEPT),
    chunks: watchChunks(ledger.redis, ledger.of(target).keys.queuePrefix),
    accountOf: (run: Run) =>
      accountsKept(`${run.id} ${acts}`, async () => {
        const look = await lookAt(run);
        return look.accountOf(await look.deliveryOf(run.id));
      }),
    /** Rows of the run that somebody can see to, each where it stands last. */
    openRowsOf: (run: Run) =>
      openKept(`${run.id} ${acts}`, async () => rowsToWriteOff(run.id, await lookAt(run))),
    /** Open rows of the account's file; `null`: more than are looked for. */
    openOf: async (account: Account, { target: of }: Pick<Run, 'target'>) => {
      if (account.open > MOST_OPEN) return null;
      return openKept(`file ${account.delivery} ${acts}`, () =>
        openRowsOf(account.delivery, accountsAt(of, ledger, accounts)),
      );
    },
    /** By cause of a run, where its open rows stand. */
    openByCause: (run: Run, open: readonly OpenRow[], digest: Digest) =>
      causesKept(`${run.id} ${acts} ${digest.read}`, () => openByCause(means, run, open, digest)),
    /** Something was done: accounts are looked at anew. */
    acted() {
      acts += 1;
    },
    overview: kept(FOLDERS_EVERY_MS, () => {
      const warn = (problem: string) => log.debug('a job definition can not be used', { problem });
      return lookOver(means, target, warn, accounts);
    }),
    /** Lines of `onboard doctor`; empty where nobody can be asked. */
    doctor: kept(DOCTOR_EVERY_MS, async () => {
      const answer = await ask?.({ kind: 'doctor' }, PAGE);
      return answer?.kind === 'done' ? answer.words.split('\n') : [];
    }),
  };
}

type Moving = Parameters<typeof createPace>[0] & Pick<Run, 'id' | 'state'>;

/** A run's rate and remaining time in words, as seen here; '' before. */
function createPaces(): (run: Moving) => string {
  const paces = createRecentMap<string, ReturnType<typeof createPace>>(PACES_KEPT);
  return (run) => {
    if (run.state !== 'running') return '';
    const known = paces.get(run.id);
    paces.set(run.id, known ?? createPace(run, () => performance.now()));
    return known?.(run) ?? '';
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
