/**
 * Two and four worker processes against one, on the service that answers after 50 ms; and what a row costs Redis where there is one. The
 * processes have sent a file of its own before, so that it is not their start that is measured.
 */

import { type Bench, CONCURRENCY, succeeded } from './bench.ts';
import { startMeter } from './cpu.ts';
import type { FigureId } from './figures.ts';
import { startWatch, startWorkers } from './onboard.ts';
import { startRedis } from './redis.ts';
import { costDetails, costOfRow, cpuSamples, othersOf, type Rate, type Samples } from './samples.ts';
import { DELAY_MS, startNodeService } from './service/fast-service.ts';
import { costText } from './table.ts';

/** Few enough for four processes that the processors have room. */
const LIGHT_CONCURRENCY = 20;

/** In the middle of a run; `busy`: the share of the processors' time in use meanwhile, one value or none. */
type WorkersRate = Omit<Rate, 'ownRowsPerSecond'> & { readonly busy: readonly number[] };
/** Of one, two and four workers. */
type Round = { readonly one: WorkersRate; readonly two: WorkersRate; readonly four: WorkersRate };

/** With as many requests in flight as a process has by itself. */
export async function measureWorkers(bench: Bench): Promise<readonly Samples[]> {
  const rounds = await measureRounds(bench, CONCURRENCY);
  return [
    samplesOf('workers-2', rounds, 'two'),
    samplesOf('workers-4', rounds, 'four'),
    ...cpuSamples(
      'redis-cpu',
      'Redis',
      rounds.map(({ one }) => one.cost),
    ),
  ];
}

/** The same with so few requests in flight that the processors are not what is measured. */
export async function measureLightWorkers(bench: Bench): Promise<readonly Samples[]> {
  const rounds = await measureRounds(bench, LIGHT_CONCURRENCY);
  return [samplesOf('light-workers-2', rounds, 'two'), samplesOf('light-workers-4', rounds, 'four')];
}

async function measureRounds(bench: Bench, concurrency: number): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1)
    rounds.push({
      one: await rateOf(bench, 1, concurrency),
      two: await rateOf(bench, 2, concurrency),
      four: await rateOf(bench, 4, concurrency),
    });
  return rounds;
}

function samplesOf(figure: FigureId, rounds: readonly Round[], several: 'two' | 'four'): Samples {
  return {
    figure,
    values: rounds.map((round) => round[several].rowsPerSecond / round.one.rowsPerSecond),
    others: othersOf(rounds.map((round) => [round[several].cost, round.one.cost])),
    details: {
      rowsPerSecond: rounds.map((round) => round[several].rowsPerSecond),
      oneRowsPerSecond: rounds.map(({ one }) => one.rowsPerSecond),
      busy: rounds.flatMap((round) => round[several].busy),
      ...costDetails(
        'cpu',
        rounds.map((round) => round[several].cost),
      ),
    },
  };
}

async function rateOf(bench: Bench, count: number, concurrency: number): Promise<WorkersRate> {
  const { rowsPerWorker, warmRows } = bench.options.sizes;
  const ofAll = (rows: number) => Math.ceil((rows * count * concurrency) / CONCURRENCY);
  const rows = ofAll(rowsPerWorker);
  await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = await startWorkers(bench, count, place);
  const job = await bench.jobWith(concurrency);
  const warming = await startWatch(bench, ofAll(warmRows), { ...place, job, keys: 'WARM' });
  succeeded(await warming.ended, 'onboard watch');
  await service.forget();
  const meter = await startMeter({ Redis: [redis.pid], Service: [service.pid] });
  const watch = await startWatch(bench, rows, { ...place, job });
  succeeded(await watch.ended, 'onboard watch');
  const spent = await meter();
  const { middleRate, heldMeanMs } = await service.numbers();
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.stop();
  await redis.stop();
  const cost = costOfRow(spent, rows);
  bench.tell(
    `  ${count}: ${Math.round(middleRate)} rows/s, answers held for ${heldMeanMs.toFixed(2)} ms, ${costText(cost)}`,
  );
  return { rowsPerSecond: middleRate, cost, busy: spent === null ? [] : [spent.busy] };
}
