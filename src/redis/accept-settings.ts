import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { judgeSettings, type SettingsFinding } from './check-settings.ts';
import { readSettings } from './read-settings.ts';
import { type DataServer, dataServers } from './servers.ts';

const GO_ON =
  'To go on regardless, at the price of the promises above: --accept-redis-settings, or ONBOARD_ACCEPT_REDIS_SETTINGS=1.';

/**
 * The warnings about the server's settings; throws a UsageError where they lose what the ledger promises and the user
 * has not accepted that, or where it can't work at all.
 */
export async function acceptSettings(redis: RedisConnection, accepted: boolean): Promise<readonly string[]> {
  const findings = (await Promise.all((await dataServers(redis)).map(judgeServer))).flat();
  const stopping = findings.filter(({ kind }) => kind === 'impossible' || (kind === 'refused' && !accepted));
  if (stopping.length === 0) return findings.map(inWords);
  const isWaivable = stopping.every(({ kind }) => kind === 'refused');
  throw new UsageError([...stopping.map(inWords), ...(isWaivable ? [GO_ON] : [])]);
}

type ServerFinding = SettingsFinding & { readonly server: DataServer['name'] };

async function judgeServer({ name, redis }: DataServer): Promise<readonly ServerFinding[]> {
  return judgeSettings(await readSettings(redis)).map((finding) => ({ ...finding, server: name }));
}

function inWords({ server, problem, advice }: ServerFinding): string {
  return `Redis${server === null ? '' : ` ${server}`}: ${problem}. ${advice}`;
}
