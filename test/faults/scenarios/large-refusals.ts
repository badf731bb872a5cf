import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import { atTestEnd } from '../../support/at-test-end.ts';
import { createJob, startFlow, subclientsCsv, withSummary } from '../../support/flow.ts';
import { until } from '../../support/until.ts';

export type LargeRefusalsOptions = {
  readonly rows: number;
  readonly concurrency: number;
  readonly bodyBytes: number;
};

/** Every row is refused with a large body; answers the program's peak memory. */
export async function largeRefusals({ rows, concurrency, bodyBytes }: LargeRefusalsOptions) {
  const flow = await startFlow();
  const url = await refusingService(bodyBytes);
  // All bodies are on their way at once, which on a busy machine takes longer than an answer usually may.
  const job = await flow.file('job.yaml', createJob(`concurrency: ${concurrency}, timeoutSeconds: 300`));
  const file = await flow.file('rows.csv', subclientsCsv(rows));
  const { child, ended } = flow.start(['run', '--job-file', job, file, '--json'], { MSB_BASE_URL: url });
  const peakMb = await peakMbOf(child);
  const { exitCode, summary } = withSummary(await ended);
  expect([exitCode, summary.outcomes.rejected]).toEqual([1, rows]);
  const lines = (await readFile(join(flow.home, 'reports', summary.run, 'rejections.jsonl'), 'utf8'))
    .trim()
    .split('\n');
  const kept = lines.map((line) => JSON.parse(line));
  process.stderr.write(`large-refusals ${JSON.stringify({ rows, concurrency, bodyBytes, peakMb })}\n`);
  return { peakMb, kept };
}

/** The most memory that the process had by its end, MB. */
async function peakMbOf(child: ChildProcess): Promise<number> {
  let peakMb = 0;
  await until(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1000);
    return child.exitCode !== null || child.signalCode !== null;
  });
  return Math.round(peakMb);
}

/** A service in a thread of its own that answers 418 with a body of that size. */
async function refusingService(bodyBytes: number): Promise<string> {
  const worker = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const body = Buffer.alloc(workerData, 'no ');
     const server = require('node:http').createServer((request, response) => {
       request.resume().on('end', () => response.writeHead(418, { 'content-length': body.length }).end(body));
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: bodyBytes },
  );
  atTestEnd(async () => void (await worker.terminate()));
  const [port] = await once(worker, 'message');
  return `http://127.0.0.1:${port}`;
}
