/**
 * A zip archive, a workbook's or that of one table, read where its parts lie in the file. Refused,
 * beside what yauzl refuses: passwords, two parts of one name, parts too large or damaged (CRC).
 */
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { passStep } from '../../../lib/steps.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import { openRegular } from '../file.ts';
import { damaged, tooLarge, WorkbookError } from './error.ts';

/** Names ignore case (ECMA-376 part 2). */
export type Zip = {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** As the archive's directory says; 0: no such part. */
  sizeOf(name: string): number;
  /** WorkbookError where the part is missing or not whole. */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
};

/** The file stays open. WorkbookError where it is no archive, or torn. */
export async function openZip(fd: number): Promise<Zip> {
  const file = await openArchive(fd);
  const entries = await readDirectory(file);
  const entryOf = (name: string) => entries.get(keyOf(name));
  return {
    names: [...entries.keys()],
    has: (name) => entryOf(name) !== undefined,
    sizeOf: (name) => entryOf(name)?.uncompressedSize ?? 0,
    read: (name) => readPart(file, entryOf(name), name),
  };
}

async function openArchive(fd: number): Promise<ZipFile> {
  try {
    // Decoded names are refused for a slash in front, which some programs write.
    return await fromFdPromise(fd, { autoClose: false, decodeStrings: false });
  } catch (error) {
    throw explain('its end is missing: it was cut off, or never written to its end', error);
  }
}

async function readDirectory(file: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (file.entryCount > MAX_ENTRIES) throw tooLarge(`it has ${file.entryCount} parts`);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of file.eachEntry()) {
      const name = keyOf(entry.fileNameRaw.toString());
      if (entries.has(name)) throw damaged('it holds two parts of one name');
      entries.set(name, entry);
    }
  } catch (error) {
    throw explain('its directory is torn', error);
  }
  return entries;
}

const MAX_ENTRIES = 50_000;

function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

async function* readPart(
  file: ZipFile,
  entry: Entry | undefined,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  if (entry === undefined) throw damaged(`its part ${name} is missing`);
  checkEntry(entry, name);
  const content = await openPart(file, entry, name);
  const step = { doing: `reading ${name}`, all: entry.uncompressedSize };
  let checksum = 0;
  let done = 0;
  try {
    for await (const block of content) {
      checksum = crc32(block, checksum);
      done += block.length;
      passStep({ ...step, done });
      yield block;
    }
  } catch (error) {
    throw explain(`the content of its part ${name}`, error);
  } finally {
    passStep({ ...step, done: step.all });
  }
  if (checksum !== entry.crc32) throw damaged(`the content of its part ${name}`);
}

function checkEntry(entry: Entry, name: string): void {
  if (entry.isEncrypted())
    throw new WorkbookError('is encrypted: expected a workbook without a password; save it without one');
  if (!entry.canDecodeFileData()) {
    throw damaged(`its part ${name} is compressed in a way that no Excel reads`);
  }
  const bytes = entry.uncompressedSize;
  if (bytes > MAX_PART_BYTES) {
    throw tooLarge(`${name} has ${bytes} bytes when expanded, the limit is ${MAX_PART_BYTES}`);
  }
}

/** A sheet of a million rows and twenty columns has 0.8 GiB. */
const MAX_PART_BYTES = 1024 ** 3;

async function openPart(file: ZipFile, entry: Entry, name: string): Promise<AsyncIterable<Buffer>> {
  try {
    return await file.openReadStreamPromise(entry);
  } catch (error) {
    throw explain(`its part ${name} is not where the directory says`, error);
  }
}

/** A disk that can't be read is no fault of the workbook. */
function explain(what: string, error: unknown): unknown {
  const isOther = error instanceof WorkbookError || (error instanceof Error && 'syscall' in error);
  return isOther ? error : damaged(what, error);
}

/** `read` gets the only table of the archive. */
export async function* readArchive<T>(
  path: string,
  read: (bytes: AsyncGenerator<Buffer>, path: string) => AsyncGenerator<T>,
): AsyncGenerator<T, void, undefined> {
  const file = await openRegular(path);
  try {
    const zip = await openZip(file.fd);
    const [name, ...others] = zip.names.filter((one) => !NO_TABLE.test(one));
    if (name === undefined || others.length > 0) throw new WorkbookError(NO_ARCHIVE);
    yield* read(zip.read(name), `${path}/${name}`);
  } catch (error) {
    throw error instanceof WorkbookError ? new UsageError(`${path}: ${NO_ARCHIVE}`, { cause: error }) : error;
  } finally {
    await file.close();
  }
}

/** Folders, and what systems put into an archive by themselves. */
const NO_TABLE = /\/$|^__macosx\/|(?:^|\/)(?:\.[^/]*|thumbs\.db|desktop\.ini)$/;
const NO_ARCHIVE =
  'is a zip archive or an Excel workbook: expected one table in a whole archive, ' +
  'without a password, up to 1 GiB; name a workbook .xlsx';
