/**
 * All pages. The router, and the test that requests each as nobody, viewer and operator, use this
 * table.
 */
import type { Route } from '../web/visit.ts';
import { actingRoutes } from './acting.tsx';
import { noteRoutes } from './causes.tsx';
import { checkRoutes } from './checking.tsx';
import type { Desk } from './desk.ts';
import { doubtsRoutes } from './doubts.tsx';
import { filesRoutes } from './files.tsx';
import { jobsRoutes } from './jobs.tsx';
import { mappingRoutes } from './mapping.tsx';
import { overviewRoutes } from './overview.tsx';
import { rowRoutes } from './row.tsx';
import { rowsRoutes } from './rows.tsx';
import { runRoutes } from './run.tsx';
import { runsRoutes } from './runs.tsx';
import { systemRoutes } from './system.tsx';

export const ROUTES: readonly Route<Desk>[] = [
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
