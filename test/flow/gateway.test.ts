import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { noOutcomes } from '../../src/model/outcome.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { makeCertificates } from '../support/certificates.ts';
import { answers, opens, startConnectProxy } from '../support/connect-proxy.ts';
import { createJob, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { listen } from '../support/server.ts';

const ROWS = 60;
/** nginx's with `ssl_verify_client on`, in a handshake that ends well. */
const NO_CERTIFICATE =
  '<html>\r\n<head><title>400 No required SSL certificate was sent</title></head>\r\n<body>\r\n</body>\r\n</html>\r\n';

/** Before the service of a flow that is its own, over TLS; `asks`: for a certificate of the same authority. */
async function startGateway(name: string, asks: boolean) {
  const files = await makeCertificates(name);
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((path) => readFileSync(path));
  const flow = await startFlow({ env: { MSB_TLS_CA_FILE: files.ca } });
  const server = createServer({ ca, cert, key, requestCert: asks, rejectUnauthorized: false }, (req, res) => {
    if (asks && !(req.socket instanceof TLSSocket && req.socket.authorized)) {
      res.writeHead(400, { 'content-type': 'text/html', connection: 'close' }).end(NO_CERTIFICATE);
      return;
    }
    const { method, headers } = req;
    const on = request(flow.sandbox.url + req.url, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(on);
  });
  const port = await listen(server);
  atTestEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return { flow, files, port };
}

test('a gateway that answers 400 for want of a client certificate pauses the run, and burns no row', async () => {
  const { flow, files, port } = await startGateway('IP:127.0.0.1', true);
  const env = { MSB_BASE_URL: `https://127.0.0.1:${port}` };
  const file = await flow.file('a.csv', subclientsCsv(ROWS));
  const paused = await flow.run(['subclients-create', file], env);
  expect(paused).toMatchObject({ exitCode: 2, summary: { state: 'paused', reason: 'credentials' } });
  expect(paused.summary.outcomes).toEqual(noOutcomes());
  expect(paused.stderr).toContain('asks for a client certificate that it trusts: set MSB_TLS_CERT_FILE');
  // Nobody is sent to the token, by whatever is looked at.
  const shown = await flow.onboard(['status'], env);
  const page = await flow.report(paused.summary, 'report.html');
  for (const text of [shown.stdout, page, paused.stderr]) {
    expect(text).toContain('asks for a client certificate');
    expect(text).not.toContain('refused the token');
  }
  const own = { ...env, MSB_TLS_CERT_FILE: files.cert, MSB_TLS_KEY_FILE: files.key };
  const ended = await flow.run(['subclients-create', file], own);
  expect(ended).toMatchObject({ exitCode: 0, summary: { run: paused.summary.run } });
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: ROWS }, duplicateKeys: 0 });
});

test('a proxy that asks for a login pauses the run, its other answers cost time, and no row is burned', async () => {
  const { flow, port } = await startGateway('DNS:api.test', false);
  const { url, proxy } = await startConnectProxy(port, answers(407));
  const env = { MSB_BASE_URL: `https://api.test:${port}`, HTTPS_PROXY: url.replace('//', '//me:hunter2@') };
  const file = await flow.file('a.csv', subclientsCsv(ROWS));
  const args = ['--job-file', await flow.file('j.yaml', createJob('concurrency: 2')), file];
  // The built one has not all of undici.
  const run = async () => withSummary(await flow.start(['run', ...args, '--json'], env).ended);
  const paused = await run();
  expect(paused).toMatchObject({ exitCode: 2, summary: { state: 'paused', reason: 'credentials' } });
  expect(paused.summary.outcomes).toEqual(noOutcomes());
  expect(paused.stderr).toContain('The proxy asks for a login (407)');
  const statuses = [302, 400, 401, 403, 418, 429, 502, 503];
  proxy.answer = (socket, tunnel) => {
    const status = statuses.shift();
    (status === undefined ? opens : answers(status))(socket, tunnel);
  };
  const ended = await run();
  expect(ended).toMatchObject({ exitCode: 0, summary: { run: paused.summary.run } });
  expect(ended.summary.outcomes).toEqual({ ...noOutcomes(), created: ROWS });
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: ROWS }, duplicateKeys: 0 });
  expect(`${paused.stderr}${paused.stdout}${ended.stderr}`).not.toContain('hunter2');
});
