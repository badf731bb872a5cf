import { request } from 'node:http';
import { until } from './until.ts';

/** What `enterPage` shows; for the environment of who serves the page. */
export const PAGE_TOKEN = 'a-token-that-several-know';

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

/** A browser that has logged in, by default as anybody who knows PAGE_TOKEN; `onAnswer`: hears of each answer. */
export async function enterPage(
  origin: string,
  who: { readonly name: string; readonly token: string } = { name: 'ops-1', token: PAGE_TOKEN },
  onAnswer: (path: string, answered: Answered) => void = () => undefined,
) {
  const form = new URLSearchParams(who);
  const entered = await askPage(origin, '/enter', { method: 'POST', body: String(form) });
  const [cookie = ''] = String(entered.headers['set-cookie']).split(';');
  const ask = async (path: string, asking: Asking) => {
    const answered = await askPage(origin, path, { headers: { cookie }, ...asking });
    onAnswer(path, answered);
    return answered;
  };
  return {
    /** What is said there, or where it leads to. */
    async look(path: string): Promise<string> {
      const { text, headers } = await ask(path, {});
      return text || String(headers.location);
    },
    /** Where it leads to then, or what is said. */
    async post(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const { text, headers } = await ask(path, {
        method: 'POST',
        body: String(new URLSearchParams(fields)),
      });
      const place = String(headers.location ?? '');
      const isSaid = place.includes('said=');
      // What an act came to is said on top of its run's page; where a run begins, that is asked for.
      if (isSaid && !path.endsWith('/start')) return (await ask(place, {})).text;
      return place.replace(/[?&]said=.*/, '') || text;
    },
    async upload(name: string, body: string): Promise<string> {
      const { text } = await ask(`/uploads?name=${encodeURIComponent(name)}`, { method: 'PUT', body });
      return /\/uploads\/[^"]+/.exec(text)?.[0] ?? '';
    },
  };
}

/** Checks an upload by a job; answers what is said then, and the name of the service that is typed to start it. */
export async function checkUpload(
  { look, post }: Awaited<ReturnType<typeof enterPage>>,
  upload: string,
  job: string,
) {
  await post(`${upload}/check`, { job });
  let verdict = '';
  await until(async () => {
    verdict = await look(`${upload}/check?job=${job}`);
    return verdict.includes('class="verdict');
  });
  return { verdict, host: /Type <b>([^<]+)<\/b>/.exec(verdict)?.[1] ?? '' };
}
