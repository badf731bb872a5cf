import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { UsageError } from '../lib/usage-error.ts';

const PROGRAMS = ['redis-server', 'valkey-server'] as const;

/** The path of a Redis or Valkey server program; throws a UsageError with the alternatives where there is none. */
export async function findServerProgram(path: string): Promise<string> {
  for (const program of PROGRAMS) {
    for (const folder of path.split(delimiter)) {
      const candidate = join(folder, program);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  throw new UsageError(
    'No Redis server: neither redis-server nor valkey-server is on the PATH, and REDIS_URL is not set. ' +
      'Install one (apt install redis-server, dnf install valkey, brew install redis), ' +
      'or start one with `docker compose up -d redis`, or set REDIS_URL.',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
