import type { Redis } from 'ioredis';

/** What in the server's settings can lose what the ledger promises, in words; empty: all is well or can't be seen. */
export async function settingsProblems(redis: Redis): Promise<string[]> {
  const info = await redis.info();
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const problems: string[] = [];
  if (value('aof_enabled') === '0') {
    problems.push('append-only is off: a restart of Redis forgets what was sent. Set `appendonly yes`.');
  }
  const policy = value('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    problems.push(`maxmemory-policy is ${policy}: Redis may drop rows. Set \`maxmemory-policy noeviction\`.`);
  }
  const fsync = await appendFsync(redis);
  if (fsync !== null && fsync !== 'always') {
    problems.push(`appendfsync is ${fsync}: a power cut loses up to a second. Set \`appendfsync always\`.`);
  }
  return problems;
}

/** `null` where the server doesn't let its settings be read. */
async function appendFsync(redis: Redis): Promise<string | null> {
  try {
    const answer = await redis.config('GET', 'appendfsync');
    return Array.isArray(answer) ? String(answer[1]) : null;
  } catch {
    return null;
  }
}
