/**
 * Uploads: files that came by the page and are no run yet. Each has a folder of its own in
 * ONBOARD_HOME/uploads under a random id; no name from a browser becomes a path. An incomplete
 * upload does not exist: the note beside the file is written last. Everybody sees a process'
 * arguments: until its run begins, no name of the file is in its path. Removed after a day, or once
 * its run has begun.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeHomeFolder } from '../../config/environment.ts';
import { insteadOf } from '../../lib/errors.ts';
import { freeBytes } from '../../lib/machine.ts';
import { makeFolder, writeDurably } from '../../lib/make-folder.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { dataEnding } from '../../model/file-format.ts';

const uploadSchema = z.object({
  id: z.string(),
  /** As the person named it. */
  given: z.string(),
  /** Of its run's file: letters, digits, `.`, `_` and `-`. */
  name: z.string(),
  by: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  bytes: z.number().int().nonnegative(),
});

export type Upload = z.infer<typeof uploadSchema> & { readonly path: string };

const GIB = 1024 ** 3;
/** Bytes of one file, bytes of the disk that stay free, files at a time. */
const LIMITS = { most: 2 * GIB, spare: GIB, atOnce: 5, freeBytes };
/** Others come in meanwhile: what was free is counted on for so many bytes. */
const LOOK_BYTES = 16 * 1024 ** 2;
type UploadLimits = typeof LIMITS;
const KEPT_MS = 24 * 3_600_000;
const ID = /^[0-9a-f]{32}$/;
const NOTE = 'upload.json';
const LONGEST_NAME = 100;

/** `own`: limits in place of the usual ones. */
export function createUploads(home: string, now: () => Date, own: Partial<UploadLimits> = {}) {
  const limits = { ...LIMITS, ...own };
  const folder = join(home, 'uploads');
  let coming = 0;

  async function receive(given: string, by: string, bytes: AsyncIterable<Uint8Array>): Promise<Upload> {
    if (coming >= limits.atOnce)
      throw new UsageError(
        `${limits.atOnce} files are coming in already: expected one of them to end first. Try again then.`,
      );
    coming += 1;
    const id = randomBytes(16).toString('hex');
    const place = join(folder, id);
    try {
      await sweep(folder, now());
      await makeHomeFolder(home, 'uploads');
      await makeFolder(place);
      const name = plainName(given);
      const path = join(place, waitingName(name));
      const size = await write(path, bytes, { ...limits, given });
      const note = { id, given, name, by, at: now().toISOString(), bytes: size };
      await writeDurably(join(place, NOTE), JSON.stringify(note));
      return { ...note, path };
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw error;
    } finally {
      coming -= 1;
    }
  }

  async function find(id: string): Promise<Upload | null> {
    if (!ID.test(id)) return null;
    const text = await readFile(join(folder, id, NOTE), 'utf8').catch(insteadOf(['ENOENT', 'ENOTDIR'], null));
    if (text === null) return null;
    const note = uploadSchema.parse(JSON.parse(text));
    const names = [waitingName(note.name), note.name];
    const path = names.map((name) => join(folder, id, name)).find((one) => existsSync(one));
    return path === undefined ? null : { ...note, path };
  }

  return {
    receive,
    /** `null`: no complete upload has that id. */
    find,
    /** Newest first. */
    async list(): Promise<readonly Upload[]> {
      await sweep(folder, now());
      const ids = await readdir(folder).catch(insteadOf(['ENOENT'], []));
      const found = await Promise.all(ids.map(find));
      return found.filter((upload) => upload !== null).toSorted((a, b) => b.at.localeCompare(a.at));
    },
    async discard(id: string): Promise<void> {
      if (ID.test(id)) await rm(join(folder, id), { recursive: true, force: true });
    },
  };
}

const mostSchema = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .optional();

export function limitsIn({ ONBOARD_WEB_UPLOAD_MAX: given }: Readonly<Record<string, string | undefined>>) {
  const most = mostSchema.safeParse(given === '' ? undefined : given);
  if (!most.success)
    throw new UsageError(`ONBOARD_WEB_UPLOAD_MAX: expected a number of bytes, got "${given}"`);
  return most.data === undefined ? {} : { most: most.data };
}

/** Straight to disk; answers how many bytes. */
async function write(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { most, spare, given, freeBytes: free }: UploadLimits & { readonly given: string },
): Promise<number> {
  let [size, room] = [0, 0];
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of bytes) {
      size += piece.byteLength;
      if (size > most)
        throw new UsageError(
          `${given} has more than ${most} bytes: expected a smaller file. Load it with \`onboard run\`, or set ONBOARD_WEB_UPLOAD_MAX.`,
        );
      if (size > room) {
        const more = (await free(dirname(path))) - spare;
        room = size - piece.byteLength + Math.min(more, LOOK_BYTES);
      }
      if (size > room)
        throw new UsageError(
          `The disk of ONBOARD_HOME has no room for ${given}: expected ${spare} bytes to stay free beside it. Free some, and try again.`,
        );
      await handle.writeFile(piece);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  if (size === 0) throw new UsageError(`${given} is empty: expected a CSV, JSON, NDJSON or Excel file.`);
  return size;
}

/** Valid everywhere, with the ending that shows the kind of file. */
function plainName(given: string): string {
  const plain = given
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '');
  return plain === '' || plain === NOTE ? 'file' : plain.slice(-LONGEST_NAME);
}

/** The ending says how it is read. */
function waitingName(name: string): string {
  return `file${dataEnding(name)}`;
}

async function sweep(folder: string, now: Date): Promise<void> {
  for (const id of await readdir(folder).catch(insteadOf(['ENOENT'], []))) {
    if (!ID.test(id)) continue;
    const { mtimeMs } = await stat(join(folder, id)).catch(insteadOf(['ENOENT'], { mtimeMs: Infinity }));
    if (now.getTime() - mtimeMs > KEPT_MS) await rm(join(folder, id), { recursive: true, force: true });
  }
}
