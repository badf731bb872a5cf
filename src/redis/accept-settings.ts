import type { Redis } from 'ioredis';
import { UsageError } from '../lib/usage-error.ts';
import { judgeSettings, type SettingsFinding } from './check-settings.ts';
import { readSettings } from './read-settings.ts';

const GO_ON =
  'To go on regardless, at the price of the promises above: --accept-redis-settings, or ONBOARD_ACCEPT_REDIS_SETTINGS=1.';

/**
 * The warnings about the server's settings; throws a UsageError where they lose what the ledger promises and the user
 * has not accepted that, or where it can't work at all.
 */
export async function acceptSettings(redis: Redis, accepted: boolean): Promise<readonly string[]> {
  const findings = judgeSettings(await readSettings(redis));
  const stopping = findings.filter(({ kind }) => kind === 'impossible' || (kind === 'refused' && !accepted));
  if (stopping.length === 0) return findings.map(inWords);
  const isWaivable = stopping.every(({ kind }) => kind === 'refused');
  throw new UsageError([...stopping.map(inWords), ...(isWaivable ? [GO_ON] : [])]);
}

function inWords({ problem, advice }: SettingsFinding): string {
  return `Redis: ${problem}. ${advice}`;
}
