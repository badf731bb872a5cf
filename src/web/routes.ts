/** All pages, from the parts that show them. The router and the test that asks each as nobody, viewer and operator go by this table. */
import { type ActingPart, actingRoutes, noteRoutes } from './acting.tsx';
import { type CheckPart, checkRoutes } from './checking.tsx';
import { type DoubtsPart, doubtsRoutes } from './doubts.tsx';
import { type FilesPart, filesRoutes } from './files.tsx';
import { type JobsPart, jobsRoutes } from './jobs.tsx';
import { type MappingPart, mappingRoutes } from './mapping.tsx';
import { type OverviewPart, overviewRoutes } from './overview.tsx';
import { type RowPart, rowRoutes } from './row.tsx';
import { type RowsPart, rowsRoutes } from './rows.tsx';
import { type RunPart, runRoutes } from './run.tsx';
import { type RunsPart, runsRoutes } from './runs.tsx';
import { type SystemPart, systemRoutes } from './system.tsx';
import type { Core, Route } from './visit.ts';

/** What all of them need together. */
export type Page = Core &
  ActingPart &
  FilesPart &
  CheckPart &
  MappingPart &
  JobsPart &
  RowsPart &
  RowPart &
  DoubtsPart &
  OverviewPart &
  RunsPart &
  RunPart &
  SystemPart;

export const ROUTES: readonly Route<Page>[] = [
  ...overviewRoutes,
  ...runsRoutes,
  ...runRoutes,
  ...systemRoutes,
  ...actingRoutes,
  ...noteRoutes,
  ...filesRoutes,
  ...checkRoutes,
  ...mappingRoutes,
  ...jobsRoutes,
  ...rowsRoutes,
  ...rowRoutes,
  ...doubtsRoutes,
];
