import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../house/source-files.ts';
import { ownFolder } from '../support/folder.ts';

/** The only folder on the PATH: the machine as these tests want it. */
let folder = '';
beforeEach(async () => {
  folder = await ownFolder();
});

function putProgram(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

function ensure(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/ensure.mjs'), ...flags], {
    encoding: 'utf8',
    env: { PATH: folder, ...env },
  });
  return { status, stderr };
}

describe('ensure, where the dependencies are installed', () => {
  test('with a server on the PATH does nothing and says nothing', () => {
    putProgram('redis-server', 'exit 1');
    expect(ensure(['--no-build'])).toEqual({ status: 0, stderr: '' });
  });

  test('without a server asks the package manager for one, and says so', () => {
    putProgram('brew', `/bin/cp "${folder}/brew" "${folder}/redis-server"`);
    const { status, stderr } = ensure(['--no-build']);
    expect(stderr).toContain('Installing a Redis server with brew');
    expect(status).toBe(0);
  });

  test.each([
    ['the package manager fails', 'exit 7', '"brew install redis" did not succeed'],
    ['the package brings no server', 'exit 0', 'brought none'],
  ])('where %s ends with status 3 and the alternatives', (_, script, reason) => {
    putProgram('brew', script);
    const { status, stderr } = ensure(['--no-build']);
    expect(stderr).toContain(reason);
    expect(stderr).toContain('REDIS_URL=');
    expect(status).toBe(3);
  });

  test('with an unknown flag ends with status 3 and names the known ones', () => {
    const { status, stderr } = ensure(['--no-bild']);
    expect(stderr).toContain('--no-bild');
    expect(stderr).toContain('--no-build');
    expect(status).toBe(3);
  });
});
