import { readdir, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { atTestEnd } from '../../support/at-test-end.ts';
import { listen } from '../../support/server.ts';

/*
 * Values that nothing but a row, a file's name or the service's words has: `Zyx<kind><nn>`. A search finds them in bytes of any kind, and
 * says of which kind they are.
 */

export type Kind =
  /** Cells, by what they fill. */
  | 'key'
  | 'name'
  | 'mail'
  | 'street'
  | 'account'
  | 'tax'
  | 'ignored'
  | 'wrong'
  | 'torn'
  | 'path'
  | 'bare'
  | 'file'
  /** What the service says. */
  | 'made'
  | 'refused'
  | 'denied'
  | 'bad'
  | 'broken'
  | 'document'
  | 'lookup';

export function mark(kind: Kind, n: number): string {
  return `Zyx${kind}${String(n).padStart(2, '0')}`;
}

const MARK = /zyx([a-z]+)\d\d/gi;

/** Kinds that are found in it, sorted. */
export function kindsIn(...texts: readonly (string | Buffer)[]): string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const [, kind = ''] of text.toString('latin1').matchAll(MARK)) found.add(kind.toLowerCase());
  return [...found].sort();
}

/** The first place of a kind, with what is around it. */
export function wordsAround(kind: string, texts: readonly (string | Buffer)[]): string {
  const words = new RegExp(`.{0,60}zyx${kind}\\d\\d.{0,30}`, 'i');
  return (
    texts.map((text) => words.exec(text.toString('latin1'))?.[0]).find((found) => found !== undefined) ?? ''
  );
}

/** As it stands, and unpacked where it is packed. */
function waysToRead(value: Buffer): Buffer[] {
  for (const unpack of [inflateRawSync, gunzipSync])
    try {
      return [value, unpack(value)];
    } catch {
      // Not packed so.
    }
  return [value];
}

/** The names and values of every key. */
export async function valuesIn(redis: Redis): Promise<Buffer[]> {
  const keys = await redis.keysBuffer('*');
  const values = await Promise.all(keys.map((key) => valuesOf(redis, key)));
  return [...keys, ...values.flat().flatMap(waysToRead)];
}

async function valuesOf(redis: Redis, key: Buffer): Promise<Buffer[]> {
  const type = await redis.type(key);
  if (type === 'string') return [(await redis.getBuffer(key)) ?? Buffer.alloc(0)];
  if (type === 'hash')
    return Object.entries(await redis.hgetallBuffer(key)).flatMap(([name, value]) => [
      Buffer.from(name),
      value,
    ]);
  if (type === 'list') return redis.lrangeBuffer(key, 0, -1);
  if (type === 'set') return redis.smembersBuffer(key);
  if (type === 'zset') return redis.zrangeBuffer(key, '0', '-1');
  return [Buffer.from(JSON.stringify(await redis.xrange(key.toString(), '-', '+')))];
}

/** Paths and contents of the files below a folder, by path. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)),
  );
}

/** The command lines of a process' children and theirs, as anybody on the machine sees them; without those of `but`. */
export async function argumentsBelow(pid: number, but: ReadonlySet<number | undefined>): Promise<string[]> {
  const found: string[] = [];
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const task of tasks) {
    const children = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter((one) => one !== '')) {
      if (!but.has(Number(child)))
        found.push(await readFile(`/proc/${child}/cmdline`, 'latin1').catch(() => ''));
      found.push(...(await argumentsBelow(Number(child), but)));
    }
  }
  return found;
}

/**
 * A service that says marked words, whose answer a row asks for by its name (`ok`, `refuse`, …). `hold` waits until it is let go.
 */
export async function startMarkedService() {
  const held = new Set<() => void>();
  let made = 0;
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (request.method === 'GET') {
      if (pathname.startsWith('/v1/documents/'))
        return json(response, 200, [{ id: mark('document', 1), name: mark('document', 2), tags: [] }]);
      return json(response, 200, { items: foundUnder(searchParams.get('ref') ?? '') });
    }
    made += 1;
    const asked = /"(ok|refuse|deny|bad|break|lose|unnamed|hold)"/.exec(body)?.[1] ?? 'ok';
    if (asked === 'hold') await new Promise<void>((resolve) => held.add(resolve));
    switch (asked) {
      case 'refuse':
        return json(response, 418, {
          errors: [
            { field: 'name', problem: `${mark('refused', 1)} is known`, hint: `not ${mark('refused', 2)}` },
          ],
        });
      case 'deny':
        return json(response, 403, { error: `${mark('denied', made)} may not` });
      case 'bad':
        return json(response, 400, { message: `${mark('bad', made)} is no name` });
      case 'break':
        return json(response, 500, { message: `${mark('broken', made)} at line 1` });
      case 'lose':
        return void response.destroy();
      case 'unnamed':
        return json(response, 200, { suggestedName: mark('made', made) });
      default:
        return json(response, 200, { id: `id-${made}`, suggestedName: mark('made', made), name: body });
    }
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  atTestEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url,
    /** How many wait. */
    held: () => held.size,
    letGo() {
      for (const go of held) go();
      held.clear();
    },
  };
}

/** Of one key one record, of another two, of all others none; each with words. */
function foundUnder(key: string) {
  const one = (n: number) => ({ id: `found-${n}`, name: mark('lookup', n) });
  if (key === mark('key', 7)) return [one(1)];
  return key === mark('key', 8) ? [one(2), one(3)] : [];
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
