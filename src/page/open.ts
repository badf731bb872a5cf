/**
 * The page of a home, whoever starts it: its parts are made here of the ledger, which they only read, and of the home's folders, and are
 * served to those who log in. It closes with what the command has opened.
 */

import { programVersion } from '../lib/version.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport } from '../runs/status.ts';
import type { Session } from '../session.ts';
import type { WebAccess } from '../web/access.ts';
import { readAssets } from '../web/assets.ts';
import type { Core } from '../web/page.ts';
import { type Page, ROUTES } from '../web/routes.ts';
import { type PageServer, startPage } from '../web/server.tsx';
import { createChildren } from './child.ts';
import type { Desk } from './desk.ts';
import { createDoubtsPart } from './doubts.ts';
import { createFilesPart } from './files.ts';
import { createJobsPart } from './jobs.ts';
import { createRowPart } from './row.ts';
import { createRowsPart } from './rows.ts';
import { createUploads } from './uploads.ts';

export type PageWishes = Pick<Desk, 'target' | 'ask'> & {
  readonly access: WebAccess;
  readonly host: string;
  readonly port: number;
  readonly mayMove: boolean;
};

/** Throws a UsageError where the page can't be served there, or would not be safe. */
export async function openPage(session: Session, wishes: PageWishes): Promise<PageServer> {
  const { io, releasers, log } = session;
  const { target, ask } = wishes;
  const desk: Desk = { ...session, target, ask };
  const page: Page = { ...coreOf(desk), ...partsOf(desk, io.env, io.interrupted) };
  const server = await startPage({ ...wishes, page, routes: ROUTES, assets: readAssets(), log });
  releasers.push(() => server.close());
  return server;
}

function partsOf(desk: Desk, env: NodeJS.ProcessEnv, stopped: AbortSignal): Omit<Page, keyof Core> {
  const uploads = createUploads(desk.env.home, desk.clock.date);
  const runChild = createChildren(withoutSecrets(env), stopped);
  return {
    ...createFilesPart(desk, { uploads, runChild }),
    ...createJobsPart(desk),
    ...createRowsPart(desk),
    ...createRowPart(desk),
    ...createDoubtsPart(desk),
  };
}

/** Whoever took the page over would find nothing in its environment that the service or a receiver of events takes for ours. */
const SECRET = /^(?:MSB_TOKEN|ONBOARD_WEB_TOKEN|ONBOARD_WEBHOOK|ONBOARD_NOTIFY)/;

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

function coreOf({ target, ask, ledger }: Desk): Core {
  const version = programVersion();
  return {
    ask,
    async standing() {
      const report = await serviceReport(ledger, target);
      return { target, version, service: { words: serviceWords(report), isWell: report.state === 'well' } };
    },
  };
}
