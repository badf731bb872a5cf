/** All pages, from the parts that show them. The router and the test that asks each as nobody, viewer and operator go by this table. */
import { type FilesPart, filesRoutes } from './files.tsx';
import { type JobsPart, jobsRoutes } from './jobs.tsx';
import { type MappingPart, mappingRoutes } from './mapping.tsx';
import type { Core } from './page.ts';
import type { Route } from './visit.ts';

/** What all of them need together. */
export type Page = Core & FilesPart & MappingPart & JobsPart;

export const ROUTES: readonly Route<Page>[] = [...filesRoutes, ...mappingRoutes, ...jobsRoutes];
