import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { serveHttp } from '../../support/server.ts';

/*
 * Values that nothing but a row, a file's name or the service's words has: `Zyx<kind><nn>`. A search finds them in bytes of any kind, and
 * says of which kind they are.
 */

/** Those that were made: what is sealed has other letters behind a `zyx` by chance. */
const kinds = new Set<string>();

/** `kind`: what the cell fills, `file` for a file's name, or what the service says. */
export function mark(kind: string, n: number): string {
  kinds.add(kind);
  return `Zyx${kind}${String(n).padStart(2, '0')}`;
}

const MARK = /zyx([a-z]+)\d\d/gi;

/** Kinds that are found in it, sorted. */
export function kindsIn(...texts: readonly (string | Buffer)[]): string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const [, kind = ''] of text.toString('latin1').matchAll(MARK))
      if (kinds.has(kind.toLowerCase())) found.add(kind.toLowerCase());
  return [...found].sort();
}

/** The first place of a kind, with what is around it. */
export function wordsAround(kind: string, texts: readonly (string | Buffer)[]): string {
  const words = new RegExp(`.{0,60}zyx${kind}\\d\\d.{0,30}`, 'i');
  return texts.flatMap((text) => words.exec(text.toString('latin1'))?.[0] ?? [])[0] ?? '';
}

const READ: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1'],
  stream: ['XRANGE', '-', '+'],
};

/** The names and values of every key, packed ones unpacked too. */
export async function valuesIn(redis: Redis): Promise<Buffer[]> {
  const keys = await redis.keysBuffer('*');
  const replies = keys.map(async (key) => {
    const type = await redis.type(key);
    // Gone meanwhile: BullMQ has keys that expire.
    if (type === 'none') return [];
    const [command, ...args] = READ[type] ?? [];
    if (command === undefined) throw new Error(`no way to read ${key}`);
    return redis.callBuffer(command, key, ...args);
  });
  const values = (await Promise.all(replies)).flat(9).filter(Buffer.isBuffer);
  return [...keys, ...values, ...values.flatMap(unpacked)];
}

function unpacked(value: Buffer): Buffer[] {
  try {
    return [inflateRawSync(value)];
  } catch {
    return [];
  }
}

/** Paths and contents of the files below a folder, by path. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path), await readFile(path)] as const;
  });
  return new Map(await Promise.all(read));
}

/** The command lines of a process' children and theirs, as anybody on the machine sees them; without those of `but`. */
export async function argumentsBelow(pid: number, but: ReadonlySet<number | undefined>): Promise<string[]> {
  const found: string[] = [];
  const lineOf = (one: number | string) => readFile(`/proc/${one}/cmdline`, 'latin1').catch(() => '');
  // A child has its parent's until it has become another program.
  const parents = await lineOf(pid);
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const task of tasks) {
    const children = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter((one) => one !== '')) {
      const line = await lineOf(child);
      if (!but.has(Number(child)) && line !== parents) found.push(line);
      found.push(...(await argumentsBelow(Number(child), but)));
    }
  }
  return found;
}

/** A service that says marked words; a row asks for its answer (`ok`, `refuse`, …), and `hold` waits until it is let go. */
export async function startMarkedService() {
  const held = new Set<() => void>();
  let made = 0;
  const url = await serveHttp(async (request, response) => {
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
    const word = (kind: string) => mark(kind, made);
    const errors = [{ field: 'name', problem: `${mark('refused', 1)} is known`, hint: mark('refused', 2) }];
    const answers: Readonly<Record<string, readonly [status: number, value: unknown]>> = {
      refuse: [418, { errors }],
      deny: [403, { error: `${word('denied')} may not` }],
      bad: [400, { message: `${word('bad')} is no name` }],
      break: [500, { message: `${word('broken')} at line 1` }],
      unnamed: [200, { suggestedName: word('made') }],
    };
    const [status, value] = answers[asked] ?? [
      200,
      { id: `id-${made}`, suggestedName: word('made'), name: body },
    ];
    if (asked === 'lose') response.destroy();
    else json(response, status, value);
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
