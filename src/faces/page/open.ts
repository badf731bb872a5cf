/**
 * The page's own process: it only reads Redis, sends nothing, and needs no token of the service.
 * Opened from an environment to a listening server; it asks the process that started it for
 * whatever is to be done.
 */

import { connectRedis } from '../../engine/redis/connection.ts';
import { findEmbeddedRedis } from '../../engine/redis/embedded.ts';
import { assertReachable } from '../../engine/redis/reach.ts';
import type { ListenAddress } from '../../lib/listening.ts';
import type { Releasers } from '../../lib/releasers.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { targetOf } from '../../runs/inbox/overview.ts';
import { ledgerOn, type Session, unsealed } from '../../session.ts';
import { hostNameOf, readAccess } from '../web/access.ts';
import { readAssets } from '../web/assets.ts';
import { startPage } from '../web/server.tsx';
import { actingRoutes } from './acting.tsx';
import { noteRoutes } from './causes.tsx';
import { changingRoutes } from './changing.tsx';
import { checkRoutes } from './checking.tsx';
import { rememberFiles } from './child.ts';
import { correctRoutes } from './correct.tsx';
import { doubtsRoutes } from './doubts.tsx';
import { filesRoutes } from './files.tsx';
import type { Link } from './fork.ts';
import { heldRoutes } from './held.tsx';
import { jobsRoutes } from './jobs.tsx';
import { MACHINE_ROUTES } from './machine-routes.ts';
import { mappingRoutes } from './mapping.tsx';
import { description } from './openapi.ts';
import { overviewRoutes } from './overview.tsx';
import { createPageContext, type PageContext, type PageRoute } from './page-context.ts';
import { rerunningRoutes } from './rerunning.tsx';
import { rowRoutes } from './row.tsx';
import { rowsRoutes } from './rows.tsx';
import { runRoutes } from './run.tsx';
import { runsRoutes } from './runs.tsx';
import { systemRoutes } from './system.tsx';

type Opening = Pick<Session, 'io' | 'env' | 'log' | 'clock' | 'releasers'>;

type PageOptions = {
  /** `null`: the usual place, or the next free port. */
  readonly address: ListenAddress | null;
  readonly sandbox: boolean;
  /** To the process that acts; `null`: the page stands alone. */
  readonly link: Link | null;
  /** Whom the printed link lets in. */
  readonly visitor: string;
};

const USUAL = { host: '127.0.0.1', port: 4780 } as const;

/** `link`: lets one person in, once, soon. */
export async function openPage(opening: Opening, { address, sandbox, link, visitor }: PageOptions) {
  const { env, io, log, clock, releasers } = opening;
  const { host, port } = address ?? USUAL;
  const access = readAccess(io.env, env.home);
  const target = targetOf(env, sandbox);
  const ledger = await openToRead(opening, releasers);
  const ask = link?.ask ?? null;
  const { command = 'onboard' } = io;
  const page = createPageContext({
    env,
    log,
    clock,
    ledger,
    target,
    ask,
    command,
    ...rememberFiles(opening),
  });
  const server = await startPage({
    page,
    routes: ROUTES,
    machineRoutes: [...MACHINE_ROUTES, description(MACHINE_ROUTES)],
    access,
    name: await hostNameOf(env.home),
    assets: readAssets(),
    log,
    host,
    port,
    mayMove: address === null,
  });
  releasers.push(() => server.close());
  return { url: server.url, link: server.link(visitor) };
}

/** Never starts the Redis server, nor keeps it from ending. */
async function openToRead(
  { env, log }: Pick<Opening, 'env' | 'log'>,
  releasers: Releasers,
): Promise<PageContext['ledger']> {
  const address = env.redis ?? (await findEmbeddedRedis(env.home));
  if (address === null)
    throw new UsageError(
      `Nothing runs in ${env.home}: expected \`onboard start\` or another command there, or REDIS_URL. The page starts no Redis.`,
    );
  await assertReachable(address);
  const redis = connectRedis(address, (error) => log.warn('redis connection', { problem: error.message }));
  releasers.push(() => redis.disconnect());
  return ledgerOn(redis, address, env, await unsealed(redis, env));
}

export const ROUTES: readonly PageRoute[] = [
  ...overviewRoutes,
  ...runsRoutes,
  ...runRoutes,
  ...systemRoutes,
  ...actingRoutes,
  ...rerunningRoutes,
  ...heldRoutes,
  ...correctRoutes,
  ...noteRoutes,
  ...filesRoutes,
  ...checkRoutes,
  ...mappingRoutes,
  ...jobsRoutes,
  ...changingRoutes,
  ...rowsRoutes,
  ...rowRoutes,
  ...doubtsRoutes,
];
