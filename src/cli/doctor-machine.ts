import { access, constants, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, ok, problem, warning } from './doctor-finding.ts';

const OLDEST_NODE = [20, 19] as const;
const FOLDERS = ['inbox', 'processing', 'done', 'failed', 'reports', 'journal', 'redis'] as const;
const OTHERS_MAY_READ = 0o044;
/** A report, the journal and Redis' append-only file of a large run take less. */
const SPACE_MIN_BYTES = 500_000_000;
/** With less than this Redis ends at its next write. */
const SPACE_NONE_BYTES = 20_000_000;

/** `version` as Node gives it: 20.19.0. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', version);
  const finding = `${version}, expected ${OLDEST_NODE.join('.')} or newer`;
  return problem('node', finding, 'Install a newer Node.js: https://nodejs.org');
}

/** The folders of ONBOARD_HOME: writable by this user, readable by no other, on a disk with space. */
export async function checkHome(home: string): Promise<Finding[]> {
  const present = await presentFolders(home);
  const isThere = present[0]?.path === home;
  const writable = isThere ? present : [{ path: await nearestFolder(home), mode: 0 }];
  const paths = writable.map(({ path }) => path);
  const locked = await lockedOf(paths, isThere ? mayEnter : takesFolders);
  if (locked.length > 0) {
    const finding = `this user may not write to ${locked.join(', ')}`;
    return [problem('home', finding, `\`chown\` it to this user, or set ONBOARD_HOME to another folder.`)];
  }
  return [judgeReaders(home, present), judgeSpace(await freeBytes(writable[0]?.path ?? home))];
}

type Folder = { readonly path: string; readonly mode: number };

/** Home first; nothing where it is not there yet. */
async function presentFolders(home: string): Promise<readonly Folder[]> {
  const paths = [home, ...FOLDERS.map((name) => join(home, name))];
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mode }) => ({ path, mode }),
        () => null,
      ),
    ),
  );
  return found.filter((folder) => folder !== null);
}

async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}

async function lockedOf(
  paths: readonly string[],
  tryOut: (path: string) => Promise<void>,
): Promise<readonly string[]> {
  const locked = await Promise.all(
    paths.map((path) =>
      tryOut(path).then(
        () => [],
        () => [path],
      ),
    ),
  );
  return locked.flat();
}

function mayEnter(path: string): Promise<void> {
  return access(path, constants.W_OK | constants.X_OK);
}

/** Only making one tells: of /proc the rights say yes. */
async function takesFolders(path: string): Promise<void> {
  await rmdir(await mkdtemp(join(path, '.onboard-')));
}

function judgeReaders(home: string, folders: readonly Folder[]): Finding {
  if (folders.length === 0) return ok('home', `${home} is not there yet; the first run makes it`);
  const open = folders.filter(({ mode }) => (mode & OTHERS_MAY_READ) !== 0).map(({ path }) => path);
  if (open.length === 0) return ok('home', `${home} is writable, and this user's alone`);
  const finding = `other users of this machine may read ${open.join(', ')}, where personal data lies`;
  return warning('home', finding, `chmod go-rwx ${open.join(' ')}`);
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** `free` in bytes. */
export function judgeSpace(free: number): Finding {
  const finding = `${inMegabytes(free)} free`;
  if (free >= SPACE_MIN_BYTES) return ok('disk', finding);
  const short = `${finding}, expected ${inMegabytes(SPACE_MIN_BYTES)} or more`;
  const judge = free < SPACE_NONE_BYTES ? problem : warning;
  return judge('disk', short, 'Make room, or set ONBOARD_HOME to a folder on another disk.');
}

/** Bytes as `12 MB`. */
export function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
