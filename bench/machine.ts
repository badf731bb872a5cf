import { spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { findProgram } from '../scripts/setup/find-program.mjs';
import type { Results } from './results.ts';

/** Magic numbers of statfs(2) for what a disk of ours usually is. */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0x794c7630, 'overlayfs'],
  [0x01021994, 'tmpfs (memory: fsync costs nothing)'],
]);

/** What was measured on; `folder`: where the bench has its files. */
export function readMachine(folder: string): Results['machine'] {
  const [cpu] = cpus();
  const disk = statfsSync(folder).type;
  const nginx = versionOf(findProgram('nginx'), '-v', /nginx\/(\S+)/);
  return {
    processor: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    disk: FILE_SYSTEMS.get(disk) ?? `file system 0x${disk.toString(16)}`,
    node: process.version,
    redis: versionOf(findProgram('redis-server', 'valkey-server'), '--version', /v=(\S+)/) ?? 'none',
    service: nginx === null ? 'Node' : `nginx ${nginx}`,
  };
}

/** nginx writes its version to stderr, Redis to stdout. */
function versionOf(program: string | null, flag: string, pattern: RegExp): string | null {
  if (program === null) return null;
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  return pattern.exec(stdout + stderr)?.[1] ?? 'unknown';
}
