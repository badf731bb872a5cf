/** All pages. The router and the test that asks each as nobody, viewer and operator go by this table. */
import { type CheckPart, checkRoutes } from '../web/checking.tsx';
import { type FilesPart, filesRoutes } from '../web/files.tsx';
import { type JobsPart, jobsRoutes } from '../web/jobs.tsx';
import { type MappingPart, mappingRoutes } from '../web/mapping.tsx';
import type { Core } from '../web/page.ts';
import type { Route } from '../web/visit.ts';
import { type ActingPart, actingRoutes } from './acting.tsx';
import { noteRoutes } from './causes.tsx';
import type { Desk } from './desk.ts';
import { doubtsRoutes } from './doubts.tsx';
import { overviewRoutes } from './overview.tsx';
import { rowRoutes } from './row.tsx';
import { rowsRoutes } from './rows.tsx';
import { runRoutes } from './run.tsx';
import { runsRoutes } from './runs.tsx';
import { systemRoutes } from './system.tsx';

/** What all of them need together. */
export type Page = Core & Desk & ActingPart & FilesPart & CheckPart & MappingPart & JobsPart;

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
