import { request } from 'node:http';
import { until } from './until.ts';

export type Asking = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Answered = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
};

/**
 * What a page of this machine answers under the name of an origin. No resolver has to know the name; fetch takes no Host header, and sends
 * headers of its own.
 */
export function askPage(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Asking = {},
  port = Number(new URL(origin).port),
): Promise<Answered> {
  const own = method === 'GET' || method === 'HEAD' ? {} : { origin };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host: new URL(origin).host, ...own, ...headers },
        agent: false,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString('utf8'),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Whether a page is there, as a monitor asks it. */
export async function isPageServed(port: number): Promise<boolean> {
  const answer = await askPage(`http://127.0.0.1:${port}`, '/healthz').catch(() => null);
  return answer?.status === 200;
}

/** The origin of the page at a port, as it says it to whoever comes by another name of the machine. */
export async function originOfPage(port: number): Promise<string> {
  await until(() => isPageServed(port));
  const { text } = await askPage(`http://127.0.0.1:${port}`, '/');
  return /http:\/\/[\w.-]+:\d+/.exec(text)?.[0] ?? '';
}
