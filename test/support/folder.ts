import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atTestEnd } from './at-test-end.ts';

/** A folder of the test's own that holds these files; it is gone when the test has ended. */
export async function ownFolder(files: Readonly<Record<string, string | Uint8Array>> = {}, under = tmpdir()) {
  const folder = await mkdtemp(join(under, 'onboard-test-'));
  atTestEnd(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** A file in a folder of the test's own; answers its path. */
export async function ownFile(content: string | Uint8Array, name = 'a.csv'): Promise<string> {
  return join(await ownFolder({ [name]: content }), name);
}
