/**
 * The page's own process: it only reads Redis, holds no token of the service, and can send nothing. Opened here, from an environment to a
 * server that listens; where a process that sends has started it, it asks that one for what is to be done.
 */
import { baseUrlOf, SANDBOX_TARGET } from '../delivery/target.ts';
import { assertKnownLedger } from '../ledger/run-index.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { Releasers } from '../lib/releasers.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programVersion } from '../lib/version.ts';
import { connectRedis } from '../redis/connection.ts';
import { findEmbeddedRedis } from '../redis/embedded.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport } from '../runs/status.ts';
import { ledgerOn, type Session } from '../session.ts';
import { readAssets } from '../web/assets.ts';
import { readPeople } from '../web/people.ts';
import type { Page } from '../web/routes.ts';
import { servePage } from '../web/server.tsx';
import { createSessions } from '../web/sessions.ts';
import { createChildren } from './child.ts';
import type { Desk } from './desk.ts';
import { createFilesPart } from './files.ts';
import type { PageAddress } from './fork.ts';
import { createJobsPart } from './jobs.ts';
import type { Link } from './link.ts';
import { createUploads, UPLOAD_LIMITS } from './uploads.ts';

type Opening = Pick<Session, 'io' | 'env' | 'log' | 'clock' | 'releasers'>;

type PageOptions = {
  /** `null`: where a page is usually, or the next free port. */
  readonly address: PageAddress | null;
  readonly sandbox: boolean;
  /** To the process that acts; `null`: the page stands alone. */
  readonly link: Link | null;
};

const USUAL = { host: '127.0.0.1', port: 4780 } as const;

/** Listens until the releasers are released; answers where, with a key that lets one person in. */
export async function openPage(
  opening: Opening,
  { address, sandbox, link }: PageOptions,
): Promise<{ readonly url: string; readonly key: string }> {
  const { env, io, log, clock, releasers } = opening;
  const { host, port } = address ?? USUAL;
  const bound = host ?? '0.0.0.0';
  const people = () => readPeople(env.home);
  if (!isLoopback(bound)) refuseOpenDoor(opening, (await people()).length > 0);
  const target = sandbox || env.baseUrl === null ? SANDBOX_TARGET : baseUrlOf(env.baseUrl);
  const ledger = await openToRead(opening, releasers);
  const desk: Desk = { env, log, clock, ledger, target, ask: link?.ask ?? null };
  const sessions = createSessions({ sharedToken: env.web.token, people, now: clock.now });
  const server = await servePage(
    {
      page: createPage(desk, io),
      sessions,
      assets: readAssets(),
      log,
      settings: { host: bound, port, origin: env.web.origin, proxy: env.web.proxy },
    },
    address === null,
  );
  releasers.push(() => server.close());
  return { url: env.web.origin ?? server.url, key: sessions.newKey() };
}

function createPage(desk: Desk, io: Session['io']): Page {
  const { env, clock, ledger, target } = desk;
  const limits = { ...UPLOAD_LIMITS, ...(env.web.uploadMax !== null && { most: env.web.uploadMax }) };
  const uploads = createUploads(env.home, () => clock.date(), limits);
  return {
    ask: desk.ask,
    async standing() {
      const report = await serviceReport(ledger, target);
      const service = { words: serviceWords(report), isWell: report.state === 'well' };
      return { target, service, version: programVersion() };
    },
    ...createJobsPart(desk),
    ...createFilesPart(desk, { uploads, runChild: createChildren(io.env, io.interrupted) }),
  };
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

/** Beyond this machine a page needs names for people, and somebody before it who encrypts. */
function refuseOpenDoor({ env }: Pick<Opening, 'env'>, hasPeople: boolean): void {
  const { origin, token, proxy } = env.web;
  const problems = [
    ...(origin?.startsWith('https:') === true
      ? []
      : [
          '--web: other machines can reach that address: expected ONBOARD_WEB_ORIGIN, where browsers see it by https, such as https://onboard.example.com',
        ]),
    ...(hasPeople || token !== null || proxy !== null
      ? []
      : [
          '--web: nobody could log in: expected people (onboard web --add <name> --role viewer), ONBOARD_WEB_TOKEN, or ONBOARD_WEB_USER_HEADER with ONBOARD_WEB_PROXY',
        ]),
  ];
  if (problems.length > 0) throw new UsageError(problems);
}
