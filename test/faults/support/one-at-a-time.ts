import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Flow } from '../../support/flow.ts';

const SUBCLIENTS = fileURLToPath(new URL('../../../jobs/subclients-create.yaml', import.meta.url));

/** A definition like `subclients-create` that sends one row after the other; answers its path. */
export async function oneAtATimeJob(flow: Flow): Promise<string> {
  const text = await readFile(SUBCLIENTS, 'utf8');
  const changed = text.replace('concurrency: 20', 'concurrency: 1');
  if (changed === text) throw new Error(`no "concurrency: 20" in ${SUBCLIENTS}`);
  return flow.file('one-at-a-time.yaml', changed);
}
