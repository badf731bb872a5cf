import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { RedisTlsFiles } from '../config/redis-address.ts';
import { UsageError } from '../lib/usage-error.ts';

/**
 * What a TLS connection to Redis is made with. The server's certificate is always checked, whatever NODE_TLS_REJECT_UNAUTHORIZED
 * says; a UsageError names the file that can't be read or has no certificate or key in it.
 */
export function tlsOptions({ caFile, certificate }: RedisTlsFiles): ConnectionOptions {
  return {
    rejectUnauthorized: true,
    ...(caFile !== null && { ca: readAuthority(caFile) }),
    ...(certificate !== null && readCertificate(certificate)),
  };
}

function readAuthority(path: string): string {
  const ca = read('REDIS_TLS_CA_FILE', path);
  // Node passes over a file without one, and would then trust nobody.
  check(`REDIS_TLS_CA_FILE: expected a PEM certificate in ${path}`, () => new X509Certificate(ca));
  return ca;
}

function readCertificate({ certFile, keyFile }: NonNullable<RedisTlsFiles['certificate']>) {
  const pair = { cert: read('REDIS_TLS_CERT_FILE', certFile), key: read('REDIS_TLS_KEY_FILE', keyFile) };
  const expected = `expected a PEM certificate in ${certFile} and its key, without a passphrase, in ${keyFile}`;
  check(`REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: ${expected}`, () => createSecureContext(pair));
  return pair;
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${variable}: ${path} can't be read: ${problem}`, { cause: error });
  }
}

function check(expected: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${expected}: ${problem}`, { cause: error });
  }
}
