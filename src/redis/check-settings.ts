import type { RedisSettings } from './read-settings.ts';

/**
 * `impossible`: the ledger can't work there. `refused`: it would lose what the ledger promises, unless the user accepts
 * that. `warning`: it may lose a little, or can't be checked.
 */
export type SettingsFinding = {
  readonly kind: 'impossible' | 'refused' | 'warning';
  readonly setting: 'version' | 'eviction' | 'append-only' | 'fsync' | 'fencing' | 'unreadable';
  /** What is set, what that costs, and what was expected. */
  readonly problem: string;
  /** What to do. */
  readonly advice: string;
};

/** Script flags came with 7.0: without them a full Redis could not record what became of rows. */
const OLDEST_MAJOR = 7;

/**
 * Members that don't check in are waited for 15 s (src/ledger/verify-ledger.ts): by then a master that was cut off, with
 * workers beside it, must have stopped taking writes. It notices within a second that its replicas are late.
 */
const LAG_MAX_SECONDS = 10;

/** What in the server's settings can lose what the ledger promises; empty: all is well. */
export function judgeSettings(settings: RedisSettings): readonly SettingsFinding[] {
  const judges = [judgeVersion, judgeEviction, judgeAppendOnly, judgeFsync, judgeFencing, judgeUnreadable];
  return judges.flatMap((one) => one(settings) ?? []);
}

function judgeVersion({ version }: RedisSettings): SettingsFinding | null {
  if (version === null || Number.parseInt(version, 10) >= OLDEST_MAJOR) return null;
  return {
    kind: 'impossible',
    setting: 'version',
    problem: `it is version ${version}, expected ${OLDEST_MAJOR}.0 or newer`,
    advice: 'Update it (Valkey serves too), or leave REDIS_URL unset for an embedded server.',
  };
}

function judgeEviction({ evictionPolicy }: RedisSettings): SettingsFinding | null {
  if (evictionPolicy === null || evictionPolicy === 'noeviction') return null;
  return {
    kind: 'refused',
    setting: 'eviction',
    problem: `maxmemory-policy is ${evictionPolicy}, expected noeviction: a full Redis would drop what it knows of rows, and they could be sent twice`,
    advice: mend('maxmemory-policy', 'noeviction'),
  };
}

function judgeAppendOnly({ appendOnly }: RedisSettings): SettingsFinding | null {
  if (appendOnly !== false) return null;
  return {
    kind: 'refused',
    setting: 'append-only',
    problem: 'appendonly is no, expected yes: a restart of Redis would forget what was sent',
    advice: mend('appendonly', 'yes'),
  };
}

function judgeFsync({ appendOnly, fsync }: RedisSettings): SettingsFinding | null {
  if (appendOnly === false || fsync === null || fsync === 'always') return null;
  const lost = fsync === 'everysec' ? 'up to a second' : 'what the system had not written yet';
  return {
    kind: 'warning',
    setting: 'fsync',
    problem: `appendfsync is ${fsync}, expected always: a power cut loses ${lost}`,
    advice: mend('appendfsync', 'always'),
  };
}

function judgeFencing({ fencing }: RedisSettings): SettingsFinding | null {
  if (fencing === null) return null;
  const { minReplicas, maxLagSeconds } = fencing;
  const cost = 'a master that is cut off would go on beside its successor, and rows could be sent twice';
  if (minReplicas === 0) {
    return {
      kind: 'refused',
      setting: 'fencing',
      problem: `min-replicas-to-write is 0, expected 1 or more with Sentinel: ${cost}`,
      advice: mend('min-replicas-to-write', '1'),
    };
  }
  if (maxLagSeconds === null || (maxLagSeconds > 0 && maxLagSeconds <= LAG_MAX_SECONDS)) return null;
  return {
    kind: 'refused',
    setting: 'fencing',
    problem: `min-replicas-max-lag is ${maxLagSeconds}, expected 1 to ${LAG_MAX_SECONDS} with Sentinel: ${cost}`,
    advice: mend('min-replicas-max-lag', String(LAG_MAX_SECONDS)),
  };
}

function judgeUnreadable(settings: RedisSettings): SettingsFinding | null {
  const hidden = [
    settings.version === null ? 'version' : null,
    settings.evictionPolicy === null ? 'maxmemory-policy' : null,
    settings.appendOnly === null ? 'appendonly' : null,
    settings.appendOnly !== false && settings.fsync === null ? 'appendfsync' : null,
    settings.fencing?.minReplicas === null ? 'min-replicas-to-write' : null,
  ].filter((name) => name !== null);
  if (hidden.length === 0) return null;
  return {
    kind: 'warning',
    setting: 'unreadable',
    problem: `it doesn't let ${hidden.join(', ')} be read, so that could not be checked`,
    advice:
      'Look it up where the server is managed: expected appendonly yes, appendfsync always, maxmemory-policy noeviction, and with Sentinel min-replicas-to-write 1.',
  };
}

function mend(name: string, value: string): string {
  return `\`CONFIG SET ${name} ${value}\`, and \`${name} ${value}\` in redis.conf so that it stays.`;
}
