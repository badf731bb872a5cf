import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A sandbox of the test's own, closed at the test's end. */
export async function openSandbox(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export type CallOptions = {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
};

/** One request; `body` is sent as it stands where it is text or bytes, as JSON else. */
export async function call(sandbox: Sandbox, line: string, body?: unknown, options: CallOptions = {}) {
  const [method = '', target = ''] = line.split(' ');
  const { token = sandbox.tokens[0] ?? '', headers = {}, timeoutMs = 10_000 } = options;
  const response = await request(sandbox.url + target, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: bytesOf(body),
    headersTimeout: timeoutMs,
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: (): unknown => JSON.parse(text),
  };
}

function bytesOf(body: unknown): string | Buffer | null {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

export const SUBCLIENTS = 'POST /v1/subclients';
export const DRAFTS = 'POST /v3/counterparties/draft';
export const DOCUMENTS = 'GET /v1/documents/payments/attachments/';
