/** All pages. The router and the test that asks each as nobody, viewer and operator go by this table. */
import { type DoubtsPart, doubtsRoutes } from '../web/doubts.tsx';
import { type OverviewPart, overviewRoutes } from '../web/overview.tsx';
import { type RowPart, rowRoutes } from '../web/row.tsx';
import { type RowsPart, rowsRoutes } from '../web/rows.tsx';
import { type RunPart, runRoutes } from '../web/run.tsx';
import { type RunsPart, runsRoutes } from '../web/runs.tsx';
import { type SystemPart, systemRoutes } from '../web/system.tsx';
import type { Core, Route } from '../web/visit.ts';
import { actingRoutes } from './acting.tsx';
import { checkRoutes } from './checking.tsx';
import type { Desk } from './desk.ts';
import { filesRoutes } from './files.tsx';
import { jobsRoutes } from './jobs.tsx';
import { mappingRoutes } from './mapping.tsx';
import { noteRoutes } from './notes.tsx';

/** What all of them need together. */
export type Page = Core &
  Desk &
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
