import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownFolder } from './folder.ts';

/** An authority of one test's own and a certificate of it, for servers and clients; absolute paths of PEM files. */
export type Certificates = { readonly ca: string; readonly cert: string; readonly key: string };

const openssl = (args: readonly string[]) => promisify(execFile)('openssl', [...args]);
const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'] as const;

/** Makes them with openssl, which must be on the PATH. */
export async function makeCertificates(name = 'IP:127.0.0.1'): Promise<Certificates> {
  const folder = await ownFolder();
  const at = (name: string) => join(folder, name);
  const [ca, caKey, cert, key] = ['ca.pem', 'ca-key.pem', 'cert.pem', 'key.pem'].map(at);
  if (ca === undefined || caKey === undefined || cert === undefined || key === undefined) throw new Error();
  await openssl(['req', '-x509', ...EC_KEY, '-keyout', caKey, '-out', ca, '-subj', '/CN=test', '-days', '2']);
  await openssl(['req', ...EC_KEY, '-keyout', key, '-out', at('csr.pem'), '-subj', '/CN=redis']);
  await writeFile(at('names.cnf'), `subjectAltName=${name}\n`);
  const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', at('names.cnf'), '-days', '2'];
  await openssl(['x509', '-req', '-in', at('csr.pem'), '-out', cert, ...signing]);
  return { ca, cert, key };
}

/** What a server with that certificate has in redis.conf; it asks its clients for one of the same authority. */
export function tlsLines({ ca, cert, key }: Certificates): string[] {
  return [
    `tls-ca-cert-file ${ca}`,
    `tls-cert-file ${cert}`,
    `tls-key-file ${key}`,
    'tls-replication yes',
    'tls-cluster yes',
  ];
}
