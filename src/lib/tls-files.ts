/**
 * The PEM files of an encrypted connection. They are read and checked here, so that a wrong one is
 * reported before any connection.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { messageOf } from './errors.ts';
import { fileStamp } from './file-stamp.ts';
import { UsageError } from './usage-error.ts';

/** Absolute paths; `null`: the system's authorities, no certificate of our own. */
export type TlsFiles = {
  readonly caFile: string | null;
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | null;
};

/** What both sides of a handshake go by. */
export type Tls = Pick<ConnectionOptions, 'rejectUnauthorized' | 'ca' | 'cert' | 'key'>;

export const NO_TLS_FILES: TlsFiles = { caFile: null, certificate: null };

/** How the variables' names begin that name the files. */
type Prefix = 'REDIS_TLS' | 'MSB_TLS';

export function tlsFilesOf(ca?: string, cert?: string, key?: string): TlsFiles {
  const hasOwn = cert !== undefined && key !== undefined;
  return {
    caFile: ca === undefined ? null : resolve(ca),
    certificate: hasOwn ? { certFile: resolve(cert), keyFile: resolve(key) } : null,
  };
}

/** The certificate is checked whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
export function readTls({ caFile, certificate }: TlsFiles, prefix: Prefix): Tls {
  return {
    rejectUnauthorized: true,
    ...(caFile !== null && { ca: readAuthority(caFile, `${prefix}_CA_FILE`) }),
    ...(certificate !== null && readCertificate(certificate, prefix)),
  };
}

/**
 * Answers the same object until a file has changed, and goes on with the former ones where the new
 * can't be used: they may be half replaced, and are looked at again the next time.
 */
export function followTls(files: TlsFiles, prefix: Prefix): () => Promise<Tls> {
  const { caFile, certificate } = files;
  const paths = [caFile, certificate?.certFile, certificate?.keyFile].filter((path) => path != null);
  let options = readTls(files, prefix);
  let read = '';
  return async () => {
    try {
      // Before they are read: what is written meanwhile is read the next time.
      const stamps = (await Promise.all(paths.map(fileStamp))).join(' ');
      if (stamps !== read) options = readTls(files, prefix);
      read = stamps;
    } catch {
      // `doctor` says what is wrong with them.
    }
    return options;
  };
}

function readAuthority(path: string, variable: string): string {
  const ca = read(variable, path);
  // Node silently accepts a file without a certificate, and would then trust nobody.
  check(`${variable}: expected a PEM certificate in ${path}`, () => new X509Certificate(ca));
  return ca;
}

function readCertificate({ certFile, keyFile }: NonNullable<TlsFiles['certificate']>, prefix: Prefix) {
  const certName = `${prefix}_CERT_FILE`;
  const keyName = `${prefix}_KEY_FILE`;
  const pair = {
    cert: read(certName, certFile),
    key: read(keyName, keyFile),
  };
  const expected =
    `expected a PEM certificate in ${certFile} ` + `and its key, without a passphrase, in ${keyFile}`;
  check(`${certName} and ${keyName}: ${expected}`, () => createSecureContext(pair));
  return pair;
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${variable}: ${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function check(expected: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new UsageError(`${expected}: ${messageOf(error)}`, { cause: error });
  }
}
