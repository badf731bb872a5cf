import { join } from 'node:path';
import { UsageError } from '../src/lib/usage-error.ts';
import { renderDocuments } from './documents.ts';
import { HELP, parseBenchArguments } from './options.ts';
import { renderScale } from './scale/scale-page.ts';
import { runScaleSession } from './scale/scale-session.ts';
import { type BenchPlace, runSession } from './session.ts';

/** `npm run bench`; answers the exit status. */
export async function runBench({
  args,
  ...place
}: BenchPlace & { readonly args: readonly string[] }): Promise<number> {
  try {
    const request = parseBenchArguments(args, place.root);
    if (request.kind === 'bench') return await runSession(request.options, place);
    if (request.kind === 'scale') return await runScaleSession(request.options, place);
    if (request.kind === 'render') await renderAll(join(place.root, 'docs'));
    else process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 3;
  }
}

async function renderAll(docs: string): Promise<void> {
  await renderDocuments(docs);
  await renderScale(docs);
}
