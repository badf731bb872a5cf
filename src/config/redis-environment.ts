import { resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../lib/usage-error.ts';
import { parseRedisUrl } from './parse-redis-url.ts';
import type { RedisAddress, RedisTlsFiles } from './redis-address.ts';

/** The variables that say where Redis is; `REDIS_URL` is parsed on the way. */
export const redisVariables = {
  REDIS_URL: z.string().transform(parseUrl).optional(),
  REDIS_TLS_CA_FILE: z.string().optional(),
  REDIS_TLS_CERT_FILE: z.string().optional(),
  REDIS_TLS_KEY_FILE: z.string().optional(),
  REDIS_SENTINEL_USERNAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
} as const;

type Name = keyof typeof redisVariables;
type Values = {
  readonly [name in Name]?: z.output<(typeof redisVariables)[name]> | undefined;
};

const TLS_FILES = ['REDIS_TLS_CA_FILE', 'REDIS_TLS_CERT_FILE', 'REDIS_TLS_KEY_FILE'] as const;
const SENTINEL_LOGIN = ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'] as const;

function parseUrl(text: string, context: z.RefinementCtx): RedisAddress {
  try {
    return parseRedisUrl(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}

/**
 * What in these variables does not go together. One that is set in vain is a problem, not ignored: who names an authority's
 * certificate means an encrypted connection.
 */
export function redisConflicts(variables: Readonly<Partial<Record<Name, string | undefined>>>): string[] {
  const isSet = (name: Name) => (variables[name] ?? '') !== '';
  const scheme = /^([a-z+]+):/i.exec(variables.REDIS_URL ?? '')?.[1]?.toLowerCase() ?? '';
  const problems: string[] = [];
  const vain = (names: readonly Name[], expected: string) => {
    const found = names.filter(isSet);
    if (found.length > 0) problems.push(`${found.join(' and ')}: expected ${expected}, or not to be set`);
  };
  if (!scheme.startsWith('rediss')) vain(TLS_FILES, 'REDIS_URL to begin with rediss');
  if (!scheme.endsWith('+sentinel')) vain(SENTINEL_LOGIN, 'REDIS_URL to be a redis+sentinel:// one');
  if (isSet('REDIS_TLS_CERT_FILE') !== isSet('REDIS_TLS_KEY_FILE')) {
    problems.push('REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: expected both or neither to be set');
  }
  if (isSet('REDIS_SENTINEL_USERNAME') && !isSet('REDIS_SENTINEL_PASSWORD')) {
    problems.push('REDIS_SENTINEL_USERNAME: expected REDIS_SENTINEL_PASSWORD to be set too');
  }
  return problems;
}

/** The address with what the other variables say of it; `null`: the embedded server. */
export function redisAddressOf(values: Values): RedisAddress | null {
  const address = values.REDIS_URL ?? null;
  if (address === null || address.kind === 'socket') return address;
  const tls = address.tls === null ? null : tlsFilesOf(values);
  if (address.kind !== 'sentinel') return { ...address, tls };
  const { REDIS_SENTINEL_USERNAME: user, REDIS_SENTINEL_PASSWORD: password } = values;
  const sentinelLogin = password === undefined ? null : { user: user ?? null, password };
  return { ...address, tls, sentinelLogin };
}

function tlsFilesOf(values: Values): RedisTlsFiles {
  const { REDIS_TLS_CA_FILE: ca, REDIS_TLS_CERT_FILE: cert, REDIS_TLS_KEY_FILE: key } = values;
  const hasOwn = cert !== undefined && key !== undefined;
  return {
    caFile: ca === undefined ? null : resolve(ca),
    certificate: hasOwn ? { certFile: resolve(cert), keyFile: resolve(key) } : null,
  };
}
