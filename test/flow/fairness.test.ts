import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Flow } from '../support/flow.ts';
import { rowsOf, startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

/** A new run's first row goes out sooner after the run was made, whatever else is under way. */
const FIRST_ROW_MS = 5_000;
/** More requests than a test makes. */
const RECORDED = 50_000;

const listedSchema = z.object({ file: z.string(), createdAt: z.coerce.date() });
const bodySchema = z.object({ details: z.object({ name: z.string() }) });

/** What has reached the service, by the first word of the rows' names, in its order. */
function watchService({ sandbox }: Flow) {
  const words: string[] = [];
  const sent = (): readonly string[] => {
    for (const { body } of sandbox.requests(RECORDED).slice(words.length))
      words.push(bodySchema.parse(JSON.parse(body)).details.name.split(' ')[0] ?? '');
    return words;
  };
  const countOf = (word: string) => sent().filter((one) => one === word).length;
  /** Resolves when each of the words was there, with when each was first. */
  const firsts = async (wanted: readonly string[]) => {
    const seen = new Map<string, number>();
    await until(() => {
      const now = new Set(sent());
      for (const word of wanted) if (now.has(word) && !seen.has(word)) seen.set(word, Date.now());
      return seen.size === wanted.length;
    });
    return seen;
  };
  return { sent, countOf, firsts };
}

/** Milliseconds from when the run of a file of that name was made until that moment. */
async function sinceMade(flow: Flow, moments: ReadonlyMap<string, number>): Promise<number[]> {
  const { stdout } = await flow.onboard(['runs', '--json', '--limit', '100']);
  const runs = stdout
    .trim()
    .split('\n')
    .map((line) => listedSchema.parse(JSON.parse(line)));
  const madeAt = (name: string) => runs.find(({ file }) => file.includes(`${name}.csv`))?.createdAt.getTime();
  return [...moments].map(([name, at]) => at - (madeAt(name) ?? Number.NEGATIVE_INFINITY));
}

/** `onboard start` that has taken a file of so many rows, whose first ones are on their way. */
async function startWithBig(rows: number, { faults }: { readonly faults?: readonly string[] }) {
  const inbox = await startInboxFlow(undefined, { faults, recordRequests: RECORDED });
  const service = watchService(inbox.flow);
  const { child, ended } = inbox.start(['start']);
  await inbox.drop('subclients-big.csv', rowsOf('big', rows));
  await until(() => service.countOf('big') >= 20);
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { ...inbox, service, stop };
}

test('a small file that comes while a big one is under way has its first row out soon, and shares with the big one to its end', async () => {
  const { flow, drop, service, stop } = await startWithBig(20_000, { faults: ['latency=50ms'] });
  await drop('subclients-small.csv', rowsOf('small', 250));
  const [first = Number.NaN] = await sinceMade(flow, await service.firsts(['small']));
  expect(first).toBeLessThan(FIRST_ROW_MS);
  await until(() => service.countOf('small') === 250);
  const sent = service.sent();
  const meanwhile = sent.slice(sent.indexOf('small'), sent.lastIndexOf('small'));
  // As many as its own, and what the chunks that were under way had left.
  expect(meanwhile.filter((word) => word === 'big').length).toBeLessThan(3 * 250);
  await stop();
});
