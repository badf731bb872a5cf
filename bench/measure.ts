import type { Bench } from './bench.ts';
import { measureAgainstBareLoop } from './figures/against-bare-loop.ts';
import { measureAgainstJobPerRow } from './figures/against-job-per-row.ts';
import { measureCheck } from './figures/of-check.ts';
import { measureOnSlowService } from './figures/on-slow-service.ts';
import { measureToTheFirstRequest } from './figures/to-the-first-request.ts';
import { measureWithAMillionRows } from './figures/with-a-million-rows.ts';
import { measureWithLightWorkers, measureWithSeveralWorkers } from './figures/with-several-workers.ts';
import type { MeasurementId } from './figures.ts';
import type { Samples } from './samples.ts';

/** What each measurement does; each value of its samples is one round. */
export const MEASURE: Readonly<Record<MeasurementId, (bench: Bench) => Promise<readonly Samples[]>>> = {
  bare: measureAgainstBareLoop,
  'job-per-row': measureAgainstJobPerRow,
  'slow-service': measureOnSlowService,
  workers: measureWithSeveralWorkers,
  'light-workers': measureWithLightWorkers,
  million: measureWithAMillionRows,
  start: measureToTheFirstRequest,
  check: measureCheck,
};
