import { expect, test } from 'vitest';
import { singleOptions } from '../../../src/engine/redis/client-options.ts';
import type { TlsFiles } from '../../../src/lib/tls-files.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { ownFile } from '../../support/folder.ts';

const NONE = { caFile: null, certificate: null } as const;
const SERVER = { host: '127.0.0.1', port: 6379 };

const tlsOptions = (tls: TlsFiles) =>
  singleOptions({ kind: 'server', server: SERVER, database: 0, login: null, tls }).tls;

test('without files of its own the certificate is checked against the authorities of the system', () => {
  expect(tlsOptions(NONE)).toEqual({ rejectUnauthorized: true });
});

test('a file that is not there is named with its variable', () => {
  expect(() => tlsOptions({ ...NONE, caFile: '/nowhere/ca.pem' })).toThrow(
    /^REDIS_TLS_CA_FILE: \/nowhere\/ca\.pem can't be read: ENOENT/,
  );
});

test('an authority that is none, and a key that is not that of the certificate, are refused at the start', async () => {
  const text = await ownFile('no certificate', 'ca.pem');
  expect(() => tlsOptions({ ...NONE, caFile: text })).toThrow(
    `REDIS_TLS_CA_FILE: expected a PEM certificate in ${text}`,
  );
  const [one, other] = await Promise.all([makeCertificates(), makeCertificates()]);
  const certificate = { certFile: one.cert, keyFile: other.key };
  expect(() => tlsOptions({ ...NONE, certificate })).toThrow(
    `REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: expected a PEM certificate in ${one.cert} and its key`,
  );
  expect(tlsOptions({ caFile: one.ca, certificate: { certFile: one.cert, keyFile: one.key } })).toMatchObject(
    {
      rejectUnauthorized: true,
      ca: expect.stringContaining('BEGIN CERTIFICATE'),
      key: expect.stringContaining('PRIVATE KEY'),
    },
  );
});
