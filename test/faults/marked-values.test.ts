import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Ended, startFlow, withSummary } from '../support/flow.ts';
import { newestRun } from '../support/run-control.ts';
import { until } from '../support/until.ts';
import { SEED, shareOf } from './support/seed.ts';
import { LONG, TIMEOUT_MS, TIMES } from './support/times.ts';

const ROWS = LONG ? shareOf(5_000) : 100;

const JOB = [
  'operation: subclient.create',
  'key: externalId',
  'send: { concurrency: 10, attempts: 2 }',
  'fields:',
  '  additionalInformation.crmId: externalId',
  '  kyc.details.incorporationDate: { column: born, as: date, pattern: dd.MM.yyyy }',
].join('\n');

/** Everything that can go wrong with a request, some of it for some rows. */
const FAULTS = [
  'latency=20ms',
  '404=4%',
  '500=4%',
  '429=every:40;retry-after=1',
  '503-retry-after=every:60;retry-after=1',
  'reset-before=3%',
  'reset-after-create=3%',
  'cut-answer=3%',
  'not-json=3%',
  'no-id=3%',
] as const;

test(
  `with LOG_LEVEL=trace no log, note or summary has a value of ${ROWS} rows, whatever befalls them (seed ${SEED})`,
  async () => {
    const flow = await startFlow({ times: TIMES, faults: [...FAULTS], seed: SEED });
    const job = await flow.file('job.yaml', JOB);
    const file = await flow.file('rows.csv', csvOf());
    const env = { LOG_LEVEL: 'trace' };
    const run = ['run', '--job-file', job, file, '--json'];
    const work = flow.start(['work'], env);
    if (LONG) {
      const killed = flow.start(run, env);
      await until(() => flow.sandbox.stats().made.subclients > ROWS / 10);
      killed.child.kill('SIGKILL');
      await killed.ended;
    }
    const ran = await flow.onboard(run, env);
    const summary = withSummary(ran).summary;
    const ends: Ended[] = [ran];
    flow.sandbox.setFaults([]);
    const id = await newestRun(flow);
    const more = [
      ['status', id],
      ['status', id, '--json'],
      ['runs', '--json'],
      ['report', id],
      ['rerun', id, '--json', '--only', 'failed'],
    ];
    for (const args of more) ends.push(await flow.onboard(args, env));
    work.child.kill('SIGTERM');
    ends.push(await work.ended);
    expect(ends.every(({ exitCode }) => exitCode !== null && exitCode !== 3)).toBe(true);
    const said: readonly Said[] = [
      ...ends.flatMap(({ stdout, stderr }, i) => [
        { where: `stdout ${i}`, text: stdout },
        { where: `stderr ${i}`, text: stderr },
      ]),
      ...(await textsIn(flow.home, (path) => path.endsWith('.log') && !path.startsWith('journal'))),
      ...(await textsIn(`${flow.home}/reports`, (path) => path.endsWith('summary.json'))),
    ];
    const handedBack = markersIn(
      await textsIn(`${flow.home}/reports`, (path) => /(failed|rejected)\.csv$/.test(path)),
    );
    process.stderr.write(`marked-values ${JSON.stringify(summary.outcomes)}\n`);
    expect(summary.outcomes.invalid, 'some rows have a value that is no date').toBeGreaterThan(0);
    expect(markersIn(said)).toEqual([]);
    // What hands rows back has the marker, and is searched in the same way.
    expect(handedBack.length).toBeGreaterThan(0);
    expect(said.filter(({ text }) => text !== '').length).toBeGreaterThan(5);
  },
  TIMEOUT_MS,
);

/** Every twentieth has something else where its date belongs. */
function csvOf(): string {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const born = i % 20 === 7 ? `${MARKER}-${i}` : '31.03.1984';
    return `K${i + 1},${MARKER} ${i + 1} Ltd,${MARKER} Street ${i + 1},${born}`;
  });
  return ['externalId,details.name,addresses.primary.town,born', ...lines, ''].join('\n');
}

/** Stands in every value of a row that is personal data; nothing else has it. */
const MARKER = 'Zyxomma';

/** A text that may be searched, and what it is. */
type Said = { readonly where: string; readonly text: string };

/** Where the marker is said, with the words around it. */
function markersIn(said: readonly Said[]): string[] {
  return said.flatMap(({ where, text }) =>
    [...text.matchAll(new RegExp(`.{0,60}${MARKER}.{0,40}`, 'gi'))].map(([words]) => `${where}: ${words}`),
  );
}

/** The files below a folder whose name fits, as text; compressed ones unpacked. */
async function textsIn(folder: string, fits: (path: string) => boolean): Promise<Said[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths
      .filter((path) => fits(relative(folder, path)))
      .map(async (path) => {
        const bytes = await readFile(path);
        return {
          where: relative(folder, path),
          text: (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString(),
        };
      }),
  );
}
