/**
 * The page's own process: its code only reads Redis, sends nothing, and asks for no token of the service. Opened here, from an environment to a
 * server that listens; where a process that sends has started it, it asks that one for what is to be done.
 */

import { z } from 'zod';
import { targetOf } from '../inbox/overview.ts';
import { assertKnownLedger } from '../ledger/run-index.ts';
import type { Releasers } from '../lib/releasers.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programVersion } from '../lib/version.ts';
import { connectRedis } from '../redis/connection.ts';
import { findEmbeddedRedis } from '../redis/embedded.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport } from '../runs/status.ts';
import { ledgerOn, type Session } from '../session.ts';
import { assertSafe, hostNameOf, readAccess } from '../web/access.ts';
import { readAssets } from '../web/assets.ts';
import { startPage } from '../web/server.tsx';
import { createChildren } from './child.ts';
import { createDesk, type Desk } from './desk.ts';
import { createFilesPart } from './files.ts';
import type { PageAddress } from './fork.ts';
import { createJobsPart } from './jobs.ts';
import type { Link } from './link.ts';
import { type Page, ROUTES } from './routes.ts';
import { createUploads, UPLOAD_LIMITS } from './uploads.ts';

type Opening = Pick<Session, 'io' | 'env' | 'log' | 'clock' | 'releasers'>;

type PageOptions = {
  /** `null`: where a page is usually, or the next free port. */
  readonly address: PageAddress | null;
  readonly sandbox: boolean;
  /** To the process that acts; `null`: the page stands alone. */
  readonly link: Link | null;
  /** Whom the printed link lets in. */
  readonly visitor: string;
};

const USUAL = { host: '127.0.0.1', port: 4780 } as const;

type OpenedPage = {
  readonly url: string;
  /** Lets one person in, once, soon. */
  readonly link: string;
};

/** Listens until the releasers are released. */
export async function openPage(
  opening: Opening,
  { address, sandbox, link, visitor }: PageOptions,
): Promise<OpenedPage> {
  const { env, io, log, clock, releasers } = opening;
  const { host, port } = address ?? USUAL;
  const access = readAccess(io.env, env.home);
  await assertSafe(access, host);
  const target = targetOf(env, sandbox);
  const ledger = await openToRead(opening, releasers);
  const desk = createDesk({ env, log, clock, ledger, target, ask: link?.ask ?? null });
  const server = await startPage({
    page: createPage(desk, io),
    routes: ROUTES,
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

function createPage(desk: Desk, io: Session['io']): Page {
  const { env, clock, ledger, target } = desk;
  const limits = { ...UPLOAD_LIMITS, ...uploadLimit(io.env) };
  const uploads = createUploads(env.home, () => clock.date(), limits);
  return {
    ...desk,
    async standing() {
      const report = await serviceReport(ledger, target);
      const service = { words: serviceWords(report), isWell: report.state === 'well' };
      return { target, service, version: programVersion() };
    },
    async standingOf(id) {
      const found = await ledger.index.targetOf(id);
      const run = found === null ? null : await ledger.of(found).store.get(id);
      return run === null ? null : { ...run, run: run.id };
    },
    ...createJobsPart(desk),
    ...createFilesPart(desk, { uploads, runChild: createChildren(withoutSecrets(io.env), io.interrupted) }),
  };
}

/** Whoever took the page over would find nothing in its environment, or its children's, that the service or a receiver of events takes for ours. */
const SECRET = /^(?:MSB_TOKEN|ONBOARD_WEB_TOKEN|ONBOARD_WEBHOOK|ONBOARD_NOTIFY)/;

function withoutSecrets(env: Session['io']['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

/** The server is never started from here, nor kept from ending. */
async function openToRead(
  { env, log }: Pick<Opening, 'env' | 'log'>,
  releasers: Releasers,
): Promise<Desk['ledger']> {
  const found = env.redis === null ? await findEmbeddedRedis(env.home) : null;
  if (found !== null) releasers.push(found.close);
  const address = env.redis ?? found?.address;
  if (address === undefined)
    throw new UsageError(
      `Nothing runs in ${env.home}: expected \`onboard start\` or another command there, or REDIS_URL. The page starts no Redis.`,
    );
  const redis = connectRedis(address, (error) => log.warn('redis connection', { problem: error.message }));
  releasers.push(() => redis.disconnect());
  await assertKnownLedger(redis);
  return ledgerOn(redis, address, env);
}

const uploadSchema = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .optional();

function uploadLimit({ ONBOARD_WEB_UPLOAD_MAX: given }: Session['io']['env']) {
  const most = uploadSchema.safeParse(given === '' ? undefined : given);
  if (!most.success)
    throw new UsageError(`ONBOARD_WEB_UPLOAD_MAX: expected a number of bytes, got "${given}"`);
  return most.data === undefined ? {} : { most: most.data };
}
