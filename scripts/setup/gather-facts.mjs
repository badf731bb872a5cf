import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.mjs';

/**
 * What is there and what is not, in the checkout at `root` and on this machine; nothing is changed.
 */
export function gatherFacts(root) {
  return {
    nodeVersion: process.version,
    dependencies: lookAtDependencies(root),
    build: lookAtBuild(root),
    redis: {
      url: (process.env.REDIS_URL ?? '') !== '',
      server: findProgram('redis-server', 'valkey-server'),
      managers: ['apt-get', 'dnf', 'apk', 'brew'].filter((name) => findProgram(name) !== null),
      root: process.getuid?.() === 0,
      sudo: findProgram('sudo') !== null,
    },
  };
}

/** npm writes down what it installed; dates are no use here, since a checkout sets them anew. */
function lookAtDependencies(root) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return 'missing';
  const locked = readPackages(join(root, 'package-lock.json')) ?? {};
  return Object.entries(locked).every(([path, entry]) => isInstalled(path, entry, installed)) &&
    Object.keys(installed).every((path) => path in locked)
    ? 'installed'
    : 'different';
}

function isInstalled(path, entry, installed) {
  if (path === '') return true;
  const found = installed[path];
  // An optional package for another platform is in the lock file and never on the disk.
  if (found === undefined) return entry.optional === true;
  return found.version === entry.version && found.integrity === entry.integrity;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return null;
  }
}

/**
 * The build dates its entry file to the moment it began, so an edit made meanwhile counts as newer.
 */
function lookAtBuild(root) {
  const built = modifiedMs(join(root, 'dist', 'main.js'));
  if (built === null) return 'missing';
  const sources = ['tsconfig.json', 'tsconfig.build.json'].map((name) => modifiedMs(join(root, name)) ?? 0);
  return Math.max(newestMs(join(root, 'src')), ...sources) > built ? 'stale' : 'fresh';
}

/** Folders count too: taking a file away changes nothing else. */
function newestMs(folder) {
  const inside = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestMs(path) : (modifiedMs(path) ?? 0);
  });
  return Math.max(modifiedMs(folder) ?? 0, ...inside);
}

function modifiedMs(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}
