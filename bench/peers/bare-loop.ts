// The limit of one process: csv-parse into arrays, the program's own mapping, an undici pool with
// as many requests in flight; the id of every answer is read, and nothing is recorded. It leaves
// out what the program is for: a row that fails ends it, and killed it knows nothing of what it has
// sent.
// Usage: bare-loop <file.csv> <job.yaml> <base URL>
import { createReadStream } from 'node:fs';
import { type Parser, parse } from 'csv-parse';
import { type Dispatcher, Pool } from 'undici';
import { loadJobFile } from '../../src/config/load-job.ts';
import { answeredId, type CompiledRow, compileRow, firstRecord } from './compile-row.ts';

type Loop = {
  readonly parser: Parser;
  readonly pool: Pool;
  readonly compiled: CompiledRow;
  readonly headers: string[];
  /** Slots that found no row read yet. */
  readonly idle: Slot[];
  sent: number;
  answered: number;
};

/** One request at a time: its answer makes the slot send the next row. */
class Slot implements Dispatcher.DispatchHandler {
  readonly #loop: Loop;
  #answer = '';
  #status = 0;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  next(): void {
    const loop = this.#loop;
    const cells: string[] | null = loop.parser.read();
    if (cells === null) {
      loop.idle.push(this);
      return;
    }
    loop.sent += 1;
    const { method, path, body } = loop.compiled(cells, loop.sent);
    this.#answer = '';
    loop.pool.dispatch({ method, path, headers: loop.headers, body }, this);
  }

  // undici takes an object for a handler of today by this method.
  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#answer += chunk.toString('utf8');
  }

  onResponseEnd(): void {
    if (this.#status !== 200 || answeredId(this.#answer) === null) throw new Error(`no id: ${this.#answer}`);
    this.#loop.answered += 1;
    this.next();
  }

  onResponseError(_controller: unknown, error: Error): void {
    throw error;
  }
}

async function run(file: string, jobFile: string, url: string): Promise<number> {
  const { definition } = await loadJobFile(jobFile);
  const { concurrency } = definition.send;
  const parser = createReadStream(file, { highWaterMark: 1 << 18 }).pipe(parse());
  const columns = await firstRecord(parser);
  const loop: Loop = {
    parser,
    pool: new Pool(url, { connections: concurrency, pipelining: 1 }),
    compiled: compileRow(definition, columns),
    headers: ['authorization', 'Bearer bench', 'content-type', 'application/json'],
    idle: [],
    sent: 0,
    answered: 0,
  };
  for (let slot = 0; slot < concurrency; slot += 1) loop.idle.push(new Slot(loop));
  await emptied(loop);
  await loop.pool.close();
  return loop.answered;
}

/** Resolves when the file is read and every slot idle. */
function emptied(loop: Loop): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      for (const slot of loop.idle.splice(0)) slot.next();
    };
    loop.parser.on('readable', wake);
    loop.parser.once('end', resolve);
    wake();
  });
}

const [file = '', jobFile = '', url = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify({ rows: await run(file, jobFile, url) })}\n`);
