import type { Environment } from '../config/environment.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { acceptSettings } from '../redis/settings.ts';
import type { Ledger } from '../session.ts';

/** The flag of every command that sends. */
export const ACCEPT_REDIS_SETTINGS = [
  '--accept-redis-settings',
  'start also on a Redis whose settings may lose what was sent',
] as const;

/** Warns of the ledger's settings; throws a UsageError where they lose what it promises and neither flag nor environment accepts that. */
export async function checkRedisSettings(
  io: Io,
  ledger: Ledger,
  given: { readonly env: Environment; readonly flag: boolean | undefined },
): Promise<void> {
  const accepted = given.flag === true || given.env.acceptRedisSettings;
  for (const warning of await acceptSettings(ledger.redis, accepted)) tell(io, `warning: ${warning}`);
}
