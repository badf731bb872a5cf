// The script that one would write: csv-parse, `fetch`, so many requests at once, nothing recorded.
// The mapping is the program's own. A row that fails ends it, and killed it knows nothing of what
// it has sent.
// Usage: fetch-script <file.csv> <job.yaml> <base URL>
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { loadJobFile } from '../../src/config/load-job.ts';
import { answeredId, type CompiledRow, compileRow, firstRecord } from './compile-row.ts';

const HEADERS = { authorization: 'Bearer bench', 'content-type': 'application/json' };

async function run(file: string, jobFile: string, url: string): Promise<number> {
  const { definition } = await loadJobFile(jobFile);
  const parser = createReadStream(file).pipe(parse());
  const compiled = compileRow(definition, await firstRecord(parser));
  const records: AsyncIterator<string[]> = parser[Symbol.asyncIterator]();
  let rows = 0;
  const sendInTurn = async () => {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      rows += 1;
      await send(compiled(next.value, rows), url);
    }
  };
  await Promise.all(Array.from({ length: definition.send.concurrency }, sendInTurn));
  return rows;
}

async function send({ method, path, body }: ReturnType<CompiledRow>, url: string): Promise<void> {
  const answer = await fetch(`${url}${path}`, { method, headers: HEADERS, body });
  if (!answer.ok || answeredId(await answer.text()) === null)
    throw new Error(`no id: status ${answer.status}`);
}

const [file = '', jobFile = '', url = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify({ rows: await run(file, jobFile, url) })}\n`);
