// The obvious program: one BullMQ job per row with BullMQ's own settings, one request per job, the
// answered id as the job's return value. Mapping, service and Redis are the same as the program's.
// It leaves out: intents (a job that stalls is sent again), known keys, a rate limit, the report,
// and a Redis that does not grow with the file.
// Usage: job-per-row <file.csv> <job.yaml> <base URL> <Redis URL>
import { createReadStream } from 'node:fs';
import { Queue, Worker } from 'bullmq';
import { type Parser, parse } from 'csv-parse';
import { Pool } from 'undici';
import { loadJobFile } from '../../src/config/load-job.ts';
import { answeredId, type CompiledRow, compileRow, firstRecord } from './compile-row.ts';

const QUEUE = 'rows';
/** Jobs that are added in one command. */
const BATCH = 1000;
const HEADERS = { authorization: 'Bearer bench', 'content-type': 'application/json' };

type RowJob = { readonly row: number; readonly cells: string[] };

async function run(file: string, jobFile: string, url: string, redisUrl: string): Promise<number> {
  const { definition } = await loadJobFile(jobFile);
  const { concurrency } = definition.send;
  const connection = { url: redisUrl };
  const pool = new Pool(url, { connections: concurrency });
  const parser = createReadStream(file).pipe(parse());
  const compiled = compileRow(definition, await firstRecord(parser));
  const queue = new Queue<RowJob>(QUEUE, { connection });
  const worker = new Worker<RowJob, string>(QUEUE, ({ data }) => send(data, compiled, pool), {
    connection,
    concurrency,
  });
  const done = countDone(worker);
  const rows = await addAll(queue, parser);
  await done.reaches(rows);
  await Promise.all([worker.close(), queue.close(), pool.close()]);
  return rows;
}

async function addAll(queue: Queue<RowJob>, parser: Parser): Promise<number> {
  let rows = 0;
  let batch: Array<{ readonly name: string; readonly data: RowJob }> = [];
  for await (const cells of parser) {
    rows += 1;
    batch.push({ name: 'row', data: { row: rows, cells } });
    if (batch.length < BATCH) continue;
    await queue.addBulk(batch);
    batch = [];
  }
  await queue.addBulk(batch);
  return rows;
}

async function send({ row, cells }: RowJob, compiled: CompiledRow, pool: Pool): Promise<string> {
  const { method, path, body } = compiled(cells, row);
  const answer = await pool.request({ method, path, headers: HEADERS, body });
  const id = answeredId(await answer.body.text());
  if (answer.statusCode !== 200 || id === null) throw new Error(`no id: status ${answer.statusCode}`);
  return id;
}

function countDone(worker: Worker<RowJob, string>): { reaches(rows: number): Promise<void> } {
  let done = 0;
  let check = () => {};
  worker.on('completed', () => {
    done += 1;
    check();
  });
  worker.on('failed', (_, error) => {
    throw error;
  });
  return {
    reaches: (rows) =>
      new Promise((resolve) => {
        check = () => {
          if (done === rows) resolve();
        };
        check();
      }),
  };
}

const [file = '', jobFile = '', url = '', redisUrl = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify({ rows: await run(file, jobFile, url, redisUrl) })}\n`);
